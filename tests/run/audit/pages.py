"""A small real run with all that an audit reads: the embedded policy searches pages, prunes, and is given notices."""

import random
from pathlib import Path

from trivium.config import make_recipe
from trivium.run import Quiet, train_run

SYLLABLES = ("ba", "ke", "lo", "mi", "nu", "ra", "se", "ti", "vo", "zu")
PAGES = 40


def write_pages(folder: Path) -> Path:
    """Pages in chains of two: each names the next, in rare words."""
    rng = random.Random(7)
    folder.mkdir()
    names = [f"page{index:02d}" for index in range(PAGES)]
    for index, name in enumerate(names):
        words = ["".join(rng.choice(SYLLABLES) for _ in range(3)) for _ in range(8)]
        target = names[(index + 1) % PAGES]
        (folder / f"{name}.md").write_text(
            f"# {name}\n\n{' '.join(words)} are kept here. See [{target}]({target}.md).\n"
        )
    return folder


def search_run(pages: Path, run: Path, steps: int, **learn: object) -> Path:
    """Train the embedded policy for some steps over the pages."""
    recipe = make_recipe(
        {
            "policy": {"threads": 1},
            "environment": {
                "prompt": "short",
                "corpus": {"kind": "folder", "path": str(pages), "chunk_tokens": 60},
                "tasks": {"train": 12, "held_out": 0, "clues": 3},
                "shown": {"hits": 3, "cost": False},
            },
            "budget": {"window": 448, "soft": 200, "hard": 336, "per_call": 160, "reply": 64, "turns": 6},
            "learn": {"layout": "trees", "lr": 1e-4, **learn},
            "schedule": {"steps": steps, "groups": 2, "group_size": 4, "epochs": 2},
            "eval": {"tasks": 0},
        }
    )
    train_run(recipe, run, Quiet())
    return run
