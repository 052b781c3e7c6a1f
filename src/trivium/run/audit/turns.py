"""Turns, replayed from what the actions say: pruned chunks stay away, and the agent's state is what it did.

A prune names chunks that are in sight; from then on they are in no context, also when a tool shows them again. What
each turn was (pruning only, or not), how many there were and what was answered follow from the actions alone. Calls of
an action that met its deadline are not answered, so it prunes nothing.
"""

from collections.abc import Iterator

from trivium.episode import Node, StopReason, ToolCall
from trivium.harness import PRUNE
from trivium.watch import Finding

from .episode import Lived


def turns(lived: Lived) -> Iterator[Finding]:
    """The replay of an episode."""
    pruned: dict[str, int] = {}
    alone = []
    for action, said in lived.turns():
        read = lived.read_by(action)
        yield from _in_sight(lived, action, read, pruned)
        calls = [call for call in said.calls if _prunes(lived, call)]
        alone.append(bool(said.calls) and len(calls) == len(said.calls))
        visible = {part.id for node in read for part in node.parts} - pruned.keys()
        for call in calls if _is_answered(action) else []:
            asked = _asked(call)
            pruned |= {item: action.id for item in asked if item in visible}
            visible -= pruned.keys()
    yield from _state(lived, pruned, alone)


def _in_sight(lived: Lived, action: Node, read: list[Node], pruned: dict[str, int]) -> Iterator[Finding]:
    for node in read:
        for part in node.parts:
            if part.id in pruned:
                text = (
                    f"chunk {part.id}, pruned by action #{pruned[part.id]}, "
                    f"stands in node #{node.id} before action #{action.id}"
                )
                yield lived.finding("prune", text, node=action.id)


def _state(lived: Lived, pruned: dict[str, int], alone: list[bool]) -> Iterator[Finding]:
    agent, last = lived.episode.main, lived.said[-1] if lived.said else None
    concluded = last is not None and not last.calls and not last.malformed
    for name, told, found in (
        ("turns", agent.turns, len(lived.actions)),
        ("prune_only", agent.state.get("prune_only", []), alone),
        ("pruned", sorted(map(str, _listed(agent.state.get("pruned", [])))), sorted(pruned)),
        ("answer", lived.episode.answer, last.text if last is not None and concluded else ""),
    ):
        if told != found:
            yield lived.finding("state", f"the agent's {name} is {told!r:.80}, its actions give {found!r:.80}")


def _is_answered(action: Node) -> bool:
    return action.sampled is not None and action.sampled.stop is not StopReason.DEADLINE


def _prunes(lived: Lived, call: ToolCall) -> bool:
    return lived.rules.recipe.editing.prune and call.name == PRUNE.name


def _asked(call: ToolCall) -> list[str]:
    """The ids that a well-formed prune call names."""
    ids = call.arguments.get("chunk_ids")
    if not isinstance(ids, list) or not all(isinstance(item, str) for item in ids):
        return []
    return [str(item) for item in ids]


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []
