import subprocess
import sys

import pytest

import trivium.cli

COMMANDS = ("demo", "train", "sft", "eval", "tasks", "label", "show", "export", "audit", "keys", "doctor")


def test_the_door_shows_one_name():
    assert trivium.cli.__all__ == ["main"]


def test_importing_the_command_line_loads_neither_torch_nor_a_store():
    script = (
        "import sys, trivium.cli; "
        "print([name for name in ('torch', 'transformers', 'numpy', 'sqlalchemy', 'pydantic') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("command", COMMANDS)
def test_help_teaches_with_an_example(trivium, command):
    assert f"trivium {command}" in trivium(command, "--help").output.split("Usage:")[1].split("\n", 1)[1]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_keeps_its_lines_at_80_columns_and_flags_have_no_type(trivium, monkeypatch, command):
    monkeypatch.setenv("COLUMNS", "80")
    shown = trivium(command, "--help").output
    examples = [line.strip() for line in shown.splitlines() if line.startswith(" trivium ")]
    assert set(examples) == {line.strip() for line in written(command) if line.strip().startswith("trivium ")}
    assert "<bool>" not in shown
    assert "-h" in shown


def written(command):
    """The lines of a command's docstring."""
    import trivium.cli.app

    return getattr(trivium.cli.app, {"eval": "evaluate"}.get(command, command)).__doc__.splitlines()


def test_alone_it_shows_help(trivium):
    shown = trivium().output
    assert all(command in shown for command in COMMANDS)


def test_version(trivium):
    assert trivium("--version").output.strip() == trivium_version()


def trivium_version():
    from trivium import __version__

    return __version__
