"""Answering the calls of one turn: in order, under one budget that they share.

Always true: every call and every malformed call gets one observation; the usage line ends the last of them; a prune
takes effect before its siblings are answered, so it makes room for them in any order.
"""

import asyncio
import time
from collections.abc import Sequence

from trivium.episode import (
    Agent,
    Context,
    Draft,
    Environment,
    Episode,
    Kind,
    Malformed,
    Message,
    Node,
    StopReason,
    Tool,
    ToolCall,
    ToolContext,
    ToolError,
    ToolResult,
)
from trivium.policy.parsing import Parsed
from trivium.policy.rendering.base import Renderer

from .editing import Pruning, prune, pruned_ids
from .tool import refusal


async def answer_calls(
    episode: Episode,
    agent: Agent,
    parsed: Parsed,
    environment: Environment,
    renderer: Renderer,
    strategy: Pruning,
    deadline: float,
) -> None:
    """Append one observation per call to the agent's context; moves `agent.tip`."""
    results = _prunes_first(episode, agent, parsed.calls, strategy)
    context = episode.context(agent).edit(prune(pruned_ids(agent)))
    used = len(context)
    for index, call in enumerate(parsed.calls):
        if index not in results:
            results[index] = await _answer(episode, agent, call, environment, renderer, strategy, used, deadline)
        used += sum(renderer.count(piece.text) for piece in results[index].pieces)
    answers = [results[index] for index in range(len(parsed.calls))]
    answers += [_complain(episode, malformed) for malformed in parsed.malformed]
    agent.tip = _observe(context, answers, renderer, strategy).tip


def _prunes_first(
    episode: Episode, agent: Agent, calls: Sequence[ToolCall], strategy: Pruning
) -> dict[int, ToolResult]:
    visible = frozenset(part.id for node in episode.context(agent).nodes for part in node.parts)
    results: dict[int, ToolResult] = {}
    for index, call in enumerate(calls):
        if strategy.is_prune(call.name):
            results[index] = strategy.call(call.arguments, agent, visible)
            episode.count("calls.prune_chunks")
            if results[index].error:
                episode.count("wrong_calls")
            visible -= pruned_ids(agent)
    return results


async def _answer(
    episode: Episode,
    agent: Agent,
    call: ToolCall,
    environment: Environment,
    renderer: Renderer,
    strategy: Pruning,
    used: int,
    deadline: float,
) -> ToolResult:
    tools: dict[str, Tool] = {item.spec.name: item for item in environment.tools}
    chosen = tools.get(call.name)
    if chosen is None:
        episode.count("unknown_calls")
        return refusal(f"there is no tool {call.name[:40]}; the tools are {', '.join([*tools, *_names(strategy)])}")
    if used > strategy.budget.hard:
        episode.count("refused_calls")
        return refusal("the window is nearly full: prune chunks or answer")
    episode.count(f"calls.{call.name}")
    context = ToolContext(
        episode=episode,
        agent=agent,
        max_tokens=strategy.budget.allowance(used),
        count=renderer.count,
        deadline=deadline,
    )
    try:
        async with asyncio.timeout(max(0.0, deadline - time.monotonic())):
            result = await chosen(call.arguments, context)
    except TimeoutError as error:
        raise ToolError(f"tool {call.name} did not answer before the episode's deadline") from error
    if result.error:
        episode.count("wrong_calls")
    return result


def _names(strategy: Pruning) -> list[str]:
    return [spec.name for spec in strategy.specs]


def _complain(episode: Episode, malformed: Malformed) -> ToolResult:
    episode.count("malformed_calls")
    return refusal(f"the call could not be read ({malformed.reason})")


def _observe(context: Context, answers: Sequence[ToolResult], renderer: Renderer, strategy: Pruning) -> Context:
    """One observation per answer; the usage line on the last counts itself (tokens of the context once it stands)."""
    closes = is_open(context.last)
    messages = [Message(role="tool", pieces=answer.pieces) for answer in answers]
    used = len(context)
    for _ in range(4):
        last = Message(role="tool", pieces=(*messages[-1].pieces, strategy.usage(used)))
        rendered = renderer.messages([*messages[:-1], last], closes=closes)
        total = len(context) + sum(len(item.tokens) for item in rendered)
        if total == used:
            break
        used = total
    for message, item in zip([*messages[:-1], last], rendered, strict=True):
        context = context.append(Draft(kind=Kind.OBSERVATION, tokens=item.tokens, parts=item.parts, message=message))
    return context


def is_open(last: Node | None) -> bool:
    """True when the last node is an action that no stop token closed: the renderer must close it first."""
    return last is not None and last.sampled is not None and last.sampled.stop is not StopReason.STOP
