"""487 texts of 13 formats from the test suites of other parsers (shared data; skipped where it is not there)."""

import collections
import json
import os
from pathlib import Path

import pytest

from trivium.policy.parsing import DIALECTS, parse, parser

ROOT = Path(os.environ.get("TRIVIUM_SHARED_DATA") or Path(__file__).parents[4] / "shared" / "data")
FILE = ROOT / "toolcalls" / "inputs.jsonl"
pytestmark = pytest.mark.skipif(
    not FILE.is_file(), reason=f"no corpus of tool calls at {FILE}; set TRIVIUM_SHARED_DATA"
)

WELL_FORMED = {
    "cohere": 6,
    "deepseek": 1,
    "harmony": 2,
    "hermes": 106,
    "json": 66,
    "kimi_k2": 4,
    "llama3": 9,
    "minimax": 7,
    "mistral": 3,
    "pythonic": 11,
    "qwen3coder": 3,
    "step3": 4,
}
"""Texts with a call under lenient rules; the others are fragments, prose about a format, or broken on purpose."""


def rows() -> list[tuple[str, str]]:
    lines = FILE.read_text(encoding="utf-8").splitlines() if FILE.is_file() else []
    texts = [json.loads(line) for line in lines]
    return [(row["text"], {"hermes/qwen": "hermes"}.get(row["format"], row["format"])) for row in texts]


CUTS = 67_773
"""Places between two characters, over all texts."""


def fed(pieces: list[str], dialect: str, lenient: bool):
    reader = parser(dialect, lenient=lenient)
    for piece in pieces:
        reader.feed(piece)
    reader.finish()
    return reader.parsed


def test_the_corpus_is_whole():
    assert len(rows()) == 487


@pytest.mark.parametrize("lenient", [False, True])
@pytest.mark.parametrize("dialect", sorted(DIALECTS))
def test_every_text_is_accounted_for_and_equal_letter_by_letter(dialect, lenient):
    for text, own in rows():
        if dialect in (own, "any", "hermes"):
            whole = parse(text, dialect, lenient=lenient)
            assert "".join(stretch.raw for stretch in whole.stretches) == text
            assert fed(list(text), dialect, lenient) == whole


def every_split(dialect: str | None, lenient: bool) -> int:
    """Compare at every cut; returns how many there were."""
    cuts = 0
    for text, own in rows():
        name = dialect or own
        whole = parse(text, name, lenient=lenient)
        for at in range(1, len(text)):
            assert fed([text[:at], text[at:]], name, lenient) == whole, (name, at, text)
            cuts += 1
    return cuts


def test_every_split_of_every_text_gives_the_same_account():
    assert every_split(None, lenient=True) == CUTS


@pytest.mark.slow
@pytest.mark.parametrize(("dialect", "lenient"), [(None, False), ("hermes", False), ("any", True), ("any", False)])
def test_every_split_in_the_other_dialects_too(dialect, lenient):
    assert every_split(dialect, lenient) == CUTS


def test_what_is_well_formed_is_read():
    found = collections.Counter(own for text, own in rows() if parse(text, own, lenient=True).calls)
    assert dict(found) == WELL_FORMED
