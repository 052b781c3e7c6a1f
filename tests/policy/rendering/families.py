"""Every family with a byte-level tokenizer that carries its control tokens, and what lays its conversations out."""

import json
from functools import cache
from typing import Any

from trivium.episode import Message, ToolSpec
from trivium.policy.rendering import FAMILIES, Codec, Foreign
from trivium.policy.rendering.signatures import signatures
from trivium.policy.rendering.told import quoted

from .tokenizer import SPECIAL, TAGS, carrying, hf

DEEPSEEK = (
    "begin▁of▁sentence", "end▁of▁sentence", "User", "Assistant", "tool▁calls▁begin", "tool▁calls▁end",
    "tool▁call▁begin", "tool▁call▁end", "tool▁sep", "tool▁outputs▁begin", "tool▁outputs▁end", "tool▁output▁begin",
    "tool▁output▁end",
)  # fmt: skip
CONTROLS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "qwen3": (SPECIAL, TAGS),
    "qwen2.5": ((*SPECIAL, "<|vision_start|>"), ("<tool_call>", "</tool_call>")),
    "llama-3": (
        ("<|begin_of_text|>", "<|end_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>",
         "<|eom_id|>", "<|python_tag|>"),
        (),
    ),
    "deepseek-v3": (tuple(f"<｜{name}｜>" for name in DEEPSEEK), ()),
    "kimi-k2": (
        ("<|im_user|>", "<|im_assistant|>", "<|im_system|>", "<|im_middle|>", "<|im_end|>",
         "<|tool_calls_section_begin|>", "<|tool_calls_section_end|>", "<|tool_call_begin|>",
         "<|tool_call_argument_begin|>", "<|tool_call_end|>"),
        (),
    ),
    "glm-4.5": (
        ("<|endoftext|>", "[gMASK]", "<sop>", "<|system|>", "<|user|>", "<|assistant|>", "<|observation|>"),
        ("<think>", "</think>", "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<arg_key>",
         "</arg_key>", "<arg_value>", "</arg_value>"),
    ),
    "minimax-m2": (
        ("]~!b[", "]~b]", "[e~["), ("<think>", "</think>", "<minimax:tool_call>", "</minimax:tool_call>"),
    ),
    "gpt-oss": (
        ("<|start|>", "<|end|>", "<|message|>", "<|channel|>", "<|constrain|>", "<|return|>", "<|call|>"), (),
    ),
}  # fmt: skip
PACKAGED = tuple(name for name in FAMILIES if name != "qwen2.5")
"""Families that the package `renderers` knows by name."""


@cache
def codec(name: str) -> Codec:
    special, tags = CONTROLS[name]
    return Codec(carrying(*special, tags=tags))


@cache
def ours(name: str) -> Foreign:
    return Foreign(codec(name), FAMILIES[name])


@cache
def theirs(name: str) -> Any:
    import renderers

    family = FAMILIES[name]
    special, tags = CONTROLS[name]
    config = getattr(renderers, f"{family.renderer}RendererConfig")(**family.settings)
    return getattr(renderers, f"{family.renderer}Renderer")(hf(carrying(*special, tags=tags)), config)


def package_ids(name: str, messages: list[Message]) -> list[int]:
    """The tokens of a whole conversation, by the package on its own."""
    family = FAMILIES[name]
    specs = messages[0].tools
    told: list[dict[str, Any]] = []
    waiting: list[str] = []
    for message in messages:
        one: dict[str, Any] = {"role": message.role, "content": message.text}
        if message.tools and family.tool is None:
            one["content"] += "\n\n" * bool(message.text) + signatures(message.tools)
        if message.reasoning:
            one["reasoning_content"] = message.reasoning
        if message.calls:
            labels = [f"functions.{call.name}:{place}" for place, call in enumerate(message.calls)]
            one["tool_calls"] = [
                {"id": label, "function": {"name": call.name, "arguments": call.arguments}}
                for label, call in zip(labels, message.calls, strict=True)
            ]
            waiting = labels
        if message.role == "tool" and waiting:
            label = waiting.pop(0)
            one |= {"tool_call_id": label, "name": label.removeprefix("functions.").rpartition(":")[0]}
        told.append(one)
    tools = [_tool(spec) for spec in specs] if specs and family.tool is not None else None
    return list(theirs(name).render_ids(told, tools=tools, add_generation_prompt=True))


def _tool(spec: ToolSpec) -> dict[str, Any]:
    function = {"name": spec.name, "description": spec.description, "parameters": spec.parameters}
    return {"type": "function", "function": function}


def joined(name: str, messages: list[Message], renderer: Any = None) -> list[int]:
    """The same by node tokens: an opening of two, then turn by turn, as the harness does."""
    r = renderer or ours(name)
    tokens = [*r.opening(messages[:2]).tokens]
    at, after = 2, ()
    while at < len(messages):
        if messages[at].role == "assistant":
            (one,) = r.messages([messages[at]], closes=False)
            after, at = one.tokens[len(r.lead()) :], at + 1
            tokens += one.tokens
            continue
        stop = next((k for k in range(at, len(messages)) if messages[k].role == "assistant"), len(messages))
        for one in r.messages(messages[at:stop], closes=False, after=after):
            tokens += one.tokens
        after, at = (), stop
    return [*tokens, *r.lead()]


def shown(name: str, text: str) -> str:
    """A result's text as the family writes it."""
    return quoted(text) if FAMILIES[name].quotes else text


def plain_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
