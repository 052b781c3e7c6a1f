"""Learning: from scored episodes to better weights. Exact to the token; parity with the engine in every report.

    episodes ── cut ──> Segment (one row)          segments.py    which tokens, in which row; digest.py names them
        │                  │
        └─ Baseline ────> Share ──> Batch          baselines.py, running_mean.py, batch.py   denominator fixed here
                                      │
                  parts (sub-steps) ── MicroBatch  layout.py: SegmentBatch (side by side), or TreeBatch, in which
                                      │            shared prefixes are computed once (tree_attention.py)
        model ── read ──> logp_N ── Loss           forward.py, kernels.py, logprobs.py, losses/ (one a file); in fp32 or
                                      │            from a bf16 copy (compute.py); with KL and TIS: objective.py
             AdamWSettings ── Learner ──> StepReport       optimiser.py, learner.py, sums.py, report.py (Parity)
                         └── checkpoint.write, checkpoint.load    checkpoint.py, state.py

    supervised: demonstrations(episodes) ──> Batch, with the loss Likelihood         sft.py
                recall_filter(traces) ──> Selection: which traces to learn from      recall_filter.py

Always true: a token of the learner's policy is trained once if its group is in the batch, else not at all.
"""

from . import checkpoint
from .baselines import Advantages, Baseline, OverGroup, advantages, group_mean, leave_one_out, rewards_by_group
from .batch import Batch, Denominator, Share, make_batch
from .digest import digest
from .errors import NonFiniteError
from .forward import unsupported
from .layout import Layout, segment_layout, tree_layout
from .learner import Learner
from .logprobs import parity
from .losses import K25, Cispo, Kl, Likelihood, Loss, Ppo, Reinforce, TokenLoss, Truncated
from .objective import Objective
from .optimiser import AdamWSettings
from .recall_filter import Selection, Trace, recall_filter
from .report import Parity, StepReport, SubstepReport
from .running_mean import RunningMean
from .segments import Cut, Segment, Span, cut
from .sft import demonstrations

__all__ = [
    "K25",
    "AdamWSettings",
    "Advantages",
    "Baseline",
    "Batch",
    "Cispo",
    "Cut",
    "Denominator",
    "Kl",
    "Layout",
    "Learner",
    "Likelihood",
    "Loss",
    "NonFiniteError",
    "Objective",
    "OverGroup",
    "Parity",
    "Ppo",
    "Reinforce",
    "RunningMean",
    "Segment",
    "Selection",
    "Share",
    "Span",
    "StepReport",
    "SubstepReport",
    "TokenLoss",
    "Trace",
    "Truncated",
    "advantages",
    "checkpoint",
    "cut",
    "demonstrations",
    "digest",
    "group_mean",
    "leave_one_out",
    "make_batch",
    "parity",
    "recall_filter",
    "rewards_by_group",
    "segment_layout",
    "tree_layout",
    "unsupported",
]
