"""Drafts, and episodes of every shape."""

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from trivium.episode import (
    Agent,
    Draft,
    Episode,
    Failed,
    Invalid,
    Kind,
    Life,
    Malformed,
    Message,
    Part,
    Piece,
    Reward,
    Sampled,
    Scored,
    StopReason,
    Task,
    ToolCall,
    Tree,
    Versions,
)

calm = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
"""A busy machine is no failure."""


def read(*tokens, kind=Kind.OBSERVATION, message=None, parts=()):
    return Draft(kind=kind, tokens=tokens, message=message, parts=parts)


def action(*tokens, lead=0, message=None):
    own = len(tokens) - lead
    versions = Versions(("w",), (own,)) if own else Versions((), ())
    sampled = Sampled(
        policy="p",
        role="main",
        logprobs=(-0.5,) * own,
        versions=versions,
        temperature=1.0,
        seed=1,
        stop=StopReason.STOP,
    )
    return Draft(kind=Kind.ACTION, tokens=tokens, lead=lead, sampled=sampled, message=message)


TOKENS = st.lists(st.integers(0, 60_000), max_size=5).map(tuple)
TEXT = st.text(max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=3,
)
OBJECTS = st.dictionaries(TEXT, JSON, max_size=2)
MESSAGES = st.builds(
    Message,
    role=st.sampled_from(["system", "user", "assistant", "tool"]),
    pieces=st.lists(st.builds(Piece, TEXT, st.none() | TEXT, st.none() | TEXT), max_size=3).map(tuple),
    reasoning=TEXT,
    calls=st.lists(st.builds(ToolCall, TEXT, OBJECTS), max_size=2).map(tuple),
    malformed=st.lists(st.builds(Malformed, TEXT, TEXT), max_size=2).map(tuple),
)
OUTCOMES = st.none() | st.one_of(
    st.builds(Scored, st.floats(allow_nan=False), TEXT),
    st.builds(Failed, st.floats(allow_nan=False), TEXT),
    st.builds(Invalid, TEXT, TEXT),
)


@st.composite
def drafts(draw):
    tokens = draw(TOKENS)
    message = draw(st.none() | MESSAGES)
    if draw(st.booleans()):
        return action(*tokens, lead=draw(st.integers(0, len(tokens))), message=message)
    edges = sorted(draw(st.lists(st.integers(0, len(tokens)), max_size=4).filter(lambda found: len(found) % 2 == 0)))
    parts = [Part(f"{at}", edges[at], edges[at + 1], draw(st.none() | TEXT)) for at in range(0, len(edges), 2)]
    kind = draw(st.sampled_from([kind for kind in Kind if kind is not Kind.ACTION]))
    return read(*tokens, kind=kind, message=message, parts=tuple(parts))


@st.composite
def trees(draw):
    tree = Tree()
    for draft in draw(st.lists(drafts(), max_size=4)):
        tree.add(draft, draw(st.none() | st.integers(0, len(tree.nodes) - 1)) if tree.nodes else None)
    return tree


EPISODES = st.builds(
    Episode,
    id=TEXT,
    task=st.builds(Task, id=TEXT, prompt=TEXT, family=TEXT, data=OBJECTS),
    group=TEXT,
    seed=st.integers(0, 2**63 - 1),
    tree=trees(),
    agents=st.dictionaries(TEXT, st.builds(Agent, name=TEXT, turns=st.integers(0, 9), state=OBJECTS), max_size=2),
    life=st.sampled_from(Life),
    state=OBJECTS,
    counters=st.dictionaries(TEXT, st.integers(0, 99), max_size=3),
    rewards=st.lists(st.builds(Reward, TEXT, st.floats(-9, 9), TEXT, st.floats(0, 9)), max_size=2),
    outcome=OUTCOMES,
    answer=TEXT,
)
