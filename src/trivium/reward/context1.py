"""The Context-1 reward for a search agent, term by term (Chroma, Context-1 technical report, 26 March 2026).

    r_pre  = 0.7 F_beta + 0.3 r_traj + r_fa                                    <= 2.0
    reward = max(eps, min(r_pre - p_prune - p_turn, r_pre)) - p_malformed

F_beta judges the output, r_traj what was met on the way (pruned or not), r_fa = 1 when a chunk with the answer is in
the output. Ours: p_malformed, 0.1 a broken call up to 0.3, outside the clamp so that the floor does not hide it. The
report scores an episode that an error ended below all others; in our harness no error of the agent ends one.

Always true: eps - 0.3 <= reward <= 0.7 + 0.3 + 1; more of a penalty never raises it.
"""

import msgspec

from trivium.episode import ConfigError

from .f_score import f_beta, fact_precision, fact_recall
from .facts import SearchFacts, SearchRecord
from .penalties import malformed_penalty, prune_penalty, turn_penalty


class Context1Reward(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every weight of the reward. Raises ConfigError for a weight below 0."""

    f_weight: float = 0.7
    trajectory_weight: float = 0.3
    answer_bonus: float = 1.0
    prune_cost: float = 0.1
    """For each prune-only turn past `prune_free` in a row, up to `prune_cap`."""
    prune_free: int = 3
    prune_cap: float = 0.5
    turn_free: int = 64
    """Turns that cost nothing; the cost then grows to `turn_cap` at `turn_full`."""
    turn_full: int = 128
    turn_cap: float = 0.5
    malformed_cost: float = 0.1
    """For each broken call, up to `malformed_cap`."""
    malformed_cap: float = 0.3
    eps: float = 0.001
    """Floor, before the cost of broken calls."""

    def __post_init__(self) -> None:
        for name in ("f_weight", "trajectory_weight", "answer_bonus", "prune_cost", "prune_cap", "turn_cap"):
            _require_not_negative(name, getattr(self, name))
        for name in ("malformed_cost", "malformed_cap", "eps"):
            _require_not_negative(name, getattr(self, name))
        if not 0 <= self.turn_free < self.turn_full:
            raise ConfigError(f"turn_free is {self.turn_free}, turn_full {self.turn_full}; the second must be greater")

    def terms(self, facts: SearchFacts, record: SearchRecord, beta2: float) -> dict[str, float]:
        """Every term by name, the total as ``reward``, and F1; `beta2` is that of the epoch (`schedule.beta2`)."""
        precision, recall = fact_precision(facts, record.output), fact_recall(facts, record.output)
        values = {
            "precision": precision,
            "recall": recall,
            "f_beta": f_beta(precision, recall, beta2),
            "r_traj": fact_recall(facts, record.met),
            "r_fa": float(record.answered),
            "p_prune": prune_penalty(record.prune_only, cost=self.prune_cost, free=self.prune_free, cap=self.prune_cap),
            "p_turn": turn_penalty(record.turns, free=self.turn_free, full=self.turn_full, cap=self.turn_cap),
            "p_malformed": malformed_penalty(record.malformed, cost=self.malformed_cost, cap=self.malformed_cap),
            "output_unmet": float(len(set(record.output) - record.met)),
        }
        return {**values, "reward": self._total(values), "f1": f_beta(precision, recall, 1.0)}

    def _total(self, v: dict[str, float]) -> float:
        r_pre = self.f_weight * v["f_beta"] + self.trajectory_weight * v["r_traj"] + self.answer_bonus * v["r_fa"]
        return max(self.eps, min(r_pre - v["p_prune"] - v["p_turn"], r_pre)) - v["p_malformed"]


def _require_not_negative(name: str, value: float) -> None:
    if not value >= 0:
        raise ConfigError(f"{name} is {value}; it must be 0 or more")
