"""Environments that hold nothing open: entering and leaving them does nothing."""

from types import TracebackType
from typing import Self


class Plain:
    """``async with`` for an environment without a resource of its own."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None
