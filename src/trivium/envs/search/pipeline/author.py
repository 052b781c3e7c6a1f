"""The seam of making: who explores a beginning, and who leads an item one hop further."""

from typing import Protocol

import msgspec

from .item import Item


class Refused(msgspec.Struct, frozen=True):
    """Why nothing was made, and what was refused where there was something."""

    reason: str
    item: Item | None = None


class Author(Protocol):
    """Writes items. `told` is why the verifier refused the try before, if there was one."""

    @property
    def tries(self) -> int:
        """How often one stage of one item may be tried: once where nothing is drawn."""
        ...

    async def explore(self, number: int, told: str | None) -> Item | Refused:
        """An item of two hops that begins at the `number`-th place of the corpus."""
        ...

    async def chain(self, item: Item, told: str | None) -> Item | Refused:
        """The item, asked one hop further: its truth becomes a bridge."""
        ...

    async def suits(self, item: Item, document: str) -> bool:
        """Whether a document that holds no truth by code may be a distractor."""
        ...
