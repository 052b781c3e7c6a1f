"""Answering the calls of one turn, under one budget that they share.

Always true: every call and every malformed call gets one observation, in the order of the calls; a prune takes effect
before its siblings are answered, so it makes room for them in any order. Neighbours that need no order (a plain
function needs none) run side by side, each with an equal share of the room.
"""

import asyncio
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from trivium.episode import Agent, Episode, Malformed, Tool, ToolCall, ToolContext, ToolResult
from trivium.policy.parsing import Parsed
from trivium.policy.rendering import Renderer

from .asking import ask
from .counting import count
from .editing import Pruning, prune, pruned_ids, without_pruned
from .observing import observe
from .tool import refusal


@dataclass(frozen=True, slots=True)
class Turn:
    """What the calls of one turn share."""

    episode: Episode
    agent: Agent
    tools: dict[str, Tool]
    """By name."""
    renderer: Renderer
    strategy: Pruning
    deadline: float


async def answer_calls(turn: Turn, parsed: Parsed) -> None:
    """Append one observation per call to the agent's context; moves the agent's tip."""
    answered = _prunes_first(turn, parsed.calls)
    pruned = pruned_ids(turn.agent)
    context = turn.episode.context(turn.agent).edit(prune(pruned))
    used = len(context)
    answers: list[ToolResult] = []
    for numbers in _groups(turn, parsed.calls):
        if numbers[0] in answered:
            found = [answered[numbers[0]]]
        else:
            found = await _answer(turn, [parsed.calls[number] for number in numbers], used)
        shown = [without_pruned(result, pruned) for result in found]
        answers += shown
        used += sum(count(turn.renderer, piece.text) for answer in shown for piece in answer.pieces)
    answers += [_complain(turn.episode, malformed) for malformed in parsed.malformed]
    turn.agent.tip = observe(context, answers, turn.renderer, turn.strategy).tip


def _prunes_first(turn: Turn, calls: Sequence[ToolCall]) -> dict[int, ToolResult]:
    """The answers to the prune calls, by place."""
    nodes = turn.episode.context(turn.agent).nodes
    visible = frozenset(part.id for node in nodes for part in node.parts)
    answered: dict[int, ToolResult] = {}
    for number, call in enumerate(calls):
        if turn.strategy.is_prune(call.name):
            answered[number] = turn.strategy.call(call.arguments, turn.agent, visible)
            turn.episode.count("calls.prune_chunks")
            if answered[number].error:
                turn.episode.count("wrong_calls")
            visible -= pruned_ids(turn.agent)
    return answered


def _groups(turn: Turn, calls: Sequence[ToolCall]) -> Iterator[list[int]]:
    """The places of the calls in order: neighbours that need no order together, each other call alone."""

    def key(number: int) -> int:
        chosen = turn.tools.get(calls[number].name)
        alone = chosen is None or turn.strategy.is_prune(calls[number].name) or getattr(chosen, "ordered", True)
        return number if alone else -1

    for _, numbers in itertools.groupby(range(len(calls)), key):
        yield list(numbers)


async def _answer(turn: Turn, calls: Sequence[ToolCall], used: int) -> list[ToolResult]:
    """The answers to calls that may run side by side; the first that fails ends the others."""
    room = turn.strategy.budget.share(used, len(calls))
    if len(calls) == 1:
        return [await _ask(turn, calls[0], used, room)]
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(_ask(turn, call, used, room)) for call in calls]
    except ExceptionGroup as failed:
        raise failed.exceptions[0] from failed
    return [task.result() for task in tasks]


async def _ask(turn: Turn, call: ToolCall, used: int, room: int) -> ToolResult:
    episode, strategy, chosen = turn.episode, turn.strategy, turn.tools.get(call.name)
    if chosen is None:
        episode.count("unknown_calls")
        names = [*turn.tools, *(spec.name for spec in strategy.specs)]
        return refusal(f"there is no tool {call.name[:40]}; the tools are {', '.join(names)}")
    if used > strategy.budget.hard:
        episode.count("refused_calls")
        return refusal("the window is nearly full: prune chunks or answer")
    episode.count(f"calls.{call.name}")
    context = ToolContext(
        episode=episode, agent=turn.agent, max_tokens=room, count=partial(count, turn.renderer), deadline=turn.deadline
    )
    result = await ask(chosen, call, context)
    if result.error:
        episode.count("wrong_calls")
    return result


def _complain(episode: Episode, malformed: Malformed) -> ToolResult:
    episode.count("malformed_calls")
    return refusal(f"the call could not be read ({malformed.reason})")
