"""`trivium show`."""

from pathlib import Path
from typing import Annotated

import typer

from .guard import guard

Folder = Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run, finished or still running.")]
Episode = Annotated[str | None, typer.Option("--episode", metavar="ID", help="Read one episode, node by node.")]


def show(run: Folder, episode: Episode = None) -> None:
    """Look into a run: recipe, curves, rewards, outcomes, events; or read one episode whole.

    \b
    trivium show runs/demo-1
    trivium show runs/demo-1 --episode 00012-003-001
    """
    with guard():
        from trivium.store import RunStore

        with RunStore(run, readonly=True) as store:
            if episode is None:
                from .run_view import show_run

                show_run(store)
            else:
                from .episode_view import show_episode

                show_episode(store, episode)
