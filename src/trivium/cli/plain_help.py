"""Help in which a flag is a flag: without the word `<bool>` behind it."""

from collections.abc import Sequence
from typing import Any

from typer.core import TyperCommand, TyperGroup


class PlainCommand(TyperCommand):
    """A command with such help."""

    def get_params(self, ctx: Any) -> Any:
        """The parameters, flags without a type."""
        return _plain(super().get_params(ctx))


class PlainGroup(TyperGroup):
    """All commands together, with such help."""

    def get_params(self, ctx: Any) -> Any:
        """The parameters, flags without a type."""
        return _plain(super().get_params(ctx))


def _plain(parameters: Sequence[Any]) -> Sequence[Any]:
    for parameter in parameters:
        if getattr(parameter, "is_flag", False):
            parameter.metavar = ""
    return parameters
