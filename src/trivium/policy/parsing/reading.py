"""Reading the body of a block: what every dialect's reader is given, and what it returns.

A reader never raises for what a model wrote: a fault is a `Reading` with its reason. A repair is made only under
lenient rules and is named in the reading.
"""

from collections.abc import Callable, Mapping

import msgspec

from trivium.episode import Json, ToolCall, ToolSpec


class Rules(msgspec.Struct, frozen=True):
    """How to read: strict (training) or lenient (models of others); `tools` give types to unquoted parameters."""

    lenient: bool = False
    tools: tuple[ToolSpec, ...] = ()
    opened: bool = False
    """The reply begins inside what the generation header opened: a thought (in harmony, a header)."""

    def schema(self, tool: str, parameter: str) -> Mapping[str, Json] | None:
        """The JSON schema of one parameter, where it is known."""
        for spec in self.tools:
            if spec.name == tool:
                known = spec.parameters.get("properties")
                found = known.get(parameter) if isinstance(known, dict) else None
                return found if isinstance(found, dict) else None
        return None


class Reading(msgspec.Struct, frozen=True):
    """Calls, or the reason why there are none. `meant` is False for text that only looked like the start of a call."""

    calls: tuple[ToolCall, ...] = ()
    reason: str = ""
    repairs: tuple[str, ...] = ()
    meant: bool = True


Reader = Callable[[str, Rules], Reading]
NOT_MEANT = Reading(meant=False)


def guarded(read: Callable[[str, Rules], Reading]) -> Reader:
    """A reader whose ValueErrors are reasons."""

    def reader(body: str, rules: Rules) -> Reading:
        try:
            return read(body, rules)
        except ValueError as error:
            return Reading(reason=str(error))

    return reader
