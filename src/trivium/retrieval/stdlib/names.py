"""Names of the standard library: where a name is published, and what a name means at a place.

A private module's names belong to the public module that re-exports them (`_collections_abc.Mapping` is
`collections.abc.Mapping`). A name in a text means, in this order: a member of the class around it, a member of its
module, something its module imports, or the full name itself.
"""

from collections.abc import Iterator, Sequence

import msgspec

from .docstrings import Entry, Source, is_public

HOMES = {
    "posix": "os",
    "nt": "os",
    "posixpath": "os.path",
    "genericpath": "os.path",
    "_collections_abc": "collections.abc",
}
"""Modules that people call by another name."""
HOPS = 5  # re-exports followed


def publish(sources: Sequence[Source]) -> list[Source]:
    """The sources with every entry of a private module under its public name, where it has one."""
    new = dict(_published(sources))
    return [
        msgspec.structs.replace(source, entries=tuple(_renamed(entry, source.name, new) for entry in source.entries))
        for source in sources
    ]


def _published(sources: Sequence[Source]) -> Iterator[tuple[str, str]]:
    """Pairs of old and new name for what private modules define; of several re-exports the first by name wins."""
    own = {source.name: {entry.name for entry in source.entries} for source in sources}
    taken: set[str] = set()
    for source in sources:
        if source.name in HOMES:
            yield from ((name, HOMES[source.name] + name[len(source.name) :]) for name in own[source.name])
            taken |= own[source.name]
    for source in sorted(sources, key=lambda source: source.name):
        if not is_public(source.name):
            continue
        stars = [(name.rpartition(".")[2], name) for star in source.stars for name in sorted(own.get(star, ()))]
        for local, target in (*source.imports.items(), *stars):
            module = target.rpartition(".")[0]
            if not is_public(module) and target in own.get(module, ()) and target not in taken:
                taken.add(target)
                yield target, f"{source.name}.{local}"


def _renamed(entry: Entry, module: str, new: dict[str, str]) -> Entry:
    """`entry` with its longest published prefix put in place."""
    parts = entry.name.split(".")
    for size in range(len(parts), len(module.split(".")) - 1, -1):
        old = ".".join(parts[:size])
        if old in new:
            owner = entry.owner and ".".join([new[old], *entry.owner.split(".")[size:]])
            return msgspec.structs.replace(entry, name=".".join([new[old], *parts[size:]]), owner=owner)
    return entry


class Names:
    """What names mean, over published sources and all entries."""

    def __init__(self, sources: Sequence[Source], entries: dict[str, Entry]) -> None:
        self._entries = entries
        self._imports = {source.name: source.imports for source in sources}
        self._renames = {
            f"{source.name}.{entry.name.rpartition('.')[2]}": entry.name
            for source in sources
            for entry in source.entries
            if not entry.owner
        }

    def find(self, written: str, place: Entry) -> str | None:
        """The entry that a name means when it is written in the documentation of `place`, or None."""
        return self._find(
            written, place.module, [place.owner or place.name, place.module, place.name.rpartition(".")[0]]
        )

    def base(self, written: str, place: Entry) -> str | None:
        """The class that a name means in the bases of the class `place`, or None."""
        return self._find(written, place.module, [place.owner or place.module, place.module])

    def _find(self, written: str, module: str, scopes: list[str]) -> str | None:
        head, dot, rest = written.partition(".")
        imported = self._imports.get(module, {}).get(head)
        tries = [f"{scope}.{written}" for scope in scopes] + ([imported + dot + rest] if imported else []) + [written]
        return next((found for name in tries if (found := self._follow(name))), None)

    def ancestors(self, owner: str) -> Iterator[str]:
        """Names of the classes above a class, nearest first, each once."""
        queue, seen = [owner], {owner}
        while queue:
            entry = self._entries.get(queue.pop(0))
            for written in entry.bases if entry else ():
                base = self.base(written, entry) if entry else None
                if base and base not in seen:
                    seen.add(base)
                    queue.append(base)
                    yield base

    def _follow(self, name: str) -> str | None:
        """The entry behind a name, through re-exports."""
        for _ in range(HOPS):
            if name in self._entries:
                return name
            module, _, member = name.rpartition(".")
            target = self._renames.get(name) or self._imports.get(module, {}).get(member)
            if not target:
                return None
            name = target
        return None
