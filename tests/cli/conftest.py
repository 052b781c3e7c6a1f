import pytest
from typer.testing import CliRunner

from trivium.cli.app import app

from .world import write_world


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
    """The recipe of the smallest real run."""
    return write_world(tmp_path_factory.mktemp("world"))


@pytest.fixture
def trivium():
    """Runs a command line in this process; unexpected exceptions stay exceptions."""

    def run(*arguments, code=0):
        result = CliRunner().invoke(app, [str(item) for item in arguments], catch_exceptions=False)
        assert result.exit_code == code, result.output
        return result

    return run
