"""The budget of an episode: a window, two limits in it, and what one call may return.

Defaults keep the ratios of Context-1: soft = T/2, hard = soft + (T - soft)/2, per call = T/8.
"""

import msgspec

from trivium.episode import ConfigError


class Budget(msgspec.Struct, frozen=True, kw_only=True):
    """All in tokens but `turns` and the seconds. A turn is one action with all its parallel calls."""

    window: int
    """T: nothing is read or sampled past it."""
    soft: int
    """Above it the agent is told to prune or to conclude."""
    hard: int
    """Above it every tool except pruning is refused."""
    per_call: int
    """S: what one call returns at most while the window has room."""
    reply: int
    """What one generation may take at most."""
    turns: int = 128
    seconds: float = 600.0
    """Wall time from opening the environment to the last answer of a tool."""
    judge_seconds: float = 60.0
    """Wall time of `score()` after it; an environment that takes longer is taken for hung."""

    def __post_init__(self) -> None:
        if not 0 < self.soft <= self.hard <= self.window:
            raise ConfigError(
                f"the budget's limits are soft {self.soft}, hard {self.hard}, window {self.window}; "
                "they must rise in this order"
            )
        if min(self.per_call, self.reply, self.turns) < 1:
            raise ConfigError(
                f"per_call {self.per_call}, reply {self.reply} and turns {self.turns} must each be at least 1"
            )

    @classmethod
    def of(
        cls,
        window: int,
        *,
        soft: int | None = None,
        hard: int | None = None,
        per_call: int | None = None,
        reply: int | None = None,
        turns: int = 128,
        seconds: float = 600.0,
        judge_seconds: float = 60.0,
    ) -> "Budget":
        """A budget that keeps Context-1's proportions where a limit is None."""
        soft = window // 2 if soft is None else soft
        return cls(
            window=window,
            soft=soft,
            hard=soft + (window - soft) // 2 if hard is None else hard,
            per_call=max(1, window // 8) if per_call is None else per_call,
            reply=max(1, window // 8) if reply is None else reply,
            turns=turns,
            seconds=seconds,
            judge_seconds=judge_seconds,
        )

    def allowance(self, used: int) -> int:
        """Tokens that the next call may return when `used` are taken: S, or half of what is left when less remains."""
        left = self.window - used
        return self.per_call if left >= self.per_call else max(1, self.per_call // 8, left // 2)

    def share(self, used: int, calls: int) -> int:
        """Tokens that each of `calls` side by side may return: together no more than they could one after another."""
        if calls == 1:
            return self.allowance(used)
        left = self.window - used
        fits = calls * self.per_call <= min(left, self.hard + self.per_call - used)
        return self.per_call if fits else max(1, left // 2 // calls)
