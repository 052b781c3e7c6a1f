"""The opening of an episode: an environment is entered and read, and its words stand in front of the first action.

Always true: what a user's environment raises here crosses a boundary as a BoundaryError, so that the episode is invalid
and says why; an opening that leaves no room to act is a mistake of the recipe.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

from trivium.episode import (
    BoundaryError,
    ConfigError,
    Context,
    Draft,
    Environment,
    Episode,
    Kind,
    Message,
    Piece,
    Task,
    TriviumError,
    say,
)
from trivium.policy.rendering import Renderer

from .editing import Pruning
from .harness import Harness


@asynccontextmanager
async def opened(environment: Environment, task: Task) -> AsyncIterator[None]:
    """``async with environment``; raises BoundaryError when it cannot be entered."""
    async with AsyncExitStack() as stack:
        try:
            await stack.enter_async_context(environment)
        except TriviumError:
            raise
        except Exception as error:  # the world's boundary: whatever a user's __aenter__ raises
            raise BoundaryError(
                f"the environment of task {task.id} cannot be opened ({type(error).__name__}: {error}); "
                "mend its __aenter__"
            ) from error
        yield


def opening(episode: Episode, environment: Environment, harness: Harness) -> Context:
    """System prompt with the tools, then the task. Raises ConfigError when they leave no room in the window."""
    renderer, budget = harness.policy.renderer, harness.strategy.budget
    system, task = _read(environment, episode.task, harness.strategy)
    context = episode.context(episode.main)
    for kind, message, rendered in (
        (Kind.SYSTEM, system, renderer.opening([system])),
        (Kind.USER, task, renderer.message(task, closes=False)),
    ):
        context = context.append(Draft(kind=kind, tokens=rendered.tokens, message=message))
    if len(context) + len(renderer.lead()) >= budget.soft:
        raise ConfigError(
            f"task {episode.task.id}: its opening takes {len(context)} tokens, the soft limit is {budget.soft}; "
            "raise the window or shorten the task"
        )
    return context


def opening_lengths(
    environment: Environment, tasks: Sequence[Task], renderer: Renderer, strategy: Pruning
) -> list[int]:
    """Tokens of the opening of each task, and the lead after it, where only the prompt differs from `environment`'s."""
    system, _ = _read(environment, tasks[0], strategy)
    fixed = len(renderer.opening([system]).tokens) + len(renderer.lead())
    return [fixed + len(renderer.message(say("user", task.prompt), closes=False).tokens) for task in tasks]


def _read(environment: Environment, task: Task, strategy: Pruning) -> tuple[Message, Message]:
    """The system message with the tools, and the task's. Raises BoundaryError for what the environment raises."""
    try:
        tools, system, prompt = environment.tools, environment.system, environment.prompt()
        specs = (*(item.spec for item in tools), *strategy.specs)
    except TriviumError:
        raise
    except Exception as error:  # the world's boundary: whatever a user's tools, system and prompt() raise
        raise BoundaryError(
            f"the environment of task {task.id} does not say what is asked ({type(error).__name__}: {error}); "
            "mend its tools, system and prompt()"
        ) from error
    _require_text(task, system=system, prompt=prompt)
    names = [spec.name for spec in specs]
    if len(set(names)) < len(names):
        raise ConfigError(f"task {task.id} has two tools of one name among {', '.join(names)}; rename one")
    return Message(role="system", pieces=(Piece(system),), tools=specs), say("user", prompt)


def _require_text(task: Task, **texts: object) -> None:
    for name, text in texts.items():
        if not isinstance(text, str):
            raise ConfigError(f"task {task.id}: the {name} of its environment is {text!r:.80}; give a string")
