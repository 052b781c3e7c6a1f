"""Puts lines for ever and says which are done, until it is killed."""

import sys
from pathlib import Path

from trivium.envs.search.pipeline import Ledger
from trivium.envs.search.pipeline.ledger import Line

with Ledger(Path(sys.argv[1]), "m") as ledger:
    print("ready", flush=True)
    number = max(ledger.lines, default=-1) + 1
    while True:
        ledger.put(Line(number, refused="explore: " + "x" * 5000))
        print(number, flush=True)
        number += 1
