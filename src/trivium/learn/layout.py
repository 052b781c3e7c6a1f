"""How segments are laid out for the model: side by side (the reference), or as trees that share prefixes.

Always true: both give the same log-probs and the same gradient; only the number of computed tokens differs.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TypeAlias, TypeVar

import torch
from torch import Tensor, nn

from trivium.episode import ConfigError

from .forward import Each, causal_attention, head, hidden_states, kept, recomputed, unsupported
from .micro_batch import MicroBatch
from .segment_batch import SegmentBatch, collate_segments, pack_segments
from .trained_tokens import WeightedSegment
from .tree_attention import tree_attention
from .tree_batch import TreeBatch, collate_trees, in_order, pack_trees

B = TypeVar("B", bound=MicroBatch)


@dataclass(frozen=True)
class Predictions:
    """What a model says at the U places that predict trained tokens: `hidden_UD` before its `head`."""

    hidden_UD: Tensor
    head: Callable[[Tensor], Tensor]

    def logits(self, places: slice = slice(None)) -> Tensor:
        """(U, V), or those of a run of places."""
        return self.head(self.hidden_UD[places])


Predict: TypeAlias = Callable[[Any, B], Predictions]
"""How a model reads a micro-batch."""


class Layout(Protocol[B]):
    """Makes micro-batches, and knows how a model reads them."""

    @property
    def predict(self) -> Predict[B]:
        """What reads a micro-batch of this layout."""
        ...

    def micro_batches(self, segments: Sequence[WeightedSegment]) -> Iterator[B]:
        """The micro-batches of segments (longest first): each segment is in exactly one."""
        ...


@dataclass(frozen=True)
class SegmentLayout:
    """Segments side by side: every shared token is computed as often as it is shared."""

    max_tokens: int
    dtype: torch.dtype
    device: torch.device
    predict: Predict[SegmentBatch]

    def micro_batches(self, segments: Sequence[WeightedSegment]) -> Iterator[SegmentBatch]:
        """See `Layout`."""
        for members in pack_segments(segments, self.max_tokens):
            yield collate_segments(members, dtype=self.dtype, device=self.device)


@dataclass(frozen=True)
class TreeLayout:
    """Segments as trees: shared tokens once."""

    max_tokens: int
    dtype: torch.dtype
    device: torch.device
    predict: Predict[TreeBatch]

    def micro_batches(self, segments: Sequence[WeightedSegment]) -> Iterator[TreeBatch]:
        """See `Layout`."""
        for members in pack_trees(in_order(segments), self.max_tokens):
            yield collate_trees(members, dtype=self.dtype, device=self.device)


def segment_layout(model: nn.Module, max_tokens: int, *, checkpoint_activations: bool = False) -> Layout[SegmentBatch]:
    """The layout that every model reads, in micro-batches of `max_tokens`.

    `checkpoint_activations`: keep those of one layer at a time. Raises ConfigError for a model that goes through its
    own forward.
    """
    reason = unsupported(model)
    if reason and checkpoint_activations:
        raise ConfigError(
            f"activations of this model cannot be checkpointed: {reason}; set learn.checkpoint_activations = false"
        )
    predict = reference_predictions if reason else _layer_by_layer(fast_predictions, checkpoint_activations)
    return SegmentLayout(max_tokens, *_kind(model), predict)


def tree_layout(model: nn.Module, max_tokens: int, *, checkpoint_activations: bool = False) -> Layout[TreeBatch]:
    """The layout that shares prefixes. Raises ConfigError for a model whose attention this does not know."""
    reason = unsupported(model)
    if reason:
        raise ConfigError(f'this model cannot be trained by trees: {reason}; set learn.layout = "segments"')
    return TreeLayout(max_tokens, *_kind(model), _layer_by_layer(tree_predictions, checkpoint_activations))


def fast_predictions(model: Any, micro_batch: SegmentBatch, each: Each = kept) -> Predictions:
    """By our forward; the last layer and the head are applied at trained positions only."""
    places = micro_batch.trained.row_N, micro_batch.trained.column_N - 1
    position_T = torch.arange(micro_batch.tokens_BT.shape[1], device=micro_batch.tokens_BT.device)
    hidden_UD = hidden_states(model, micro_batch.tokens_BT, position_T, causal_attention, places, each)
    return Predictions(hidden_UD, partial(head, model))


def reference_predictions(model: Any, micro_batch: SegmentBatch) -> Predictions:
    """By the model's own forward, head included, over every position: exact for any causal model, and slower."""
    logits_BTV = model(input_ids=micro_batch.tokens_BT, use_cache=False).logits
    return Predictions(logits_BTV[micro_batch.trained.row_N, micro_batch.trained.column_N - 1], lambda logits: logits)


def tree_predictions(model: Any, micro_batch: TreeBatch, each: Each = kept) -> Predictions:
    """By our forward over trees."""
    attend = tree_attention(micro_batch.edges, micro_batch.tokens_S.device)
    hidden_UD = hidden_states(model, micro_batch.tokens_S, micro_batch.position_S, attend, micro_batch.place_U, each)
    return Predictions(hidden_UD, partial(head, model))


def _layer_by_layer(predict: Callable[..., Predictions], checkpoint_activations: bool) -> Callable[..., Predictions]:
    return partial(predict, each=recomputed) if checkpoint_activations else predict


def _kind(model: nn.Module) -> tuple[torch.dtype, torch.device]:
    weight = next(model.parameters())
    return torch.promote_types(weight.dtype, torch.float32), weight.device
