"""A model's own chat template, beside our renderer: is it written alike, and does a longer conversation only append?"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trivium.episode import say

from .check import Check, Grade

if TYPE_CHECKING:
    from trivium.policy.rendering import Renderer

THOUGHT, SAID = "a-thought-of-old", "an-answer-of-old"
PLAIN: tuple[dict[str, str], ...] = (
    {"role": "system", "content": "You search notes."},
    {"role": "user", "content": "Where is jam?"},
    {"role": "assistant", "content": SAID},
    {"role": "user", "content": "And bread?"},
)
THINKING = ({**PLAIN[2], "content": f"<think>\n{THOUGHT}\n</think>\n\n{SAID}", "reasoning_content": THOUGHT},)


def template_checks(renderer: "Renderer", home: Path) -> Iterator[Check]:
    """The template of a model folder; a check that says so where there is none."""
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(home)
    if not getattr(tokenizer, "chat_template", None):
        yield Check(Grade.NOTE, "chat template", f"none; {renderer.name} is written all the same")
        return
    yield _alike(renderer, tokenizer)
    yield _tools(tokenizer)
    yield _stable(tokenizer)


def _render(tokenizer: Any, messages: Sequence[dict[str, str]], **more: Any) -> str | None:
    """The template's text; None when it refuses the conversation (templates raise what they like)."""
    try:
        return str(tokenizer.apply_chat_template(list(messages), tokenize=False, **more))
    except Exception:  # noqa: BLE001  the boundary: a template is a foreign program
        return None


def _alike(renderer: "Renderer", tokenizer: Any) -> Check:
    """Is a plain conversation written as the template writes it?"""
    theirs = _render(tokenizer, PLAIN[:2], add_generation_prompt=True)
    opening = [say("system", PLAIN[0]["content"]), say("user", PLAIN[1]["content"])]
    ours = renderer.decode([*renderer.opening(opening).tokens, *renderer.lead()])
    if theirs == ours:
        return Check(Grade.GOOD, "chat template", f"written alike by renderer {renderer.name}")
    shown = "it refuses a system message" if theirs is None else f"it writes {theirs[-60:]!r}, we write {ours[-60:]!r}"
    return Check(Grade.NOTE, "chat template", f"another than {renderer.name}: {shown}", "choose policy.renderer")


def _tools(tokenizer: Any) -> Check:
    knows = "tools" in str(tokenizer.chat_template)
    told = "knows tools" if knows else "knows none: they are shown as signatures in the system message"
    return Check(Grade.GOOD, "tools in template", told)


def _stable(tokenizer: Any) -> Check:
    """Does the template write history as it wrote it before? What it drops is named."""
    history = [*PLAIN[:2], *THINKING, PLAIN[3]]
    texts = [_render(tokenizer, history[:count]) for count in range(2, len(history) + 1)]
    if None in texts:
        return Check(Grade.NOTE, "history", "the template refuses a conversation with reasoning")
    known = [text for text in texts if text is not None]
    lost = [name for word, name in ((THOUGHT, "old reasoning"), (SAID, "old answers")) if word not in known[-1]]
    if not lost and all(after.startswith(before) for before, after in pairwise(known)):
        return Check(Grade.GOOD, "history", "the template only appends")
    told = f"the template drops {' and '.join(lost)}" if lost else "the template rewrites history"
    return Check(Grade.NOTE, "history", told, "nothing to do: here nothing is dropped, so that contexts only append")
