"""Tasks: what is asked, as data. A task knows nothing of how it is judged; its environment does."""

import msgspec

from .message import Json


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """One task; `family` groups tasks for metrics and baselines, `data` is for its environment alone."""

    id: str
    prompt: str
    family: str = "default"
    data: dict[str, Json] = {}
