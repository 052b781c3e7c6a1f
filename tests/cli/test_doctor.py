from pathlib import Path

from trivium.cli import probes
from trivium.cli.check import Grade
from trivium.cli.probes import clash, extras


def test_doctor_looks_at_everything(trivium):
    shown = trivium("doctor").output
    for what in ("Python", "cores", "torch", "number type", "disk", "cache", "embedded policy", "renderers", "clash"):
        assert what in shown


def test_what_is_missing_comes_with_the_way_to_get_it(monkeypatch, tmp_path):
    monkeypatch.setattr(probes, "find_spec", lambda name: None)
    extra = ("qwen", "chroma", "dense", "remote", "lora", "gguf", "tensorboard", "mlflow")
    root = Path(__file__).parents[2]
    assert [check.remedy for check in extras()] == [f'pip install -e "{root}[{name}]"' for name in extra]
    monkeypatch.setattr(probes, "__file__", str(tmp_path / "site-packages" / "trivium" / "cli" / "probes.py"))
    assert [check.remedy for check in extras()] == [f'pip install "trivium[{name}]"' for name in extra]


def test_a_distribution_of_the_same_package_is_told(monkeypatch):
    monkeypatch.setattr(probes, "packages_distributions", lambda: {"trivium": ["trivium", "trivium-cli"]})
    (check,) = clash()
    assert check.grade is Grade.MISSING
    assert check.remedy == "pip uninstall trivium-cli"
