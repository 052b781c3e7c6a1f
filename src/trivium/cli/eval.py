"""`trivium eval`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .folders import found, ready_made
from .guard import guard
from .kept_recipe import recipe_at
from .options import Sets
from .overrides import over_data, toml
from .paths import require_paths

if TYPE_CHECKING:
    from trivium.config import Recipe

EVERY = 1_000_000
"""Tasks of a data set that was named: all of them, whatever the recipe measures on."""
BASE = "base"
"""The policy that the recipe itself names."""
File = Annotated[
    Path | None,
    typer.Argument(metavar="RECIPE", help="Unset: the recipe of the run in --policy, baseline for a URL, else demo."),
]
Policy = Annotated[
    str | None,
    typer.Option(
        "--policy",
        metavar="POLICY",
        help="base (what the recipe starts from), a run (RUN, or RUN@STEP for a step it keeps), a model folder, "
        "embedded, smollm2-135m, or a URL.",
    ),
]
Data = Annotated[
    Path | None,
    typer.Option(
        "--data", metavar="DIR", help="Questions in BEIR layout, or a folder of linked pages to make tasks of."
    ),
]
Attempts = Annotated[
    int, typer.Option("--k", metavar="N", min=1, help="Episodes per task; reports the best of k beside the mean.")
]
Fuse = Annotated[
    int,
    typer.Option(
        "--fuse", metavar="N", min=1, help="Fuse the citations of this many episodes of a task by reciprocal rank."
    ),
]
Limit = Annotated[
    int | None,
    typer.Option("--limit", metavar="N", min=1, help="Tasks at most. Unset: as in the recipe, or all of --data."),
]
Json = Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write every figure to this file too.")]
Keep = Annotated[
    Path | None, typer.Option("--run", metavar="DIR", help="Keep episodes and report.json in this folder.")
]


def evaluate(
    recipe: File = None,
    policy: Policy = None,
    data: Data = None,
    k: Attempts = 1,
    fuse: Fuse = 1,
    limit: Limit = None,
    json: Json = None,
    run: Keep = None,
    sets: Sets = None,
) -> None:
    """Measure a policy on held-out tasks: the mean, and the best of k without bias, both with intervals.

    \b
    trivium eval --policy runs/demo-1 --limit 100
    trivium eval --policy runs/demo-1 --k 4 --json best.json
    trivium eval runs/demo-1/recipe.toml --policy base
    trivium eval --policy runs/demo-1 --fuse 4
    trivium eval --policy embedded --data path/to/scifact
    trivium eval --policy http://127.0.0.1:8000/v1 --limit 50
    """
    with guard():
        path = found(recipe) if recipe else _recipe_of(policy)
        chosen = recipe_at(path, [*_overrides(policy, data, max(k, fuse), limit), *(sets or ())])
        chosen = _with_limit(chosen, limit)
        require_paths(chosen)
        from .measure import measure

        measure(chosen, k=k, fuse=fuse, keep=run, json_file=json)


def _is_url(policy: str | None) -> bool:
    return bool(policy) and str(policy).startswith(("http://", "https://"))


def _recipe_of(policy: str | None) -> Path:
    if _is_url(policy):
        return ready_made("baseline.toml")
    if policy in (None, BASE):
        return ready_made("demo.toml")
    from trivium.store import run_at

    own = run_at(str(policy))[0] / "recipe.toml"
    return own if own.is_file() else ready_made("demo.toml")


def _overrides(policy: str | None, data: Path | None, samples: int, limit: int | None) -> list[str]:
    chosen = [f"eval.samples={samples}"]
    if policy not in (None, BASE):
        chosen.append(f"policy.{'remote.url' if _is_url(policy) else 'model'}={toml(policy)}")
    if data is not None:
        chosen += over_data(data)
    if limit is not None or data is not None:
        chosen.append(f"eval.tasks={limit or EVERY}")
    return chosen


def _with_limit(recipe: "Recipe", limit: int | None) -> "Recipe":
    """A limit above the number of held-out tasks that the recipe makes asks it to make more."""
    tasks = recipe.environment.tasks
    if limit is None or tasks.held_out >= limit:
        return recipe
    environment = recipe.environment.model_copy(update={"tasks": tasks.model_copy(update={"held_out": limit})})
    return recipe.model_copy(update={"environment": environment})
