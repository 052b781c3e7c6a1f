"""What pruning is worth to an expert that knows the gold: the same window with and without the tool.

python tools/ceilings.py [--write]      prints the record; --write keeps it in docs/records
"""

import argparse
import asyncio
import json
import time
from pathlib import Path

from trivium.config import load_recipe
from trivium.run import Quiet, Setup
from trivium.run.report import commit, compared, machine
from trivium.run.yardsticks import ceiling

ROOT = Path(__file__).parents[1]
SHOWN = ("reward", "recall", "r_traj", "r_fa", "searches")


async def measure() -> dict[str, object]:
    """Both arms on the demo's held-out tasks."""
    setup = Setup.open(load_recipe(ROOT / "recipes" / "demo.toml"), Quiet())
    source = setup.sources.held_out()
    assert source is not None
    arms = [await ceiling(source, setup.opened, prunes=prunes) for prunes in (True, False)]
    rows = [(f"{arm.name}: {metric}", arm.table()[metric]) for arm in arms for metric in SHOWN]
    rows += [(f"with - without: {metric}", value) for metric, value in compared(arms[1], arms[0]).items()]
    return {
        "title": "What pruning is worth to a scripted expert",
        "claim": "An expert that knows the gold works through the demo's 200 held-out tasks at the same window (448), "
        "with and without the prune tool. This is a bound for experts, not a trained policy without the tool.",
        "command": "python tools/ceilings.py --write",
        "commit": commit(),
        "seed": 0,
        "machine": machine(),
        "date": time.strftime("%Y-%m-%d"),
        "figures": [{"name": n, "value": v.mean, "low": v.low, "high": v.high, "n": v.n} for n, v in rows],
    }


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true")
    text = json.dumps(asyncio.run(measure()), indent=1)
    print(text)
    if parser.parse_args().write:
        (ROOT / "docs" / "records" / "04-ceilings.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
