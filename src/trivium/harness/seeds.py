"""Seeds derived from names: the same names give the same seed in every process and on every machine."""

import hashlib


def derive_seed(seed: int, *names: str | int) -> int:
    """A 63-bit seed for a purpose, from a parent seed and the purpose's names."""
    text = "\x1f".join([str(seed), *map(str, names)])
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big") >> 1
