"""The opening of an episode: an environment's words, which stand in front of the first action.

Always true: what a user's environment raises here crosses a boundary as a BoundaryError, so that the episode is invalid
and says why, as is one whose words leave no room to act (`run.overlong` looks for those before a run).
"""

from collections.abc import Sequence

import msgspec

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
    ToolSpec,
    TriviumError,
    say,
    without_surrogates,
)
from trivium.policy.rendering import Renderer

from .editing import Pruning
from .harness import Harness


def opening(episode: Episode, environment: Environment, harness: Harness) -> Context:
    """System prompt with the tools, then the task. Raises BoundaryError when they leave no room in the window."""
    renderer, budget = harness.policy.renderer, harness.strategy.budget
    system, task = _read(environment, episode.task, harness.strategy)
    context = episode.context(episode.main)
    for kind, message, rendered in (
        (Kind.SYSTEM, system, renderer.opening([system])),
        (Kind.USER, task, renderer.message(task, closes=False)),
    ):
        context = context.append(Draft(kind=kind, tokens=rendered.tokens, message=message))
    if len(context) + len(renderer.lead()) >= budget.soft:
        raise BoundaryError(
            f"task {episode.task.id}: its opening takes {len(context)} tokens, the soft limit is {budget.soft}; "
            "raise the window or shorten the task"
        )
    return context


class Ruler:
    """Measures openings before any episode: tokens up to the first action, the lead included."""

    def __init__(self, renderer: Renderer, strategy: Pruning) -> None:
        self._renderer, self._strategy = renderer, strategy
        self._system: tuple[Message, int] | None = None

    def length(self, environment: Environment, task: Task) -> int:
        """Of what the environment says, unopened. Raises BoundaryError when it says nothing yet."""
        system, asked = _read(environment, task, self._strategy)
        return self._fixed(system) + len(self._renderer.message(asked, closes=False).tokens)

    def _fixed(self, system: Message) -> int:
        """Tokens of the system message and the lead; tasks in a row mostly share it."""
        if self._system is None or self._system[0] != system:
            self._system = system, len(self._renderer.opening([system]).tokens) + len(self._renderer.lead())
        return self._system[1]


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
            "fix its tools, system and prompt()"
        ) from error
    _require_text(task, system=system, prompt=prompt)
    names = [spec.name for spec in specs]
    if len(set(names)) < len(names):
        raise ConfigError(f"task {task.id} has two tools of one name among {', '.join(names)}; rename one")
    _require_kept(task, specs)
    said = Message(role="system", pieces=(Piece(without_surrogates(system) + strategy.guide),), tools=specs)
    return said, say("user", without_surrogates(prompt))


def _require_kept(task: Task, specs: Sequence[ToolSpec]) -> None:
    try:
        msgspec.msgpack.encode(specs)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise ConfigError(
            f"task {task.id}: its tools cannot be kept ({error}); their specs hold text in UTF-8, and what JSON holds"
        ) from error


def _require_text(task: Task, **texts: object) -> None:
    for name, text in texts.items():
        if not isinstance(text, str):
            raise ConfigError(f"task {task.id}: the {name} of its environment is {text!r:.80}; give a string")
