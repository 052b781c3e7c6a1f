"""Texts that look like replies: fragments of every dialect, glued together; and arguments of every shape."""

from hypothesis import strategies as st

from trivium.policy.parsing import DIALECTS, Rules

MARKERS = sorted({marker for make in DIALECTS.values() for marker in make(Rules()).markers})
FRAGMENTS = [
    '{"name": "search", "arguments": {"query": "x"}}',
    '[{"name": "a", "arguments": {}}]',
    '{"name": "a", "arguments": "{}"',
    '"',
    "\\",
    '\\"',
    "'",
    "}",
    "]}",
    "search(query='x')",
    "[f(a=1)]",
    "json\n",
    "\n",
    " ",
    "name>",
    ' name="f">',
    "<parameter=k>",
    "</parameter>",
    "<tool_response>",
    "functions.f:0",
    "to=functions.f ",
    "<",
    "｜",
    "é🌍",
    "\ud800",
    "1e999",
    "NaN",
    ",}",
]
replies = st.lists(
    st.one_of(st.sampled_from(MARKERS), st.sampled_from(FRAGMENTS), st.text(max_size=4)), max_size=14
).map("".join)
dialects = st.sampled_from(sorted(DIALECTS))

words = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(MARKERS)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=8,
)
arguments = st.dictionaries(words, json_values, max_size=4)
names = words.filter(lambda name: name.strip() != "")


@st.composite
def cut(draw: st.DrawFn, text: str) -> list[str]:
    """`text` cut at arbitrary places."""
    places = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
    return [text[start:stop] for start, stop in zip([0, *places], [*places, len(text)], strict=True)]
