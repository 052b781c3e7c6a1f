"""What the best of k attempts is worth, from n >= k attempts, without bias."""

import math
from collections.abc import Sequence

from trivium.episode import DataError


def best_of_k(samples: Sequence[float], k: int) -> float:
    """Expected maximum of k of the n samples drawn without replacement: exact, and unbiased for the best of k runs.

    sum over i of x_(i) C(i - 1, k - 1) / C(n, k), where x_(i) is the i-th smallest: the share of subsets it tops.
    """
    n = len(samples)
    if not 1 <= k <= n:
        raise DataError(f"the best of {k} cannot be told from {n} samples; take at least as many samples as k")
    if not all(math.isfinite(value) for value in samples):
        raise DataError(f"the samples {list(samples)[:5]} hold a value that is not finite; fix the score")
    ways = math.comb(n, k)
    ordered = sorted(samples)
    return math.fsum(ordered[i - 1] * (math.comb(i - 1, k - 1) / ways) for i in range(k, n + 1))
