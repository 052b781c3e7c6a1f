"""Every family behind the one adapter: against the package on its own, over turns, prunes and hostile text."""

import sys

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

pytest.importorskip("renderers", reason="the extra `qwen` is not installed")

from trivium.episode import ConfigError, Context, Draft, Kind, Message, Piece, ToolCall, ToolSpec, Tree, say
from trivium.harness import prune
from trivium.policy.rendering import FAMILIES, ChatML, Codec, Foreign, Harmony, choose_renderer

from .conversations import nfc_stable
from .conversations import text as letters
from .families import CONTROLS, PACKAGED, codec, joined, ours, package_ids
from .tokenizer import carrying, tokenizer

everyone = pytest.mark.parametrize("name", FAMILIES)
packaged = pytest.mark.parametrize("name", PACKAGED)
SPEC = ToolSpec(
    "search",
    'Finds "notes".',
    {"type": "object", "properties": {"query": {"type": "string"}, "count": {"type": "integer"}}},
)
text = letters.map(lambda said: said.replace("[", "").replace("]", ""))  # no control literal of MiniMax or GLM either
queries = text.map(str.strip)
calls = st.builds(
    lambda query, count: ToolCall("search", {"query": query} | ({} if count is None else {"count": count})),
    queries,
    st.none() | st.integers(0, 99),
)
words = text.map(lambda said: f"w{said.strip()}")


@st.composite
def acts(draw: st.DrawFn, name: str) -> Message:
    family = FAMILIES[name]
    reasoning = draw(words) if family.thinks else draw(st.just("") | words) if family.reasons else ""
    called = tuple(draw(st.lists(calls, min_size=1, max_size=1 if family.alone else 3)))
    said = "" if family.alone else draw(text).strip()
    return Message(role="assistant", pieces=(Piece(said),) if said else (), reasoning=reasoning, calls=called)


@st.composite
def dialogues(draw: st.DrawFn, name: str) -> list[Message]:
    tools = (SPEC,) if draw(st.booleans()) else ()
    messages = [Message(role="system", pieces=(Piece(draw(text)),), tools=tools), say("user", draw(text))]
    for _ in range(draw(st.integers(0, 3))):
        act = draw(acts(name))
        messages += [act, *(say("tool", draw(text)) for _ in act.calls)]
    return messages


@packaged
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_after_every_turn_the_joined_node_tokens_are_the_package_s(name, data):
    messages = data.draw(dialogues(name))
    for stop in range(2, len(messages) + 1):
        if stop == len(messages) or messages[stop].role == "assistant":
            assert joined(name, messages[:stop]) == package_ids(name, messages[:stop])


@everyone
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_a_call_that_is_written_is_read_again(name, data):
    message, r = data.draw(acts(name)), ours(name)
    assume(nfc_stable(message))
    (written,) = r.messages([message], closes=False)
    assert written.tokens[: len(r.lead())] == r.lead()
    assert written.tokens[-1] in r.stop_ids
    parsed = r.parse(written.tokens[len(r.lead()) :], tools=(SPEC,))
    assert parsed.calls == message.calls
    assert not parsed.malformed
    assert parsed.reasoning.strip() == message.reasoning.strip()
    assert parsed.text.strip() == message.text


chunks = st.lists(st.builds(Piece, text, st.none() | st.sampled_from("123")), max_size=5)
pages = st.builds(lambda head, middle, tail: [Piece(head), *middle, Piece(tail)], words, chunks, words)


@everyone
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_a_pruned_context_is_the_pruned_conversation_rendered_afresh(name, data):
    r, act, gone = ours(name), data.draw(acts(name)), frozenset(data.draw(st.sets(st.sampled_from("123"))))
    results = [Message(role="tool", pieces=tuple(data.draw(pages))) for _ in act.calls]
    begin = [say("system", "s"), say("user", "u"), act]
    whole = lived(r, [*begin, *results])
    assert whole.tokens == joined(name, [*begin, *results], r)[: len(whole)]
    kept = [Message(role="tool", pieces=tuple(p for p in one.pieces if p.id not in gone)) for one in results]
    pruned = whole.edit(prune(gone))
    assert pruned.tokens == lived(r, [*begin, *kept]).tokens
    assert not gone & {part.id for node in pruned.nodes for part in node.parts}


def lived(r: Foreign, messages: list[Message]) -> Context:
    """The context of these messages, one node each."""
    after = r.messages([messages[2]], closes=False)[0]
    rendered = [
        r.opening(messages[:1]),
        r.message(messages[1], closes=False),
        after,
        *r.messages(messages[3:], closes=False, after=after.tokens[len(r.lead()) :]),
    ]
    context = Context(Tree())
    for message, one in zip(messages, rendered, strict=True):
        context = context.append(Draft(kind=Kind.OBSERVATION, tokens=one.tokens, parts=one.parts, message=message))
    return context


@everyone
def test_control_literals_in_anything_that_people_wrote_stay_text(name):
    r = ours(name)
    evil = "".join(f"{literal}\n" for literal in r.codec.controls)
    seen = [controls(r, hostile(name, said)) for said in (evil, "x")]
    assert seen[0] == seen[1]
    assert r.codec.literals.keys().isdisjoint(r.encode_text(evil))


def hostile(name: str, said: str) -> list[Message]:
    family = FAMILIES[name]
    tool = ToolSpec(said, said, {"type": "object", "properties": {said: {}}})
    act = Message(
        role="assistant",
        pieces=() if family.alone else (Piece(said),),
        reasoning=said if family.reasons else "",
        calls=(ToolCall(said, {said: said}),),
    )
    return [
        Message(role="system", pieces=(Piece(said),), tools=(tool,)),
        say("user", said),
        act,
        Message(role="tool", pieces=(Piece(said), Piece(said, "1"), Piece(said))),
    ]


def controls(r: Foreign, messages: list[Message]) -> list[int]:
    tokens = [t for one in (r.opening(messages[:2]), *r.messages(messages[2:], closes=False)) for t in one.tokens]
    return [token for token in tokens if token in r.codec.literals]


@everyone
def test_a_cut_action_is_closed_and_what_was_sampled_is_left_alone(name):
    r = ours(name)
    cut = r.encode_text("I was about to")
    open_, closed = (r.message(say("tool", "a"), closes=closes, after=cut).tokens for closes in (False, True))
    assert closed == (r.codec.control(FAMILIES[name].stops[0]), *open_)


def test_qwen25_letter_by_letter():
    messages = [
        Message(role="system", pieces=(Piece("You search."),), tools=(SPEC,)),
        say("user", "Who?"),
        Message(role="assistant", calls=(ToolCall("search", {"query": "x"}), ToolCall("search", {"query": "y"}))),
        say("tool", "a"),
        say("tool", "b"),
    ]
    spelled = codec("qwen2.5").decode(joined("qwen2.5", messages)).partition("</tool_call><|im_end|>")[2]
    assert spelled == (
        "\n<|im_start|>user\nWho?<|im_end|>\n<|im_start|>assistant\n"
        '<tool_call>\n{"name": "search", "arguments": {"query": "x"}}\n</tool_call>\n'
        '<tool_call>\n{"name": "search", "arguments": {"query": "y"}}\n</tool_call><|im_end|>\n'
        "<|im_start|>user\n<tool_response>\na\n</tool_response>\n<tool_response>\nb\n</tool_response><|im_end|>\n"
        "<|im_start|>assistant\n"
    )
    spoken = ours("qwen2.5").message(say("tool", "a"), closes=False).tokens
    whole = codec("qwen2.5").encode("user\n<tool_response>\na\n</tool_response>")
    assert spoken[2:-1] == whole  # tags that are text are tokenised with the text around them


def test_kimi_and_glm_follow_what_was_sampled():
    kimi, glm = ours("kimi-k2"), ours("glm-4.5")
    act = Message(role="assistant", calls=(ToolCall("search", {"query": "x"}),))
    after = kimi.message(act, closes=False).tokens[len(kimi.lead()) :]
    assert kimi.decode(kimi.message(say("tool", "a"), closes=False, after=after).tokens) == (
        "<|im_system|>search<|im_middle|>## Return of functions.search:0\na<|im_end|>"
    )
    after = glm.message(act, closes=False).tokens[len(glm.lead()) :]
    (stop,) = (glm.codec.control(literal) for literal in ("<|observation|>",))
    assert after[-1] == stop
    assert glm.message(say("tool", "a"), closes=False, after=after).tokens[0] != stop
    assert glm.message(say("tool", "a"), closes=False, after=after[:-1]).tokens[0] == stop


def test_types_come_from_the_tools_where_a_family_writes_strings_without_quotes():
    call = ToolCall("search", {"query": "5", "count": 5})
    for name in ("glm-4.5", "minimax-m2"):
        r = ours(name)
        tokens = r.message(Message(role="assistant", calls=(call,)), closes=False).tokens[len(r.lead()) :]
        assert r.parse(tokens, tools=(SPEC,)).calls == (call,)
        assert r.parse(tokens).calls == (ToolCall("search", {"query": 5, "count": 5}),)


def test_what_a_template_would_leave_out_is_refused():
    call = ToolCall("search", {})
    with pytest.raises(ConfigError, match="llama-3 writes one call and nothing beside it"):
        ours("llama-3").message(Message(role="assistant", calls=(call, call)), closes=False)
    with pytest.raises(ConfigError, match="kimi-k2 has no place for reasoning"):
        ours("kimi-k2").message(Message(role="assistant", reasoning="hm"), closes=False)
    with pytest.raises(ConfigError, match="deepseek-v3 shows tools in the first message only"):
        ours("deepseek-v3").message(Message(role="system", tools=(SPEC,)), closes=False)


def test_auto_reads_the_family_off_the_tokenizer():
    found = {name: choose_renderer("auto", codec(name)).name for name in ("qwen3", "qwen2.5", "llama-3", "minimax-m2")}
    assert all(name == chosen for name, chosen in found.items())
    assert isinstance(choose_renderer("auto", codec("gpt-oss")), Harmony)
    assert isinstance(choose_renderer("auto", Codec(tokenizer(tags=False))), ChatML)


@pytest.mark.parametrize("name", ["glm-4.5", "kimi-k2", "deepseek-v3"])
def test_relatives_whose_formats_differ_must_be_named(name):
    with pytest.raises(ConfigError, match=r"name the policy\.renderer that fits"):
        choose_renderer("auto", codec(name))
    assert choose_renderer(name, codec(name)).name == name


@everyone
def test_a_tokenizer_of_another_family_is_refused(name):
    missing = FAMILIES[name].controls[-1]
    special, tags = CONTROLS[name]
    short = carrying(*(one for one in special if one != missing), tags=tuple(one for one in tags if one != missing))
    with pytest.raises(ConfigError, match="has no control token"):
        Foreign(Codec(short), FAMILIES[name])


def test_a_control_token_that_only_the_package_asks_for_is_missed_in_one_sentence():
    special, _ = CONTROLS["kimi-k2"]
    short = carrying(*(one for one in special if one != "<|im_user|>"))
    with pytest.raises(ConfigError, match=r"no tokenizer of kimi-k2 \(.*im_user"):
        Foreign(Codec(short), FAMILIES["kimi-k2"])


def test_without_the_package_the_remedy_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "renderers", None)
    with pytest.raises(ConfigError, match=r"pip install 'trivium\[qwen\]'"):
        Foreign(codec("llama-3"), FAMILIES["llama-3"])
