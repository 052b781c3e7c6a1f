"""RUN or RUN@STEP: how people name a checkpoint of a run."""

from pathlib import Path


def run_at(name: str) -> tuple[Path, int | None]:
    """The folder, and the steps that are done there; None: all, where the name does not end in @ and a number."""
    path, _, step = name.rpartition("@")
    return (Path(path), int(step)) if path and step.isdecimal() else (Path(name), None)
