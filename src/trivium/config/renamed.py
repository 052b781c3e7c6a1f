"""Keys that were renamed. A recipe with an old name is refused, with the new one; a run made before is still read."""

from typing import Any

RENAMED = {"sft.rows": "sft.batch_episodes"}
"""Old name -> new name, dotted; both in the same table."""


def with_new_names(data: dict[str, Any]) -> dict[str, Any]:
    """The data of a recipe that an older version wrote, under the names of now."""
    made = {name: dict(table) if isinstance(table, dict) else table for name, table in data.items()}
    for old, new in RENAMED.items():
        (table, key), (_, now) = old.split("."), new.split(".")
        if key in made.get(table, {}):
            made[table][now] = made[table].pop(key)
    return made
