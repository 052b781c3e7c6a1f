"""Keys and values that are kept between generations, by session, least recently used out first.

Always true: everything here, and all that a live request may give, was computed under the engine's present weights;
what is re-used is a prefix of equal tokens at equal positions, and never all of a prompt (its last token is read again
for its logits).
"""

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Generic

from .forward import Forward, K
from .request import Request

WORTH = 32
"""Tokens that make a copy of another session's prefix cheaper than reading them."""
_DONORS = 16


@dataclass(eq=False)
class Entry(Generic[K]):
    """Tokens read, and their keys and values."""

    tokens: Sequence[int]
    kv: K


@dataclass(eq=False)
class Offer(Generic[K]):
    """The longest prefix that can be had: `length` tokens of `entry`, the session's own or a donor's to copy."""

    length: int
    entry: Entry[K] | None
    own: bool


class SessionCache(Generic[K]):
    """Parked contexts, at most `cap` tokens of them together with the live ones."""

    def __init__(self, forward: Forward[K], cap: int) -> None:
        self._forward, self._cap = forward, cap
        self._entries: OrderedDict[str, Entry[K]] = OrderedDict()
        self.evicted = 0

    @property
    def tokens(self) -> int:
        """Tokens parked."""
        return sum(entry.kv.length for entry in self._entries.values())

    def offer(self, request: Request[K], live: Iterable[Request[K]]) -> Offer[K]:
        """The best prefix for a request: its session's own where that is nearly the longest, else a donor's."""
        own = self._entries.get(request.session) if request.session is not None else None
        best: Offer[K] = Offer(0, None, own=False)
        if own is not None:
            best = Offer(_shared(own, request), own, own=True)
        if len(request.tokens) - best.length > WORTH:
            for donor in self._donors(live):
                length = _shared(donor, request)
                if length >= best.length + WORTH:
                    best = Offer(length, donor, own=False)
        return best

    def claim(self, request: Request[K], offer: Offer[K]) -> K:
        """Take what was offered; the session's own entry leaves the cache."""
        own = self._entries.pop(request.session, None) if request.session is not None else None
        if offer.entry is not None and offer.own:
            self._forward.crop(offer.entry.kv, offer.length)
            return offer.entry.kv
        if own is not None:
            self._forward.drop(own.kv)
        fork = self._forward.fork(offer.entry.kv, offer.length) if offer.entry is not None else None
        return fork if fork is not None else self._forward.empty()

    def keep(self, session: str, tokens: Sequence[int], kv: K) -> None:
        """Park a context under its session, as the most recently used."""
        old = self._entries.pop(session, None)
        if old is not None:
            self._forward.drop(old.kv)
        self._entries[session] = Entry(tokens[: kv.length], kv)

    def shrink(self, live: int) -> None:
        """Evict until parked and `live` tokens fit the cap."""
        parked = self.tokens
        while self._entries and parked + live > self._cap:
            _, entry = self._entries.popitem(last=False)
            parked -= entry.kv.length
            self.evicted += entry.kv.length
            self._forward.drop(entry.kv)

    def clear(self) -> None:
        """Forget everything."""
        for entry in self._entries.values():
            self._forward.drop(entry.kv)
        self._entries.clear()

    def _donors(self, live: Iterable[Request[K]]) -> Iterable[Entry[K]]:
        running = (
            Entry(request.tokens, request.kv) for request in live if request.kv is not None and not request.mixed
        )
        return chain(running, islice(reversed(self._entries.values()), _DONORS))


def _shared(entry: Entry[K], request: Request[K]) -> int:
    limit = min(entry.kv.length, len(request.tokens) - 1)
    return common_prefix(entry.tokens, request.tokens, limit)


def common_prefix(a: Sequence[int], b: Sequence[int], limit: int) -> int:
    """Length of the longest common prefix, at most `limit`: slices are compared, not elements."""
    low, high = 0, min(limit, len(a), len(b))
    if a[:high] == b[:high]:
        return high
    while high - low > 1:
        middle = (low + high) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle
    return low
