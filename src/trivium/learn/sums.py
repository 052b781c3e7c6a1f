"""What is added up over the micro-batches of one part of a batch, and told as a sub-step."""

from dataclasses import dataclass, field

import torch
from torch import Tensor

from .logprobs import Read
from .micro_batch import MicroBatch
from .objective import Terms
from .report import SubstepReport, joined


@dataclass
class Sums:
    """Sums over trained tokens; `truncated` and `kl` stay None where the objective has no such term."""

    loss: float = 0.0
    clipped: int = 0
    entropy: float = 0.0
    tokens: int = 0
    read: int = 0
    truncated: int | None = None
    kl: float | None = None
    log_ratios: list[Tensor] = field(default_factory=list)

    @torch.no_grad()
    def add(self, micro_batch: MicroBatch, said: Read, terms: Terms, loss: float, *, measures: bool) -> None:
        """Take in a micro-batch; `measures`: its tokens have behaviour log-probs to be compared with."""
        self.loss += loss
        self.clipped += int(terms.clipped_N.sum())
        self.entropy += float(said.entropy_N.sum())
        self.tokens += len(micro_batch.trained)
        self.read += micro_batch.computed
        if terms.truncated_N is not None:
            self.truncated = (self.truncated or 0) + int(terms.truncated_N.sum())
        if terms.kl_N is not None:
            self.kl = (self.kl or 0.0) + float(terms.kl_N.sum())
        if measures:
            self.log_ratios.append((said.logp_N.detach() - micro_batch.trained.behaviour_N).cpu())

    def report(self, grad_norm: float, lr: float) -> SubstepReport:
        """The sub-step that these sums and this update were."""
        return SubstepReport(
            loss=self.loss,
            grad_norm=grad_norm,
            lr=lr,
            tokens=self.tokens,
            clipped=self.clipped / self.tokens,
            entropy=self.entropy / self.tokens,
            parity=joined(self.log_ratios),
            truncated=None if self.truncated is None else self.truncated / self.tokens,
            kl=None if self.kl is None else self.kl / self.tokens,
        )
