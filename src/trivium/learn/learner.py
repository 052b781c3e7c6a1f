"""The learner: a batch becomes at most `substeps` optimiser steps, by segments (the reference) or by trees.

    gradient of a part = d/d theta  sum_{t in part} loss_t / denominator_part        loss_t: objective.py

Always true: each episode is in exactly one part; the gradient does not depend on how a part is cut into micro-batches;
dropout is off, so that at equal weights the ratio is 1; nothing is stepped on a loss or gradient that is not finite.
"""

import time
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Literal

import torch
from torch import Tensor, nn

from trivium.episode import ConfigError
from trivium.policy.lora import weights_id

from .baselines import Baseline, OverGroup
from .batch import Batch
from .compute import Compute, frozen
from .errors import NonFiniteError
from .finite import culprit, require_finite
from .layout import Layout, segment_layout, tree_layout
from .logprobs import read
from .losses import Kl, Loss, Truncated
from .micro_batch import MicroBatch
from .objective import Objective
from .optimiser import AdamWSettings, gradient_norm
from .report import StepReport, SubstepReport, joined
from .sums import Sums
from .trained_tokens import weighted_segments


class Learner:
    """Trains `model` in place. `batches` counts batches, `updates` optimiser steps.

    `kl` compares with the weights that `model` has now. `dtype` is that of the layers; the model keeps its own.
    `baseline` is kept here because what it remembers belongs to the checkpoint.
    """

    def __init__(
        self,
        model: nn.Module,
        optimiser: AdamWSettings,
        loss: Loss,
        *,
        substeps: int,
        micro_tokens: int,
        truncated: Truncated | None = None,
        kl: Kl | None = None,
        baseline: Baseline | None = None,
        layout: Literal["segments", "trees"] = "segments",
        dtype: torch.dtype | None = None,
        checkpoint_activations: bool = False,
    ) -> None:
        if substeps < 1 or micro_tokens < 1:
            raise ConfigError(f"substeps ({substeps}) and micro_tokens ({micro_tokens}) must be at least 1")
        self.model = model.eval()
        self.config = optimiser
        self.objective = Objective(loss, truncated, kl)
        self.baseline: Baseline = baseline or OverGroup()
        self.substeps = substeps
        self.compute = Compute(model, dtype)
        self.reference = frozen(self.compute.model) if self.objective.reads_reference else None
        make_layout = tree_layout if layout == "trees" else segment_layout
        self.layout: Layout[Any] = make_layout(
            self.compute.model, micro_tokens, checkpoint_activations=checkpoint_activations
        )
        self.optimiser = optimiser.build(model)
        self.batches = 0
        self.updates = 0

    @cached_property
    def reference_id(self) -> str:
        """The id of the reference's weights; empty where there is none."""
        return "" if self.reference is None else weights_id(self.reference)

    def step(self, batch: Batch) -> StepReport:
        """Train on a batch once. A batch without a trained token changes nothing and reports no sub-step."""
        started = time.perf_counter()
        sums, reports = [], []
        parts = batch.parts(self.substeps)
        anchors = [None, *(self._anchor(part) for part in parts[1:])]
        for part, anchor in zip(parts, anchors, strict=False):
            self.optimiser.zero_grad(set_to_none=True)
            total = self.accumulate(part, anchor)
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
            parity=joined([log_ratio_N for s in sums for log_ratio_N in s.log_ratios]),
            counts=batch.counts,
        )

    def accumulate(self, part: Batch, anchor: Sequence[Tensor] | None = None) -> Sums:
        """Add the gradient of sum(loss_t) / denominator to `.grad`, micro-batch by micro-batch.

        `anchor`: the log-probs of every micro-batch before the first update; None where there was none yet.
        """
        sums = Sums()
        self.compute.refresh()
        for index, micro_batch in enumerate(self.layout.micro_batches(weighted_segments(part.shares))):
            said = read(self.compute.model, micro_batch, self.layout.predict)
            anchor_N = None if anchor is None else anchor[index]
            terms = self.objective(
                said.logp_N, micro_batch.trained, anchor_N=anchor_N, reference_N=self._reference_logp(micro_batch)
            )
            require_finite(terms.loss_N, micro_batch.trained)
            loss = terms.loss_N.sum() / part.denominator
            loss.backward()  # type: ignore[no-untyped-call]
            self.compute.collect()
            sums.add(micro_batch, said, terms, float(loss.detach()), measures=self.objective.loss.reads_behaviour)
        return sums

    @torch.no_grad()
    def _reference_logp(self, micro_batch: MicroBatch) -> Tensor | None:
        """The log-probs of the reference, when the objective compares with it."""
        return None if self.reference is None else read(self.reference, micro_batch, self.layout.predict).logp_N

    @torch.no_grad()
    def _anchor(self, part: Batch) -> list[Tensor] | None:
        """The log-probs of a part at the weights of now, when the objective compares with them later."""
        if self.objective.truncated is None:
            return None
        self.compute.refresh()
        micro_batches = self.layout.micro_batches(weighted_segments(part.shares))
        return [read(self.compute.model, micro_batch, self.layout.predict).logp_N for micro_batch in micro_batches]

    def _update(self, sums: Sums) -> SubstepReport:
        norm = gradient_norm(self.model)
        if not torch.isfinite(norm):
            raise NonFiniteError(f"the gradient of update {self.updates} is not finite: {culprit(self.model)}")
        parameters = [p for p in self.model.parameters() if p.grad is not None]
        torch.nn.utils.clip_grads_with_norm_(parameters, self.config.clip_norm, norm)
        rate = self.config.rate(self.updates)
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        self.optimiser.step()
        self.updates += 1
        return sums.report(float(norm), rate)
