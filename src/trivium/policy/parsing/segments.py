"""The account of a reply: segments that give the text back, letter for letter, when they are joined."""

from collections.abc import Iterable, Sequence
from enum import StrEnum

import msgspec

from trivium.episode import Malformed, ToolCall


class Said(StrEnum):
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


class Segment(msgspec.Struct, frozen=True):
    """A stretch of a reply, in its own words (`raw`)."""

    said: Said
    raw: str
    calls: tuple[ToolCall, ...] = ()
    reason: str = ""
    repairs: tuple[str, ...] = ()


class Parsed(msgspec.Struct, frozen=True, kw_only=True):
    """What a reply says. ``"".join(s.raw for s in segments)`` is the reply itself."""

    text: str = ""
    reasoning: str = ""
    calls: tuple[ToolCall, ...] = ()
    malformed: tuple[Malformed, ...] = ()
    segments: tuple[Segment, ...] = ()


def account(stretches: Iterable[Segment]) -> Parsed:
    """Join the stretches of a stream into one account, the same however the stream was cut."""
    segments = _tidy(_joined(stretches))
    return Parsed(
        text="".join(segment.raw for segment in segments if segment.said is Said.TEXT),
        reasoning="".join(segment.raw for segment in segments if segment.said is Said.REASONING),
        calls=tuple(call for segment in segments for call in segment.calls),
        malformed=tuple(Malformed(s.raw, s.reason) for s in segments if s.said is Said.MALFORMED),
        segments=segments,
    )


def _joined(stretches: Iterable[Segment]) -> list[Segment]:
    joined: list[Segment] = []
    run: list[str] = []
    said = Said.TEXT

    def close() -> None:
        if run:
            joined.append(Segment(said, "".join(run)))
            run.clear()

    for stretch in stretches:
        if stretch.said in (Said.CALL, Said.MALFORMED):
            close()
            joined.append(stretch)
        elif stretch.raw:
            if stretch.said is not said:
                close()
            said = stretch.said
            run.append(stretch.raw)
    close()
    return joined


def _tidy(segments: Sequence[Segment]) -> tuple[Segment, ...]:
    """White space alone, beside something that is not text, says nothing."""
    return tuple(
        Segment(Said.MARKUP, segment.raw)
        if segment.said is Said.TEXT and len(segments) > 1 and not segment.raw.strip()
        else segment
        for segment in segments
    )
