"""What people read for the names of arms, metrics and comparisons: the one place where that is said.

The names themselves are what the store, `report.json` and the trackers hold.
"""

import re
from typing import NamedTuple


class Title(NamedTuple):
    """What people read, and what it means in a sentence."""

    title: str
    meaning: str


ARMS = {
    "start": "start",
    "sft": "after SFT",
    "after": "after RL",
    "ceiling": "scripted ceiling",
    "bm25": "BM25, one query",
    "sft-control": "SFT instead of RL",
    "shuffled": "RL, rewards shuffled",
}
"""Name of an arm -> what people read, in the order of tables."""
TITLES = {
    "reward": Title("reward", "what is trained on: 0.7 F-beta + 0.3 trajectory recall + 1 for the answer, less costs"),
    "recall": Title("recall", "share of the facts asked for whose document the answer cites"),
    "precision": Title("precision", "share of the cited documents that were asked for"),
    "f1": Title("F1", "harmonic mean of the two; the reward weighs recall more (beta squared is 16, later 4)"),
    "r_fa": Title("answer found", "1 when a cited document holds the final answer"),
    "r_traj": Title("trajectory recall", "share of the facts whose document was met on the way, cited or not"),
    "prune_accuracy": Title("prune accuracy", "share of the pruned chunks that were rightly pruned (not gold)"),
    "prune_gain": Title("prune gain", "prune accuracy above that of pruning at random"),
    "gold_kept": Title("gold kept", "share of the gold documents met that were not pruned"),
    "crossed_and_pruned": Title("pruned when told", "share of episodes that crossed the soft limit and pruned"),
    "searches": Title("searches", "searches of an episode"),
    "one_search": Title("one search", "share of episodes with at most one search"),
    "turns": Title("turns", "actions of an episode"),
    "malformed_calls": Title("broken calls", "calls of an episode that cannot be read or have wrong arguments"),
    "refused_calls": Title(
        "refused calls", "calls of an episode that were refused, such as a search above the hard limit"
    ),
    "f_beta": Title("F-beta", "precision and recall of the answer, as the reward weighs them"),
    "output_unmet": Title("cited unseen", "documents cited that were never shown"),
    "p_prune": Title("cost of pruning", "for turns that only prune, past three in a row"),
    "p_turn": Title("cost of turns", "for turns past the free ones"),
    "p_malformed": Title("cost of broken calls", "0.1 each, 0.3 at most"),
    "tokens.sampled": Title("sampled tokens", "of an episode"),
    "batch.groups constant": Title("groups left out", "groups of a step whose rewards are equal: nothing to learn"),
    "learn.loss": Title("loss", "of the update"),
    "learn.entropy": Title("entropy", "of the next token, in nats"),
    "learn.grad_norm": Title("gradient norm", "before clipping"),
    "learn.kl": Title("KL to the start", "in nats per token"),
    "learn.truncated": Title("truncated weights", "share of the trained tokens whose importance weight is at its cap"),
    "parity.max_log_ratio": Title("largest |log ratio|", "between the learner's and the engine's log-probs of a token"),
    "parity.k3": Title("k3", "how far the learner's log-probs are from the engine's; 0: equal"),
}
"""Name of a metric (of a term without its `term.`) -> what people read."""
METRICS = {
    name: TITLES[name].title
    for name in ("reward", "recall", "precision", "f1", "r_fa", "r_traj", "prune_accuracy")
}  # fmt: skip
"""The metrics that people ask for first, in the order of tables."""


def metric_title(name: str) -> str:
    """What people read for a metric; a name that nobody explained stays."""
    found = TITLES.get(name.removeprefix("term."))
    return found.title if found else name


def arm_title(name: str) -> str:
    """What people read for an arm, or for several in one name, such as ``after - start`` or ``HotpotQA, after``."""
    return "".join(ARMS.get(one, one) for one in re.split("( - |, )", name))
