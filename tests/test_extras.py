"""What the demo needs is there without any extra."""

import subprocess
import sys

from trivium.cli.probes import EXTRAS

WITHOUT = """
import sys
from importlib.abc import MetaPathFinder

class Missing(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {names}:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Missing())
import trivium.run, trivium.run.demo, trivium.cli.app, trivium.cli.demo, trivium.cli.train, trivium.cli.show
import trivium.cli.audit, trivium.cli.export, trivium.cli.tasks, trivium.cli.doctor, trivium.cli.measure
"""


def test_the_rooms_open_without_any_extra() -> None:
    names = {name.partition(".")[0] for name in EXTRAS}
    assert {"httpx", "renderers", "peft"} <= names
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT.replace("{names}", repr(names))], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
