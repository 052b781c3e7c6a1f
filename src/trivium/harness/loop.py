"""The loop: an agent acts, its tools answer, until it concludes or its budget is spent.

Always true: one `step` is one turn; all that the next turn needs is in the episode; nothing the agent does raises (its
mistakes are observations and counters), and a `BoundaryError` leaves the episode invalid, never scored.
"""

import time

from trivium.episode import (
    BoundaryError,
    Environment,
    Episode,
    Invalid,
    JudgeError,
    Life,
    Reward,
    Scored,
    TriviumError,
)

from .acting import PARTIAL, act
from .calls import Turn, answer_calls
from .harness import Harness
from .opening import opened, opening


async def run(episode: Episode, environment: Environment, harness: Harness) -> Episode:
    """Live `episode` to its outcome inside `environment` (opened and closed here); one that was paused goes on."""
    deadline = time.monotonic() + harness.strategy.budget.seconds
    try:
        async with opened(environment, episode.task):
            while episode.life in (Life.QUEUED, Life.RUNNING, Life.PAUSED):
                episode = await step(episode, environment, harness, deadline)
            return score(episode, environment)
    except BoundaryError as error:
        episode.outcome = Invalid(error.boundary, str(error))
        episode.life = Life.SCORED
        return episode


def score(episode: Episode, environment: Environment) -> Episode:
    """Give an ended episode its reward events and its outcome. Raises JudgeError when the environment cannot judge."""
    if episode.outcome is None:
        rewards = _judged(episode, environment)
        episode.rewards.extend(rewards)
        total = next(reward.value for reward in reversed(rewards) if reward.term == "reward")
        episode.outcome = Scored(total, episode.answer)
    episode.life = Life.SCORED
    return episode


def _judged(episode: Episode, environment: Environment) -> list[Reward]:
    try:
        rewards = list(environment.score(episode))
    except TriviumError:
        raise
    except Exception as error:  # the judge boundary: whatever an environment's own score raises
        raise JudgeError(f"score() of episode {episode.id} raised {type(error).__name__}: {error}") from error
    if not any(reward.term == "reward" for reward in rewards):
        named = ", ".join(reward.term for reward in rewards)
        raise JudgeError(f"episode {episode.id} got the terms [{named}] and no total; add a term named reward")
    return rewards


async def step(episode: Episode, environment: Environment, harness: Harness, deadline: float) -> Episode:
    """One turn of the main agent; an episode whose budget is spent ends instead."""
    agent, budget, renderer = episode.main, harness.strategy.budget, harness.policy.renderer
    if agent.tip is None:
        agent.tip = opening(episode, environment, harness).tip
    episode.life = Life.RUNNING
    if agent.turns >= budget.turns:
        return _end(episode, "turns_spent")
    if len(episode.context(agent)) + len(renderer.lead()) >= budget.window:
        return _end(episode, "window_spent")
    context, action = await act(episode, agent, harness, deadline)
    assert action.sampled is not None
    if action.sampled.stop in PARTIAL:
        episode.outcome = Invalid("engine", f"turn {agent.turns} was cut before its end: {action.sampled.stop}")
        return _end(episode, str(action.sampled.stop))
    agent.turns += 1
    agent.tip = context.tip
    parsed = renderer.parse(action.tokens[action.lead :])
    harness.strategy.note_turn(agent, parsed.calls)
    if not parsed.calls and not parsed.malformed:
        episode.answer = parsed.text
        return _end(episode, "concluded")
    tools = {item.spec.name: item for item in environment.tools}
    await answer_calls(Turn(episode, agent, tools, renderer, harness.strategy, deadline), parsed)
    return episode


def _end(episode: Episode, how: str) -> Episode:
    episode.count(how)
    episode.life = Life.ENDED
    return episode
