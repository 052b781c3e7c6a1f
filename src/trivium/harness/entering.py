"""Entering and leaving an environment, each within a deadline.

Always true: a user's `__aenter__` and `__aexit__` hold an episode up no longer than that; what the first raises is a
BoundaryError, and what the second does changes no outcome.
"""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from trivium.episode import BoundaryError, Environment, Episode, TriviumError

from .deadlines import CLOSE_S, until


@asynccontextmanager
async def opened(environment: Environment, episode: Episode, deadline: float) -> AsyncIterator[None]:
    """``async with environment``, entered before the deadline and left within `CLOSE_S`.

    Raises BoundaryError when it cannot be entered. One that cannot be left is counted (``unclosed``) and changes
    nothing else: the outcome stands, and so does an error on its way.
    """
    await _enter(environment, episode, deadline)
    try:
        yield
    finally:
        await _leave(environment, episode)


async def _enter(environment: Environment, episode: Episode, deadline: float) -> None:
    try:
        async with until(deadline) as clock:
            await environment.__aenter__()
    except TriviumError:
        raise
    except Exception as error:  # the world's boundary: whatever a user's __aenter__ raises
        told = "it takes longer than budget.seconds" if clock.expired() else f"{type(error).__name__}: {error}"
        raise BoundaryError(
            f"the environment of task {episode.task.id} cannot be opened ({told}); fix its __aenter__"
        ) from error


async def _leave(environment: Environment, episode: Episode) -> None:
    try:
        async with asyncio.timeout(CLOSE_S):
            await environment.__aexit__(*sys.exc_info())
    except Exception:  # noqa: BLE001  the world's boundary: whatever a user's __aexit__ raises
        episode.count("unclosed")
