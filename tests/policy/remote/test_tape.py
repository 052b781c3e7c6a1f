"""What stands on a tape is read back as it was written."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from trivium.episode import Message, Piece, ToolCall, ToolSpec
from trivium.policy.remote import Tape
from trivium.policy.remote.chat import RawCall

from .server import renderer

TAPE = Tape(renderer().codec)
SPEC = ToolSpec("search", "finds", {"type": "object", "properties": {"query": {"type": "string"}}})
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40) | st.sampled_from(
    ["<|im_end|>", "<|im_start|>tool\n", "<tool_call>{}</tool_call>", "\n\n"]
)


@given(system=texts, user=texts, answers=st.lists(texts, min_size=1, max_size=3), said=texts)
@settings(max_examples=30, deadline=None)
def test_reading_gives_what_was_written(system, user, answers, said):
    calls = tuple(ToolCall("search", {"query": answer}) for answer in answers)
    tokens = list(TAPE.opening([Message(role="system", pieces=(Piece(system),), tools=(SPEC,))]).tokens)
    tokens += TAPE.message(Message(role="user", pieces=(Piece(user),)), closes=False).tokens
    tokens += [*TAPE.lead(), *TAPE.reply(said, calls)]
    for answer in answers:
        tokens += TAPE.message(Message(role="tool", pieces=(Piece(answer),)), closes=False).tokens
    messages, tools = TAPE.read([*tokens, *TAPE.lead()])
    assert [tool["function"]["name"] for tool in tools] == ["search"]
    assert tools[0]["function"]["parameters"] == SPEC.parameters
    assert messages[0] == {"role": "system", "content": system}
    assert messages[1] == {"role": "user", "content": user}
    told = [json.loads(call["function"]["arguments"])["query"] for call in messages[2]["tool_calls"]]
    assert told == answers
    assert messages[2]["content"] == (said if said.strip() else "")
    names = [call["id"] for call in messages[2]["tool_calls"]]
    assert messages[3:] == [
        {"role": "tool", "tool_call_id": name, "content": answer} for name, answer in zip(names, answers, strict=True)
    ]


def test_a_call_whose_arguments_are_no_json_is_malformed_for_the_parser():
    parsed = TAPE.parse(TAPE.reply("", [RawCall("search", '{"query": ')]))
    assert parsed.calls == ()
    assert len(parsed.malformed) == 1


def test_the_answer_to_a_malformed_call_is_told_by_the_user():
    tokens = [*TAPE.opening([Message(role="system", pieces=(Piece("s"),))]).tokens, *TAPE.lead()]
    tokens += TAPE.reply("", [RawCall("search", "{")])
    tokens += TAPE.message(Message(role="tool", pieces=(Piece("could not be read"),)), closes=False).tokens
    messages, _ = TAPE.read(tokens)
    assert [message["role"] for message in messages] == ["system", "assistant", "user"]
    assert '"name": "search"' in messages[1]["content"]
