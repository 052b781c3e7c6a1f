"""Do two judges agree? The share of items on which they do, and how much of that is more than chance.

Share with its Wilson score interval (Wilson 1927), which stays inside 0 and 1 and is honest near them:

    (p + z^2/2n +- z sqrt(p(1 - p)/n + z^2/4n^2)) / (1 + z^2/n)

Cohen's kappa (1960): (p_o - p_e) / (1 - p_e), p_e from the two judges' own rates; its interval resamples items.
"""

import math
from collections.abc import Sequence

import msgspec
import numpy as np
import numpy.typing as npt

from trivium.episode import DataError

from .statistics import DRAWS, Interval

Z = 1.959963984540054
"""Of a 95 % interval."""


class Agreement(msgspec.Struct, frozen=True):
    """How far two judges agree. `kappa` is None where one of them always says the same: chance explains all."""

    share: Interval
    kappa: Interval | None


def wilson(hits: int, n: int) -> Interval:
    """The share of `hits` in `n` with its 95 % interval. Raises DataError for no item."""
    if not 0 <= hits <= n or n == 0:
        raise DataError(f"{hits} of {n} is no share; give at least one item")
    p, extra = hits / n, Z * Z / n
    middle = (p + extra / 2) / (1 + extra)
    half = Z * math.sqrt(p * (1 - p) / n + extra / (4 * n)) / (1 + extra)
    return Interval(p, middle - half if hits else 0.0, middle + half if hits < n else 1.0, n)


def agreement(pairs: Sequence[tuple[bool, bool]], *, draws: int = DRAWS, seed: int = 0) -> Agreement:
    """How far two judges agree over items, each with a verdict of both. Raises DataError for no item."""
    share = wilson(sum(one == other for one, other in pairs), len(pairs))
    verdicts_N2 = np.asarray(pairs, dtype=np.bool_)
    kappa = float(_kappa(verdicts_N2[None])[0])
    if math.isnan(kappa):
        return Agreement(share, None)
    rng = np.random.default_rng(seed)
    chosen_DN = rng.integers(len(pairs), size=(draws, len(pairs)))
    drawn_D = _kappa(verdicts_N2[chosen_DN])
    low, high = np.nanquantile(drawn_D, [0.025, 0.975])
    return Agreement(share, Interval(kappa, float(low), float(high), len(pairs)))


def _kappa(verdicts_DN2: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    """Kappa of each draw; NaN where chance alone agrees always."""
    one_D, other_D = verdicts_DN2[..., 0].mean(-1), verdicts_DN2[..., 1].mean(-1)
    observed_D = (verdicts_DN2[..., 0] == verdicts_DN2[..., 1]).mean(-1)
    chance_D = one_D * other_D + (1 - one_D) * (1 - other_D)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(chance_D < 1, (observed_D - chance_D) / (1 - chance_D), np.nan)
