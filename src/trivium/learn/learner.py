"""The learner: a batch becomes at most `substeps` optimiser steps, by segments (the reference) or by trees.

    gradient of a part = d/d theta  sum_{t in part} loss_t / denominator_part

Always true: each episode is in exactly one part; the gradient does not depend on how a part is cut into micro-batches;
dropout is off, so that at equal weights the ratio is 1; nothing is stepped on a loss or gradient that is not finite.
"""

import time
from dataclasses import dataclass, field
from typing import Literal

import torch
from torch import Tensor, nn

from trivium.episode import ConfigError

from .batch import Batch
from .errors import NonFiniteError
from .layout import Layout, forests, rectangles
from .logprobs import Read, read
from .losses import Cispo, Loss, TokenLoss
from .optimiser import AdamW, gradient_norm
from .piece import Piece, rows_of
from .report import StepReport, SubstepReport, joined


@dataclass
class Sums:
    """What is added up over the micro-batches of one part."""

    loss: float = 0.0
    clipped: int = 0
    entropy: float = 0.0
    tokens: int = 0
    read: int = 0
    log_ratios: list[Tensor] = field(default_factory=list)


class Learner:
    """Trains `model` in place. `batches` counts batches, `updates` optimiser steps."""

    def __init__(
        self,
        model: nn.Module,
        optimiser: AdamW,
        loss: Loss | None = None,
        *,
        substeps: int = 4,
        micro_tokens: int = 4096,
        layout: Literal["segments", "trees"] = "segments",
    ) -> None:
        if substeps < 1 or micro_tokens < 1:
            raise ConfigError(f"substeps ({substeps}) and micro_tokens ({micro_tokens}) must be at least 1")
        self.model = model.eval()
        self.config = optimiser
        self.loss: Loss = Cispo() if loss is None else loss
        self.substeps = substeps
        self.layout: Layout = (forests if layout == "trees" else rectangles)(model, micro_tokens)
        self.optimiser = optimiser.build(model)
        self.batches = 0
        self.updates = 0

    def step(self, batch: Batch) -> StepReport:
        """Train on a batch once. A batch without a trained token changes nothing and reports no sub-step."""
        started = time.perf_counter()
        sums, reports = [], []
        for part in batch.parts(self.substeps):
            self.optimiser.zero_grad(set_to_none=True)
            total = self.accumulate(part)
            reports.append(self._update(total))
            sums.append(total)
        self.optimiser.zero_grad(set_to_none=True)
        self.batches += 1
        return StepReport(
            step=self.batches,
            substeps=tuple(reports),
            tokens_trained=sum(s.tokens for s in sums),
            tokens_read=sum(s.read for s in sums),
            seconds=time.perf_counter() - started,
            parity=joined([piece for s in sums for piece in s.log_ratios]),
            counts=batch.counts,
        )

    def accumulate(self, part: Batch) -> Sums:
        """Add the gradient of sum(loss_t) / denominator to `.grad`, micro-batch by micro-batch."""
        sums = Sums()
        for piece in self.layout.pieces(rows_of(part.shares)):
            said = read(self.model, piece, self.layout.logits)
            losses = self.loss(said.logp_N, piece.behaviour_N, piece.advantage_N)
            _require_finite(losses.loss_N, piece)
            loss = losses.loss_N.sum() / part.denominator
            loss.backward()  # type: ignore[no-untyped-call]
            self._add(sums, piece, said, losses, float(loss.detach()))
        return sums

    @torch.no_grad()
    def _add(self, sums: Sums, piece: Piece, said: Read, losses: TokenLoss, loss: float) -> None:
        sums.loss += loss
        sums.clipped += int(losses.clipped_N.sum())
        sums.entropy += float(said.entropy_N.sum())
        sums.tokens += len(piece.target_N)
        sums.read += piece.computed
        if self.loss.reads_behaviour:
            sums.log_ratios.append((said.logp_N.detach() - piece.behaviour_N).cpu())

    def _update(self, sums: Sums) -> SubstepReport:
        norm = gradient_norm(self.model)
        if not torch.isfinite(norm):
            raise NonFiniteError(f"the gradient of update {self.updates} is not finite: {_culprit(self.model)}")
        parameters = [p for p in self.model.parameters() if p.grad is not None]
        torch.nn.utils.clip_grads_with_norm_(parameters, self.config.clip, norm)
        rate = self.config.rate(self.updates)
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        self.optimiser.step()
        self.updates += 1
        return SubstepReport(
            loss=sums.loss,
            grad_norm=float(norm),
            lr=rate,
            tokens=sums.tokens,
            clipped=sums.clipped / sums.tokens,
            entropy=sums.entropy / sums.tokens,
            parity=joined(sums.log_ratios),
        )


def _require_finite(loss_N: Tensor, piece: Piece) -> None:
    loss_N = loss_N.detach()
    bad = (~torch.isfinite(loss_N)).nonzero()
    if len(bad):
        index = int(bad[0])
        raise NonFiniteError(
            f"the loss of {piece.where(index)} is {float(loss_N[index])} (behaviour log-prob "
            f"{float(piece.behaviour_N[index])}, advantage {float(piece.advantage_N[index])}); look at the weights and "
            "the learning rate, then resume from the last checkpoint"
        )


def _culprit(model: nn.Module) -> str:
    for name, parameter in model.named_parameters():
        if parameter.grad is not None and not torch.isfinite(parameter.grad).all():
            return f"parameter {name}; lower the learning rate and resume from the last checkpoint"
    return "its norm overflows; lower the learning rate and resume from the last checkpoint"
