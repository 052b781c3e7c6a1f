import subprocess
import sys

import pytest
import typer

from trivium.cli.guard import guard
from trivium.episode import ConfigError


def sentence(result):
    """The one line on standard error."""
    lines = result.stderr.strip().splitlines()
    assert len(lines) == 1, result.stderr
    return lines[0]


def test_a_missing_recipe_is_one_sentence(trivium, tmp_path):
    said = sentence(trivium("train", tmp_path / "none.toml", code=2))
    assert "there is no recipe at" in said


def test_an_unknown_key_names_the_nearest(trivium, tiny):
    said = sentence(trivium("train", tiny, "--set", "schedule.step=3", code=2))
    assert "nothing reads the key schedule.step" in said
    assert "did you mean schedule.steps?" in said


def test_a_wrong_value_names_key_and_value(trivium, tiny):
    assert "schedule.steps = 'many'" in sentence(trivium("train", tiny, "--set", "schedule.steps=many", code=2))


def test_resume_needs_a_run(trivium, tiny, tmp_path):
    assert "--resume needs --run" in sentence(trivium("train", tiny, "--resume", code=2))
    assert "holds no run" in sentence(trivium("train", tiny, "--run", tmp_path / "none", "--resume", code=2))


def test_an_existing_run_is_not_overwritten(trivium, tiny, tmp_path):
    (tmp_path / "run.db").touch()
    said = sentence(trivium("train", tiny, "--run", tmp_path, code=2))
    assert "holds a run already" in said


def test_a_policy_that_is_nowhere(trivium, tiny, tmp_path):
    said = trivium("eval", tiny, "--policy", tmp_path / "none", code=2).stderr
    assert "no run and no model lies there" in said


@pytest.mark.parametrize("command", ["train", "sft", "eval", "demo"])
@pytest.mark.parametrize("key", ["policy.model=no/where", "environment.corpus.path=no/where"])
def test_a_path_that_is_nowhere_is_refused_before_torch_is_loaded(tiny, command, key):
    script = (
        "import sys; from typer.testing import CliRunner; from trivium.cli.app import app; "
        "done = CliRunner().invoke(app, sys.argv[1:]); "
        "print(done.exit_code, 'torch' in sys.modules, done.output)"
    )
    words = [command, *([] if command == "demo" else [str(tiny)]), "--set", key]
    done = subprocess.run([sys.executable, "-c", script, *words], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("2 False ")
    assert "no/where" in done.stdout


def test_showing_what_is_no_run(trivium, tmp_path):
    assert "there is no run in" in sentence(trivium("show", tmp_path, code=2))


def test_ctrl_c_says_how_to_go_on(capsys):
    with pytest.raises(typer.Exit) as ended, guard(lambda: "resume with: trivium train x"):
        raise KeyboardInterrupt
    assert ended.value.exit_code == 130
    assert capsys.readouterr().err.strip() == "stopped; resume with: trivium train x"


def test_only_errors_on_purpose_lose_their_traceback():
    with pytest.raises(typer.Exit), guard():
        raise ConfigError("a sentence")
    with pytest.raises(ZeroDivisionError), guard():
        _ = 1 / 0


@pytest.mark.parametrize("value", ["inf", "nan"])
def test_a_number_in_a_recipe_is_finite(trivium, tiny, value):
    assert "learn.lr = " in sentence(trivium("train", tiny, "--set", f"learn.lr={value}", "--dry-run", code=2))


def test_a_folder_is_no_recipe(trivium, tmp_path):
    assert "cannot be read (Is a directory)" in sentence(trivium("train", tmp_path, code=2))


def test_figures_that_cannot_be_written_are_refused_before_any_work(trivium, tiny, tmp_path):
    for place in (tmp_path, tmp_path / "none" / "best.json"):
        said = sentence(trivium("eval", tiny, "--limit", 1, "--json", place, code=2))
        assert "cannot be written" in said
