"""What the best of k attempts is worth, from n >= k attempts, without bias."""

import math
from collections.abc import Sequence

from trivium.episode import DataError


def best_of_k(samples: Sequence[float], k: int) -> float:
    """Expected maximum of k of the n samples drawn without replacement: exact, and unbiased for the best of k runs.

    sum over i of x_(i) C(i - 1, k - 1) / C(n, k), where x_(i) is the i-th smallest: the share of subsets it tops.
    """
    n = _checked(len(samples), k)
    if not all(math.isfinite(value) for value in samples):
        raise DataError(f"the samples {list(samples)[:5]} hold a value that is not finite; mend the score")
    ways = math.comb(n, k)
    ordered = sorted(samples)
    return math.fsum(ordered[i - 1] * (math.comb(i - 1, k - 1) / ways) for i in range(k, n + 1))


def pass_at_k(trials: int, successes: int, k: int) -> float:
    """`best_of_k` of binary samples: 1 - C(n - c, k) / C(n, k) (Chen et al. 2021, arXiv 2107.03374)."""
    n = _checked(trials, k)
    if not 0 <= successes <= n:
        raise DataError(f"{successes} successes of {n} trials cannot be; count again")
    return 1 - math.comb(n - successes, k) / math.comb(n, k)


def _checked(n: int, k: int) -> int:
    if not 1 <= k <= n:
        raise DataError(f"the best of {k} cannot be told from {n} samples; take at least as many samples as k")
    return n
