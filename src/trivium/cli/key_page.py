"""The keys of a recipe as a page of Markdown: docs/recipe.md."""

from collections.abc import Iterator

from .key_list import NEEDED, UNSET, Group, Key, groups

HEAD = """# The recipe

Every key of a recipe, with what it takes and what it is when nothing is said of it. Generated from `trivium.config` by
`python tools/recipe_page.py`; `trivium keys learn` prints the same in a terminal.

In the file a key stands in its section, such as `lr = 1e-4` under `[learn]`; on the command line it is dotted:
`--set learn.lr=1e-4`. A value is TOML, else plain text. A key that nothing reads is refused with the nearest one that
is read. `trivium train RECIPE --dry-run` prints a whole recipe as a run would read it.
"""


def recipe_page() -> str:
    """The whole page."""
    return "\n".join([HEAD, *(line for group in groups() for line in _section(group))])


def _section(group: Group) -> Iterator[str]:
    if group.name:
        yield from (f"## [{group.name}]", "", group.does, "")
    else:
        yield from ("## Above all sections", "")
    if group.keys:
        yield from ("| key | takes | default | what it does |", "|---|---|---|---|")
        yield from (_row(key) for key in group.keys)
        yield ""


def _row(key: Key) -> str:
    name = key.name.rpartition(".")[2]
    default = key.default if key.default in (UNSET, NEEDED) else f"`{key.default}`"
    cells = (f"`{name}`", key.takes, default, key.does)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
