"""The random numbers of a request: counter-based, so that they depend on nothing but its seed and the position.

Always true: the token at position p of a context is drawn with uniform(seed, p), alone or in any batch, in one
generation or continued after a partial one.
"""

import numpy as np

_CHUNK = 256


class Draws:
    """Uniforms in [0, 1) of one seed, by position; made in chunks, for one at a time is slow."""

    def __init__(self, seed: int) -> None:
        self._key = seed % 2**128
        self._start = self._stop = 0
        self._values: list[float] = []

    def __call__(self, position: int) -> float:
        """The uniform of one position (float64)."""
        if not self._start <= position < self._stop:
            self._fill(position)
        return self._values[position - self._start]

    def _fill(self, position: int) -> None:
        block = position // 4  # one step of Philox gives four 64-bit words
        generator = np.random.Generator(np.random.Philox(key=self._key, counter=block))
        self._values = generator.random(_CHUNK).tolist()
        self._start, self._stop = 4 * block, 4 * block + _CHUNK
