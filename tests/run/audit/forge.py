"""Tools to falsify a run folder so that nothing but its meaning is wrong: checksums and keys still hold."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import msgspec

from trivium.episode import Episode, Node, Sampled, Versions, dumps
from trivium.store import RunStore


def episodes(run: Path, step: int | None = None) -> list[Episode]:
    """The members of a run (or of a step), in order."""
    with RunStore(run, readonly=True) as store:
        steps = [commit.step for commit in store.ledger.commits() if step in (None, commit.step)]
        return [store.episodes.get(member.episode) for number in steps for member in store.ledger.members(number)]


def sql(run: Path, *statements: str) -> None:
    """Change the tables."""
    with closing(sqlite3.connect(run / "run.db")) as raw:
        for statement in statements:
            assert raw.execute(statement).rowcount, f"{statement} changed nothing"
        raw.commit()


def rewrite(run: Path, name: str, change: Callable[[Episode], object]) -> None:
    """Change a record, and write it with a checksum that is right."""
    with RunStore(run, readonly=True) as store:
        episode = store.episodes.get(name)
    change(episode)
    with closing(sqlite3.connect(run / "run.db")) as raw:
        raw.execute("UPDATE episodes SET record = ? WHERE id = ?", (dumps(episode), name))
        raw.commit()


def put(episode: Episode, node: int, **fields: object) -> None:
    """Replace fields of a node; positions stay consistent with the lengths."""
    nodes = episode.tree.nodes
    nodes[node] = msgspec.structs.replace(nodes[node], **fields)
    if "end" not in fields:
        regrow(nodes)


def resample(episode: Episode, node: int, **fields: object) -> None:
    """Replace fields of an action's provenance."""
    put(episode, node, sampled=msgspec.structs.replace(provenance(episode, node), **fields))


def provenance(episode: Episode, node: int) -> Sampled:
    sampled = episode.tree.nodes[node].sampled
    assert sampled is not None
    return sampled


def regrow(nodes: list[Node]) -> None:
    """Ends that follow from parents and lengths."""
    for place, node in enumerate(nodes):
        before = 0 if node.parent is None else nodes[node.parent].end
        nodes[place] = msgspec.structs.replace(node, end=before + len(node.tokens))


def changed(values: tuple[object, ...], place: int, value: object) -> tuple[object, ...]:
    """A tuple with another value in one place."""
    return (*values[:place], value, *values[place + 1 :])


def cut_short(sampled: Sampled, by: int) -> Sampled:
    """Provenance without the last tokens, all under its first weights."""
    left = sampled.logprobs[:-by]
    return msgspec.structs.replace(sampled, logprobs=left, versions=Versions(sampled.versions.ids[:1], (len(left),)))
