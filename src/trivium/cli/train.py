"""`trivium train`."""

from typing import Annotated

import typer

from .folders import found, how_to_resume, run_folder
from .guard import guard
from .options import RecipeFile, Resume, Run, Sets
from .paths import require_paths

DryRun = Annotated[bool, typer.Option("--dry-run", help="Print the whole recipe, its tasks and sizes; train nothing.")]


def train(
    recipe: RecipeFile, sets: Sets = None, run: Run = None, resume: Resume = False, dry_run: DryRun = False
) -> None:
    """Train a policy by a recipe: measure, train, measure again, write report.json.

    \b
    trivium train recipes/demo.toml --dry-run
    trivium train recipes/demo.toml --set schedule.steps=20 --set learn.lr=1e-4
    trivium train runs/demo-1/recipe.toml --run runs/demo-1 --resume
    """
    with guard():
        from trivium.config import load_recipe

        chosen = load_recipe(found(recipe), sets or ())
        require_paths(chosen, trains=not dry_run)
        folder = run_folder(run, chosen.name, resume=resume)
    if dry_run:
        with guard():
            from .dry_run import describe

            describe(chosen)
        return
    with guard(lambda: how_to_resume("train", folder)):
        from .work import trained

        trained(chosen, folder, resume=resume)
