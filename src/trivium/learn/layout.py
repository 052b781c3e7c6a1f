"""How rows are laid out for the model: in rectangles (the reference), or in forests that share beginnings.

Always true: both give the same log-probs and the same gradient; only the number of computed tokens differs.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import torch
from torch import Tensor, nn

from trivium.episode import ConfigError

from .forest import Forest, cut_forests, in_order, plant
from .forward import Each, head, hidden_states, kept, recomputed, unsupported
from .micro import Micro, collate, pack
from .piece import Row
from .tree_forward import tree_hidden_states

Logits: TypeAlias = Callable[..., Tensor]


@dataclass(frozen=True)
class Layout:
    """`pieces` of rows (longest first), and the `logits` (U, V) of one of them."""

    pieces: Callable[[Sequence[Row]], Iterator[Any]]
    logits: Logits


def rectangles(model: nn.Module, max_tokens: int, *, checkpoint_activations: bool = False) -> Layout:
    """Rows side by side: every model, and every shared token as often as it is shared.

    `checkpoint_activations`: keep those of one layer at a time. Raises ConfigError for a model that goes through its
    own forward.
    """
    dtype, device = _kind(model)
    reason = unsupported(model)
    if reason and checkpoint_activations:
        raise ConfigError(
            f"activations of this model cannot be checkpointed: {reason}; set learn.checkpoint_activations = false"
        )

    def pieces(rows: Sequence[Row]) -> Iterator[Micro]:
        return (collate(some, dtype=dtype, device=device) for some in pack(rows, max_tokens))

    return Layout(pieces, module_logits if reason else _reading(own_logits, checkpoint_activations))


def forests(model: nn.Module, max_tokens: int, *, checkpoint_activations: bool = False) -> Layout:
    """Rows grown together: shared tokens once. Raises ConfigError for a model whose attention this does not know."""
    reason = unsupported(model)
    if reason:
        raise ConfigError(f'this model cannot be trained by trees: {reason}; set learn.layout = "segments"')
    dtype, device = _kind(model)

    def pieces(rows: Sequence[Row]) -> Iterator[Forest]:
        return (plant(some, dtype=dtype, device=device) for some in cut_forests(in_order(rows), max_tokens))

    return Layout(pieces, _reading(tree_logits, checkpoint_activations))


def own_logits(model: Any, micro: Micro, each: Each = kept) -> Tensor:
    """Logits (N, V) by our forward; the head is applied at trained positions only."""
    return head(model, hidden_states(model, micro.tokens_BT, micro.row_N, micro.column_N - 1, each))


def module_logits(model: Any, micro: Micro) -> Tensor:
    """Logits (N, V) by the model's own forward over every position: exact for any causal model, and slower."""
    logits_BTV = model(input_ids=micro.tokens_BT, use_cache=False).logits
    picked: Tensor = logits_BTV[micro.row_N, micro.column_N - 1]
    return picked


def tree_logits(model: Any, forest: Forest, each: Each = kept) -> Tensor:
    """Logits (U, V) at the places that predict trained tokens."""
    return head(model, tree_hidden_states(model, forest, each))


def _reading(logits: Logits, checkpoint_activations: bool) -> Logits:
    return partial(logits, each=recomputed) if checkpoint_activations else logits


def _kind(model: nn.Module) -> tuple[torch.dtype, torch.device]:
    weight = next(model.parameters())
    return torch.promote_types(weight.dtype, torch.float32), weight.device
