"""The loop: an agent acts, its tools answer, until it concludes or its budget is spent.

Always true: one `step` is one turn; all that the next turn needs is in the episode; nothing the agent does raises (its
mistakes are observations and counters), and a `BoundaryError` leaves the episode invalid, never scored.
"""

import time

from trivium.episode import BoundaryError, Environment, Episode, Invalid, Life, StopReason, without_surrogates

from .acting import PARTIAL, act
from .calls import Turn, answer_calls
from .entering import opened
from .harness import Harness
from .judging import score
from .observing import shown_tools, spoken
from .opening import opening


async def run_episode(episode: Episode, environment: Environment, harness: Harness) -> Episode:
    """Live `episode` to its outcome inside `environment` (opened and closed here); one that was paused goes on."""
    budget = harness.strategy.budget
    deadline = time.monotonic() + budget.seconds
    try:
        async with opened(environment, episode, deadline):
            while episode.life in (Life.QUEUED, Life.RUNNING, Life.PAUSED):
                episode = await step(episode, environment, harness, deadline)
            return await score(episode, environment, budget.judge_seconds)
    except BoundaryError as error:
        episode.outcome = Invalid(error.boundary, without_surrogates(str(error)))
        episode.life = Life.SCORED
        return episode


async def step(episode: Episode, environment: Environment, harness: Harness, deadline: float) -> Episode:
    """One turn of the main agent; an episode whose budget is spent ends instead."""
    agent, renderer = episode.main, harness.policy.renderer
    if agent.tip is None:
        agent.tip = opening(episode, environment, harness).tip
    episode.life = Life.RUNNING
    if (spent := _spent(episode, harness, deadline)) is not None:
        return _end(episode, spent)
    context, action = await act(episode, agent, harness, deadline)
    assert action.sampled is not None
    late = action.sampled.stop is StopReason.DEADLINE and time.monotonic() >= deadline
    if action.sampled.stop in PARTIAL and not late:
        episode.outcome = Invalid("engine", f"turn {agent.turns} was cut before its end: {action.sampled.stop}")
        return _end(episode, str(action.sampled.stop))
    agent.turns += 1
    agent.tip = context.tip
    parsed = renderer.parse(spoken(action), tools=shown_tools(context.nodes))
    harness.strategy.note_turn(agent, parsed.calls)
    is_answer = not parsed.calls and not parsed.malformed
    if is_answer:
        episode.answer = parsed.text
    if is_answer or late:
        return _end(episode, "seconds_spent" if late else "concluded")
    tools = {item.spec.name: item for item in environment.tools}
    await answer_calls(Turn(episode, agent, tools, renderer, harness.strategy, deadline), parsed)
    return episode


def _spent(episode: Episode, harness: Harness, deadline: float) -> str | None:
    """What the main agent has used up before this turn."""
    budget, lead = harness.strategy.budget, harness.policy.renderer.lead()
    if episode.main.turns >= budget.turns:
        return "turns_spent"
    if len(episode.context(episode.main)) + len(lead) >= budget.window:
        return "window_spent"
    return "seconds_spent" if time.monotonic() >= deadline else None


def _end(episode: Episode, how: str) -> Episode:
    episode.count(how)
    episode.life = Life.ENDED
    return episode
