"""`trivium show`."""

from pathlib import Path
from typing import Annotated

import typer

from trivium.episode import ConfigError

from .guard import guard

Folder = Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run, finished or still running.")]
Episode = Annotated[str | None, typer.Option("--episode", metavar="ID", help="Read one episode, node by node.")]
Html = Annotated[
    bool, typer.Option("--html", help="Write a page for a browser instead: to FILE, or to RUN/report.html.")
]
File = Annotated[Path | None, typer.Argument(metavar="FILE", help="Of the page, with --html. Unset: RUN/report.html.")]


def show(run: Folder, file: File = None, episode: Episode = None, html: Html = False) -> None:
    """Look into a run: recipe, curves, rewards, outcomes, events; read one episode whole; or all of it as a page.

    \b
    trivium show runs/demo-1
    trivium show runs/demo-1 --episode 00012-003-001
    trivium show runs/demo-1 --html
    trivium show runs/demo-1 page.html --html --episode 00012-003-001
    """
    with guard():
        if file is not None and not html:
            raise ConfigError(f"nothing is written to {file} without --html; add it, or leave the file out")
        from trivium.store import RunStore

        with RunStore(run, readonly=True) as store:
            if html:
                from .page_file import write_page

                write_page(store, file or run / "report.html", episode)
            elif episode is None:
                from .run_view import show_run

                show_run(store)
            else:
                from .episode_view import show_episode

                show_episode(store, episode)
