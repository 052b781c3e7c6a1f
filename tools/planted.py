"""What an audit misses: planted corruptions, each alone on a copy of a small real run, and clean runs of every kind.

python tools/planted.py [--write]      prints the record; --write keeps it in docs/records
"""

import argparse
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from policy.tiny import write_model  # noqa: E402  the corruptions are those of the tests
from run.audit import ledger_plants, plants  # noqa: E402
from run.audit.conftest import audit, copied  # noqa: E402
from run.audit.forge import episodes, rewrite  # noqa: E402
from run.audit.pages import search_run, write_pages  # noqa: E402
from run.small import go  # noqa: E402
from trivium.run.report import commit, machine  # noqa: E402


def in_an_episode(run: Path, folder: Path) -> Iterator[tuple[str, bool]]:
    """Each corruption of an episode, and whether kind, episode, node and token were named."""
    for plant, needs in plants.EVERY.items():
        copy = copied(run, folder / plant.__name__)
        victim = next(e for e in episodes(copy) if plants.any_episode(e) and needs(e))
        named: list[plants.Named] = []
        rewrite(copy, victim.id, lambda episode, plant=plant, named=named: named.append(plant(episode)))
        yield plant.__name__, plants.is_named(named[0], victim.id, audit(copy).findings)
        shutil.rmtree(copy)


def in_the_ledger(run: Path, folder: Path) -> Iterator[tuple[str, bool]]:
    """Each corruption of ledger, rewards or weights, and whether every kind and episode was named."""
    for plant in ledger_plants.EVERY:
        copy = copied(run, folder / plant.__name__)
        named = plant(copy)
        found = {(one.kind, name) for one in audit(copy).findings for name in one.episodes or (None,)}
        yield plant.__name__, set(named) <= found
        shutil.rmtree(copy)


def clean_runs(folder: Path) -> dict[str, Path]:
    """Trained here: by trees with prunes and notices, by segments with them, by segments with a random model."""
    pages, model = write_pages(folder / "pages"), write_model(folder / "model")
    runs = {
        "embedded policy, prunes and notices, trees": search_run(pages, folder / "trees", 2),
        "embedded policy, prunes and notices, segments": search_run(pages, folder / "rows", 2, layout="segments"),
        "random model, segments": folder / "small",
    }
    go(str(model), str(folder / "small"), 2)
    return runs


def measure() -> dict[str, Any]:
    """The record."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        runs = clean_runs(folder)
        clean = {what: audit(run) for what, run in runs.items()}
        searched, small = folder / "trees", folder / "small"
        planted = [*in_an_episode(searched, folder), *in_the_ledger(small, folder)]
    missed = [name for name, named in planted if not named]
    figures = [
        {"name": "planted corruptions", "value": len(planted)},
        {"name": "named, with kind and place", "value": len(planted) - len(missed), "bar": "all"},
    ]
    for what, found in clean.items():
        gaps = [line.largest_gap for line in found.lines if line.largest_gap is not None]
        figures += [
            {"name": f"findings in a clean run ({what})", "value": len(found.findings), "bar": 0},
            {"name": f"its largest log-prob gap ({what})", "value": max(gaps), "bar": "1e-4",
             "n": sum(line.computed for line in found.lines)},
        ]  # fmt: skip
    return {
        "title": "The audit finds what was planted",
        "claim": "Each corruption, alone on a copy of a small real run, is named by `trivium audit` with its kind and "
        "its episode, node and token where it has one; runs that nobody touched have no finding.",
        "command": "python tools/planted.py --write",
        "commit": commit(),
        "seed": 0,
        "machine": machine(),
        "date": time.strftime("%Y-%m-%d"),
        "figures": figures,
        "note": f"Planted: {', '.join(name for name, _ in planted)}."
        + (f" Missed: {', '.join(missed)}." if missed else ""),
    }


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    text = json.dumps(measure(), indent=1)
    print(text)
    if arguments.write:
        (ROOT / "docs" / "records" / "14-audit.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
