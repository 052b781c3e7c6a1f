"""Drawing again: what infrastructure failed is lived anew, a bounded number of times.

Always true: of the attempts at one episode only the last one counts, and all before it are invalid.
"""

from collections.abc import Awaitable, Callable

from trivium.episode import Episode, Invalid


async def redrawn(live: Callable[[int], Awaitable[Episode]], redraws: int) -> Episode:
    """The first valid episode of attempts 0, 1, ... `redraws`; where none is valid, the last one."""
    attempt, episode = 0, await live(0)
    while isinstance(episode.outcome, Invalid) and attempt < redraws:
        attempt += 1
        episode = await live(attempt)
    return episode


def reason_of(outcome: Invalid) -> str:
    """Why an episode is invalid, in a line."""
    return f"{outcome.boundary}: {outcome.reason}"
