"""`trivium sft`."""

from .folders import found, how_to_resume, run_folder
from .guard import guard
from .options import RecipeFile, Resume, Run, Sets
from .paths import require_paths


def sft(recipe: RecipeFile, sets: Sets = None, run: Run = None, resume: Resume = False) -> None:
    """Teach a policy from scripted experts, by the recipe's \\[sft] section: the usual start before `train`.

    \b
    trivium sft recipes/demo.toml --set sft.episodes=4000 --run runs/start
    trivium train recipes/demo.toml --set policy.model=runs/start
    """
    with guard():
        from trivium.config import load_recipe

        chosen = load_recipe(found(recipe), sets or ())
        require_paths(chosen)
        folder = run_folder(run, f"{chosen.name}-sft", resume=resume)
    with guard(lambda: how_to_resume("sft", folder)):
        from .work import taught

        taught(chosen, folder, resume=resume)
