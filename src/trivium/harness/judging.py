"""The end of an episode: its environment judges it, within a time of its own.

Always true: a user's `score()` runs off the event loop, so it holds up no other episode; whatever goes wrong in it is a
JudgeError, and the episode has no reward.
"""

import asyncio
from collections.abc import Sequence

from trivium.episode import Environment, Episode, JudgeError, Life, Reward, Scored, TriviumError

from .threads import in_thread


async def score(episode: Episode, environment: Environment, seconds: float) -> Episode:
    """Give an ended episode its reward events and its outcome.

    Raises JudgeError when the environment cannot judge, or takes longer than `seconds`.
    """
    if episode.outcome is None:
        rewards = await _judged(episode, environment, seconds)
        episode.rewards.extend(rewards)
        total = next(reward.value for reward in reversed(rewards) if reward.term == "reward")
        episode.outcome = Scored(total, episode.answer)
    episode.life = Life.SCORED
    return episode


async def _judged(episode: Episode, environment: Environment, seconds: float) -> list[Reward]:
    try:
        async with asyncio.timeout(seconds) as clock:
            rewards = list(await _score_of(environment, episode))
        named = [reward.term for reward in rewards]
    except TriviumError:
        raise
    except Exception as error:  # the judge boundary: whatever an environment's own score raises
        told = f"takes longer than {seconds:g} s" if clock.expired() else f"raised {type(error).__name__}: {error}"
        raise JudgeError(f"score() of episode {episode.id} {told}") from error
    if "reward" not in named:
        raise JudgeError(f"episode {episode.id} got the terms {named} and no total; add a term named reward")
    return rewards


async def _score_of(environment: Environment, episode: Episode) -> Sequence[Reward]:
    if getattr(environment, "scores_at_once", False):
        return environment.score(episode)
    return await in_thread(environment.score, episode)
