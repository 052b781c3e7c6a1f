"""`trivium demo`."""

from typing import Annotated

import typer

from .folders import how_to_resume, ready_made, run_folder
from .guard import guard
from .options import Run, Sets
from .paths import require_paths

Minutes = Annotated[
    float | None,
    typer.Option("--minutes", metavar="N", help="Train for this long instead of 10; measuring takes about 2 more."),
]


def demo(run: Run = None, minutes: Minutes = None, sets: Sets = None) -> None:
    """Watch RL improve a search agent on this machine: no download, no GPU, a quarter of an hour.

    \b
    A small policy that comes with Trivium learns to search Python's
    documentation, to prune its own context and to cite. The last line printed
    is the path of report.json.

    \b
    trivium demo
    trivium demo --minutes 3           a first look: it has learned less by then
    trivium demo --set eval.tasks=50   measures faster, with wider intervals
    trivium demo --set seed=1          another draw
    """
    with guard():
        from trivium.config import load_recipe

        length = [] if minutes is None else [f"schedule.minutes={minutes}"]
        recipe = load_recipe(ready_made("demo.toml"), [*length, *(sets or ())])
        require_paths(recipe)
        folder = run_folder(run, recipe.name, resume=False)
    with guard(lambda: how_to_resume("train", folder)):
        from .work import demonstrated

        demonstrated(recipe, folder)
