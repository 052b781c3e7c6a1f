"""The account of a reply: stretches that give the text back, letter for letter, when they are joined."""

from collections.abc import Iterable, Sequence
from enum import StrEnum

import msgspec

from trivium.episode import Malformed, ToolCall


class StretchKind(StrEnum):
    """What a stretch of a reply is."""

    TEXT = "text"
    """For the reader; also a tool result that the model made up."""
    REASONING = "reasoning"
    """Thought, between the tags of the model's family; a call in it is thought, not a call."""
    CALL = "call"
    """One or more calls, well formed (or repaired, where the dialect is lenient, and then it says so)."""
    MALFORMED = "malformed"
    """Meant to be a call and is none; `reason` says why."""
    MARKUP = "markup"
    """Tags, and the white space between tags: says nothing."""


class Stretch(msgspec.Struct, frozen=True):
    """A stretch of a reply, in its own words (`raw`)."""

    kind: StretchKind
    raw: str
    calls: tuple[ToolCall, ...] = ()
    reason: str = ""
    repairs: tuple[str, ...] = ()


class Parsed(msgspec.Struct, frozen=True, kw_only=True):
    """What a reply says. ``"".join(s.raw for s in stretches)`` is the reply itself."""

    text: str = ""
    reasoning: str = ""
    calls: tuple[ToolCall, ...] = ()
    malformed: tuple[Malformed, ...] = ()
    stretches: tuple[Stretch, ...] = ()


def account(read: Iterable[Stretch]) -> Parsed:
    """Join the stretches of a stream into one account, the same however the stream was cut."""
    stretches = _tidy(_joined(read))
    return Parsed(
        text="".join(stretch.raw for stretch in stretches if stretch.kind is StretchKind.TEXT),
        reasoning="".join(stretch.raw for stretch in stretches if stretch.kind is StretchKind.REASONING),
        calls=tuple(call for stretch in stretches for call in stretch.calls),
        malformed=tuple(Malformed(s.raw, s.reason) for s in stretches if s.kind is StretchKind.MALFORMED),
        stretches=stretches,
    )


def _joined(stretches: Iterable[Stretch]) -> list[Stretch]:
    joined: list[Stretch] = []
    run: list[str] = []
    kind = StretchKind.TEXT

    def close() -> None:
        if run:
            joined.append(Stretch(kind, "".join(run)))
            run.clear()

    for stretch in stretches:
        if stretch.kind in (StretchKind.CALL, StretchKind.MALFORMED):
            close()
            joined.append(stretch)
        elif stretch.raw:
            if stretch.kind is not kind:
                close()
            kind = stretch.kind
            run.append(stretch.raw)
    close()
    return joined


def _tidy(stretches: Sequence[Stretch]) -> tuple[Stretch, ...]:
    """White space alone, beside something that is not text, says nothing."""
    return tuple(
        Stretch(StretchKind.MARKUP, stretch.raw)
        if stretch.kind is StretchKind.TEXT and len(stretches) > 1 and not stretch.raw.strip()
        else stretch
        for stretch in stretches
    )
