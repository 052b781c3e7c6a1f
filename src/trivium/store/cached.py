"""Where things are kept that can be made again: built indices, converted models."""

import os
from pathlib import Path


def cache_home() -> Path:
    """`$TRIVIUM_CACHE`, else `~/.cache/trivium`; it may not exist yet, and may be deleted at any time."""
    return Path(os.environ.get("TRIVIUM_CACHE") or Path.home() / ".cache" / "trivium")
