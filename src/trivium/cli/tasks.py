"""`trivium tasks`."""

from pathlib import Path
from typing import Annotated

import typer

from .folders import found, ready_made
from .guard import guard
from .options import Sets
from .overrides import over_data, toml
from .paths import require_paths

Out = Annotated[Path, typer.Argument(metavar="FOLDER", help="Where the set is written; an unfinished one goes on.")]
File = Annotated[
    Path | None,
    typer.Option("--recipe", metavar="RECIPE", help="A recipe, or a ready-made one by its name. Unset: demo."),
]
Data = Annotated[
    Path | None, typer.Option("--data", metavar="DIR", help="Another corpus: a folder of pages, or one in BEIR layout.")
]
Count = Annotated[int, typer.Option("--count", metavar="N", min=1, help="Tasks to make.")]
Distractors = Annotated[int, typer.Option("--distractors", metavar="N", min=0, help="Of each task at most.")]
Writer = Annotated[
    str | None, typer.Option("--writer", metavar="URL", help="A server whose model writes; unset: links and templates.")
]


def tasks(
    folder: Out,
    recipe: File = None,
    data: Data = None,
    count: Count = 100,
    distractors: Distractors = 8,
    writer: Writer = None,
    sets: Sets = None,
) -> None:
    """Make verified tasks of several hops over a corpus, with distractors, as a data set for trivium eval --data.

    \b
    trivium tasks sets/python --count 200 --set environment.tasks.hops=[2,3,4]
    trivium tasks sets/mine --data path/to/pages
    trivium tasks sets/mine --data pages --writer http://127.0.0.1:8000/v1
    trivium tasks sets/mine --writer https://host --set policy.remote.key_env=KEY
    """
    with guard():
        from trivium.config import load_recipe

        chosen = [] if data is None else over_data(data, asks=False)
        if writer is not None:
            chosen.append(f"policy.remote.url={toml(writer)}")
        path = found(recipe) if recipe else ready_made("demo.toml")
        own = load_recipe(path, [*chosen, *(sets or ())])
        require_paths(own)
    with guard(lambda: "run the same command again to go on"):
        from .work import made

        made(own, folder, count=count, distractors=distractors)
