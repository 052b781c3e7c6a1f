"""A run's page as a file."""

from pathlib import Path

from trivium.store import RunStore, write_file
from trivium.web import run_page

from .console import out


def write_page(store: RunStore, to: Path, episode: str | None) -> None:
    """Write the page and print where. Raises StoreError when it cannot be written."""
    write_file(to, run_page(store, episode))
    out().print(to, soft_wrap=True)
