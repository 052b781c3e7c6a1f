"""What `trivium doctor --model` looks at: how a model speaks, whether it can be trained exactly, and the verdict.

    train        it speaks, and the learner finds the engine's log-probs again
    eval only    it speaks, but what it sampled could not be trained exactly
    unsupported  there is no renderer for it, or it cannot be loaded

Imports torch when called.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trivium.config import PolicyConfig
from trivium.episode import Message, Piece, ToolCall, ToolSpec, TriviumError, say

from .check import Check, Grade
from .template_probes import template_checks

if TYPE_CHECKING:
    from trivium.policy.rendering import Renderer

EXACT = 1e-3
"""Largest gap between engine and learner (nats, float32) at which a model may be trained."""
TOOL = ToolSpec(
    "search_corpus",
    "Finds notes.",
    {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
)
OPENING = (
    Message(role="system", pieces=(Piece("You search notes with tools."),), tools=(TOOL,)),
    say("user", "Which note tells of rhubarb?"),
)
CALL = ToolCall("search_corpus", {"query": 'rhubarb "jam"\n{1: <|im_end|>}', "count": 3})


@dataclass(frozen=True)
class Parity:
    """Largest gap (nats) by layout; `trees` is None where the model is not of the Llama family, for this `reason`."""

    segments: float
    trees: float | None
    reason: str = ""

    @property
    def exact(self) -> bool:
        """May the model be trained?"""
        return max(self.segments, self.trees or 0.0) <= EXACT


def probe_model(name: str, tell: Callable[[str], None]) -> list[Check]:
    """All checks of a policy, the verdict last."""
    checks: list[Check] = []
    try:
        checks += _checks(name, tell)
    except TriviumError as error:
        checks.append(Check(Grade.MISSING, "verdict", "unsupported", str(error)))
    return checks


def _checks(name: str, tell: Callable[[str], None]) -> Iterator[Check]:
    from trivium.run import base_folder, make_renderer, open_model, policy_folder

    policy = PolicyConfig(model=name)
    tell("model's folder")
    home = policy_folder(name, tell)
    yield Check(Grade.GOOD, "folder", str(home))
    renderer = make_renderer(policy, home)
    yield Check(Grade.GOOD, "renderer", f"{renderer.name}, {_dropped(renderer)}")
    tell("chat template")
    yield from template_checks(renderer, base_folder(home, tell))
    spoken = round_trip(renderer)
    yield spoken
    tell("model")
    model = open_model(policy, home, 0, tell)
    yield stops(renderer, model)
    tell("parity of engine and learner")
    found = parity_of(model, renderer)
    yield from _told(found)
    yield verdict(found, spoken)


def _dropped(renderer: "Renderer") -> str:
    drops = ", ".join(sorted(renderer.drops))
    return f"its template drops {drops}; here that stays" if drops else "drops nothing from history"


def round_trip(renderer: "Renderer") -> Check:
    """A call with quotes, braces and a spelled control token, written and read again."""
    lead = renderer.lead()
    (written,) = renderer.messages([Message(role="assistant", calls=(CALL,))], closes=False)
    parsed = renderer.parse(written.tokens[len(lead) :] if written.tokens[: len(lead)] == lead else written.tokens)
    if parsed.calls == (CALL,) and not parsed.malformed:
        return Check(Grade.GOOD, "tool calls", "a call that is written is read again")
    read = parsed.malformed[0].reason if parsed.malformed else f"{parsed.calls}"
    return Check(Grade.MISSING, "tool calls", f"a call that is written is read as {read}", "choose policy.renderer")


def stops(renderer: "Renderer", model: Any) -> Check:
    """The tokens that end a turn, beside those that the model's configuration names."""
    ours = {token: renderer.decode([token]) for token in renderer.stop_ids}
    settings = getattr(model, "generation_config", None) or model.config
    named = settings.eos_token_id
    ends = set(named if isinstance(named, list) else [] if named is None else [named])
    shown = ", ".join(sorted(ours.values()))
    if ends and ends.isdisjoint(ours):
        other = ", ".join(sorted(renderer.decode([token]) for token in ends))
        return Check(Grade.NOTE, "stop tokens", f"{shown}; the model's own: {other}", "choose policy.renderer")
    return Check(Grade.GOOD, "stop tokens", shown)


def parity_of(model: Any, renderer: "Renderer", count: int = 24) -> Parity:
    """Sample twice after one opening, and read both again by the learner, in each layout that knows the model."""
    import asyncio

    from trivium.learn import Cut, cut, parity, segment_layout, tree_layout, unsupported
    from trivium.policy import Policy
    from trivium.policy.local import LocalEngine

    from .model_sample import sampled

    engine = LocalEngine(model)
    policy = Policy("doctor", engine, renderer, max_tokens=count)
    cuts: list[Cut] = [cut(asyncio.run(sampled(policy, OPENING, seed)), "doctor") for seed in range(2)]
    rows = [segment for one in cuts for segment in one.segments]
    reason = unsupported(model)
    trees = None if reason else parity(model, rows, tree_layout(model, 8192))
    return Parity(parity(model, rows, segment_layout(model, 8192)), trees, reason or "")


def _told(found: Parity) -> Iterator[Check]:
    gaps = [f"segments {found.segments:.1e}"] + ([] if found.trees is None else [f"trees {found.trees:.1e}"])
    grade = Grade.GOOD if found.exact else Grade.NOTE
    yield Check(grade, "parity", f"{', '.join(gaps)} nats at most (bound {EXACT:g})")
    layouts = "trees and segments" if found.trees is not None else f"segments only: {found.reason}"
    yield Check(Grade.GOOD, "layouts", layouts)


def verdict(found: Parity, spoken: Check) -> Check:
    """What this model is good for here."""
    if spoken.grade is Grade.MISSING:
        return Check(Grade.MISSING, "verdict", "unsupported", "its tool calls cannot be read; choose policy.renderer")
    if not found.exact:
        reason = "the learner does not find the engine's log-probs again, so its tokens cannot be trained exactly"
        return Check(Grade.NOTE, "verdict", "eval only", reason)
    return Check(Grade.GOOD, "verdict", "train")
