"""Pruning one's own context (Chroma, Context-1), over spans that the tree knows.

    prune(ids)    the edit: every part whose id is in `ids` leaves, all other tokens stay, in order
    Pruning       the strategy: the tool, the usage line, the soft notice, the hard limit

Always true: a pruned part is in no later context, also when a tool shows it again; the tree keeps what was pruned.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from trivium.episode import Agent, Draft, Edit, Json, Message, Node, Part, Piece, ToolCall, ToolResult, ToolSpec, say

from .budget import Budget
from .tool import refusal

PRUNE = ToolSpec(
    "prune_chunks",
    "Remove chunks from your context, by the ids under which they were shown. They do not come back.",
    {
        "type": "object",
        "properties": {"chunk_ids": {"type": "array", "items": {"type": "string"}}},
        "required": ["chunk_ids"],
    },
)
GUIDE = """

# Context
Your context holds {window} tokens; the last result of every turn says how many are used. Above {soft}, \
{above_soft}; above {hard}, {above_hard}."""
PRUNES = (
    "prune what does not help (prune early: a chunk that you have judged takes room for nothing), or conclude",
    "every call but prune_chunks is refused",
)
CONCLUDES = ("come to a conclusion", "every call is refused")
NOTICE = "Over half of the window is used: prune chunks that do not help, or answer."


def prune(ids: frozenset[str]) -> Edit:
    """The edit that removes the parts with these ids."""

    def edit(nodes: Sequence[Node]) -> Sequence[Node | Draft]:
        return [node if ids.isdisjoint(part.id for part in node.parts) else _without(node, ids) for node in nodes]

    return edit


def without_pruned(result: ToolResult, ids: frozenset[str]) -> ToolResult:
    """A tool's answer without the chunks that were pruned before: they do not come back."""
    kept = tuple(piece for piece in result.pieces if piece.id is None or piece.id not in ids)
    if len(kept) == len(result.pieces):
        return result
    return ToolResult(pieces=kept or (Piece("Only chunks that you pruned.\n"),), error=result.error)


def _without(node: Node, ids: frozenset[str]) -> Draft:
    """The node without these parts, in its tokens and in its message."""
    tokens: list[int] = []
    parts: list[Part] = []
    at = 0
    for part in node.parts:
        tokens += node.tokens[at : part.start]
        at = part.stop
        if part.id not in ids:
            start = len(tokens)
            tokens += node.tokens[part.start : part.stop]
            parts.append(Part(part.id, start, len(tokens), part.source))
    tokens += node.tokens[at:]
    message = node.message
    if message is not None:
        kept = tuple(piece for piece in message.pieces if piece.id is None or piece.id not in ids)
        message = msgspec.structs.replace(message, pieces=kept)
    return Draft(kind=node.kind, tokens=tuple(tokens), parts=tuple(parts), message=message, copy_of=node.origin)


@dataclass(frozen=True, slots=True)
class Pruning:
    """The strategy. Without it (`prunes=False`) the limits hold all the same, but nothing can be removed."""

    budget: Budget
    prunes: bool = True
    notice: str | None = NOTICE
    """Transient message above the soft limit; None: none (evaluation, by default)."""
    guides: bool = False
    """Whether the agent is told of its limits and of pruning from the start (`guide`, and the tool's description)."""

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """The tools that this strategy adds."""
        if not self.prunes:
            return ()
        return (PRUNE if self.guides else msgspec.structs.replace(PRUNE, description=""),)

    @property
    def guide(self) -> str:
        """What it adds to the system prompt."""
        if not self.guides:
            return ""
        above_soft, above_hard = PRUNES if self.prunes else CONCLUDES
        limits = msgspec.structs.asdict(self.budget)
        return GUIDE.format(**limits, above_soft=above_soft, above_hard=above_hard)

    def is_prune(self, name: str) -> bool:
        """True for the call that the hard limit spares."""
        return self.prunes and name == PRUNE.name

    def note_turn(self, agent: Agent, calls: Sequence[ToolCall]) -> None:
        """Remember whether this turn held prune calls and nothing else: the streak penalty is over such turns."""
        turns = agent.state.setdefault("prune_only", [])
        assert isinstance(turns, list)
        turns.append(bool(calls) and all(self.is_prune(call.name) for call in calls))

    def usage(self, used: int, pad: str = "") -> Piece:
        """The line that ends the last tool result of a turn, and stays; `pad` is white space after it."""
        return Piece(f"[Token usage: {used}/{self.budget.window}]{pad}")

    def transient(self, used: int) -> Message | None:
        """The notice for this generation only, when `used` is above the soft limit."""
        return say("user", self.notice) if self.notice and used > self.budget.soft else None

    def call(self, arguments: dict[str, Json], agent: Agent, visible: frozenset[str]) -> ToolResult:
        """Answer a prune call: remember the ids; unknown ids and wrong arguments are said, never fatal."""
        ids = arguments.get("chunk_ids")
        if not isinstance(ids, list) or not ids or not all(isinstance(item, str) for item in ids):
            return refusal('prune_chunks needs "chunk_ids": a list of ids, such as ["4217"]')
        asked = [str(item) for item in ids]
        known = [item for item in dict.fromkeys(asked) if item in visible]
        unknown = [item for item in dict.fromkeys(asked) if item not in visible]
        if not known:
            return refusal(f"no chunk with id {', '.join(unknown[:5])} is in your context")
        _remember(agent, "pruned", known)
        _remember(agent, "prunable", sorted(visible))
        said = f"Pruned {len(known)}." + (f" Unknown: {', '.join(unknown[:5])}." if unknown else "")
        return ToolResult(pieces=(Piece(said + "\n"),))


def _remember(agent: Agent, key: str, ids: Sequence[str]) -> None:
    """Add to a list of the agent's state: what it pruned, and what it could have pruned at each prune."""
    known = agent.state.setdefault(key, [])
    assert isinstance(known, list)
    known.extend(ids)


def pruned_ids(agent: Agent) -> frozenset[str]:
    """The ids that this agent has pruned so far."""
    ids = agent.state.get("pruned", [])
    assert isinstance(ids, list)
    return frozenset(str(item) for item in ids)
