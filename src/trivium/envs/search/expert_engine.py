"""An engine whose answers are an expert's: so experts live in the same harness, budget and tree as a model.

Its log-probs are 0 and its weights id is ``expert``: supervised learning may train on its actions, RL refuses them
(they carry another policy's name).
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from trivium.episode import EngineError, Episode, Message, Piece, StopReason, ToolCall, Versions
from trivium.policy import Generation, Sampling, Weights
from trivium.policy.rendering import Renderer

from .expert import Expert, citation

WEIGHTS = Weights("expert")


class ExpertEngine:
    """Answers each session by the expert that attends it."""

    def __init__(self, renderer: Renderer) -> None:
        self.renderer = renderer
        self._attended: dict[str, tuple[Episode, Expert]] = {}

    @property
    def weights(self) -> Weights:
        """Always ``expert``."""
        return WEIGHTS

    def attend(self, episode: Episode, expert: Expert) -> None:
        """Let `expert` decide `episode`."""
        self._attended[episode.id] = (episode, expert)

    async def generate(
        self,
        tokens: Sequence[int],
        sampling: Sampling,
        *,
        deadline: float | None = None,
        priority: int = 0,
        cancel: asyncio.Event | None = None,
        session: str | None = None,
    ) -> Generation:
        """The expert's next action, as the tokens a model would sample to say it."""
        found = self._attended.get((session or "").partition("/")[0])
        if found is None:
            raise EngineError(f"no expert attends session {session}; call attend(episode, expert) first")
        episode, expert = found
        decided = expert.act(episode, episode.main)
        said = self._say(_message(decided, self.renderer.parallel))[: sampling.max_tokens]
        stop = StopReason.STOP if said[-1] in sampling.stop_ids else StopReason.LENGTH
        return Generation(said, (0.0,) * len(said), Versions((WEIGHTS.id,), (len(said),)), stop)

    def _say(self, message: Message) -> tuple[int, ...]:
        """The tokens that a model would sample after the generation header to say `message`."""
        whole, lead = self.renderer.message(message, closes=False).tokens, self.renderer.lead()
        assert whole[: len(lead)] == lead
        return whole[len(lead) :]

    def load(self, weights: Weights, state: Mapping[str, Any]) -> None:
        """An expert learns nothing. Raises EngineError."""
        raise EngineError(f"an expert has no weights to replace with {weights.id}; train a policy instead")

    async def close(self) -> None:
        """Forget every session."""
        self._attended.clear()


def _message(decided: Sequence[ToolCall] | Sequence[str], parallel: bool) -> Message:
    """What was decided; where a message holds one call, the first: the expert decides again after its answer."""
    calls = tuple(item for item in decided if isinstance(item, ToolCall))
    if calls:
        return Message(role="assistant", calls=calls if parallel else calls[:1])
    return Message(role="assistant", pieces=(Piece(citation([str(item) for item in decided])),))
