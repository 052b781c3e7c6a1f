"""An environment that its factory failed to make: the episode that enters it is invalid, and says why."""

from collections.abc import Callable, Sequence
from typing import NoReturn

from trivium.envs import Plain
from trivium.episode import BoundaryError, ConfigError, Environment, Episode, Reward, Task, Tool, TriviumError


class InvalidEnvironment(Plain):
    """Raises `error` when it is entered."""

    system = ""
    tools: Sequence[Tool] = ()

    def __init__(self, error: BoundaryError) -> None:
        self.error = error

    async def __aenter__(self) -> NoReturn:
        raise self.error

    def prompt(self) -> str:
        """Nothing: it is never entered."""
        return ""

    def score(self, episode: Episode) -> Sequence[Reward]:
        """Nothing: it is never entered."""
        return ()


def open_or_invalid(factory: Callable[[Task], Environment], task: Task) -> Environment:
    """The environment of a task, or one that is `InvalidEnvironment` when the factory raises.

    Raises ConfigError, naming the task, when the factory gives something else.
    """
    try:
        environment = factory(task)
    except BoundaryError as error:
        return InvalidEnvironment(error)
    except TriviumError:
        raise
    except Exception as error:  # noqa: BLE001  the boundary: whatever a user's factory raises
        return InvalidEnvironment(_failure(task, error))
    if not hasattr(type(environment), "__aenter__"):
        raise ConfigError(
            f"the environment of task {task.id} is {environment!r:.80}; let its factory return an Environment, "
            "such as tv.ToolEnvironment(task, ...)"
        )
    return environment


def _failure(task: Task, error: Exception) -> BoundaryError:
    failure = BoundaryError(
        f"the environment of task {task.id} could not be made ({type(error).__name__}: {error}); fix its factory"
    )
    failure.__cause__ = error
    return failure
