"""A dialect: how a model family writes calls, as data."""

import msgspec

from .ends import EndOf
from .reading import Reader


class Block(msgspec.Struct, frozen=True):
    """One kind of block. `closers` are taken off before `read` sees the body; `whole`: it sees the opening too."""

    open: str
    end: EndOf
    read: Reader
    closers: tuple[str, ...] = ()
    whole: bool = False
    to_the_end: bool = False
    """The end of the reply closes it as well."""

    def body(self, raw: str) -> str:
        """What the reader is given."""
        body = raw if self.whole else raw[len(self.open) :]
        closer = next((closer for closer in self.closers if body.endswith(closer)), "")
        return body[: len(body) - len(closer)]


class Dialect(msgspec.Struct, frozen=True):
    """How a model family writes: its blocks, the tags of its reasoning, and tags that say nothing."""

    name: str
    blocks: tuple[Block, ...]
    thoughts: tuple[tuple[str, str], ...] = (("<think>", "</think>"),)
    markup: tuple[str, ...] = ()

    @property
    def markers(self) -> frozenset[str]:
        """Everything the lexer must find."""
        tags = [tag for pair in self.thoughts for tag in pair]
        ends = [closer for block in self.blocks for closer in block.closers]
        return frozenset([*tags, *ends, *self.markup, *(block.open for block in self.blocks)])
