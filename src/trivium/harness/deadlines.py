"""Waiting: everything that an episode waits for has a deadline.

to open an environment   the episode's seconds
an engine, a tool        the same, and a little more: what is late is waited for, then the seconds are spent and the
                         episode is scored; what is later than that is taken for dead (infrastructure)
to judge                 `Budget.judge_seconds`, since the seconds may be spent when it begins
to close                 `CLOSE_S`
"""

import asyncio
import time

ENGINE_GRACE_S = 10.0
"""An engine knows its deadline, but a batch must come to its next token."""
TOOL_GRACE_S = 2.0
CLOSE_S = 10.0


def until(deadline: float, grace: float = 0.0) -> asyncio.Timeout:
    """``async with until(deadline) as clock``: TimeoutError, and `clock.expired()`, this much after the deadline."""
    return asyncio.timeout(max(0.0, deadline - time.monotonic()) + grace)
