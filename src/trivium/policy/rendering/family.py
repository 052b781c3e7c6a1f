"""Model families as data: what of a family's chat format the package `renderers` does not say by itself.

    FAMILIES    by the name that recipes write, with the models whose template each was read off
    Family      one of them; `told.py` writes messages for it, `foreign.py` renders

Always true: what a template would leave out of a message (reasoning, text beside a call) is refused, not lost.
"""

import json
import re
from collections.abc import Callable, Mapping

import msgspec

from trivium.episode import ToolSpec
from trivium.policy.parsing import Parsed, StretchKind


class Naming(msgspec.Struct, frozen=True):
    """How a result names the call that it answers."""

    written: str
    """Pattern of the label, group 1, in what was sampled."""
    form: str
    """The label of a canned call, by its name and place."""
    bare: str
    """Pattern of the tool's name, group 1, in a label."""

    def label(self, name: str, place: int) -> str:
        """The label of a canned call."""
        return self.form.format(name=name, place=place)

    def name(self, label: str) -> str:
        """The tool's name in a label."""
        found = re.fullmatch(self.bare, label, re.DOTALL)
        return found.group(1) if found else label

    def labels(self, parsed: Parsed) -> list[str]:
        """The labels of sampled calls, in the order in which the harness answers: malformed ones last."""
        ordered = sorted(parsed.stretches, key=lambda one: one.kind is StretchKind.MALFORMED)
        stretches = (one.raw for one in ordered if one.kind in (StretchKind.CALL, StretchKind.MALFORMED))
        found = [re.search(self.written, raw, re.DOTALL) for raw in stretches]
        return [match.group(1) if match else "" for match in found]


class Family(msgspec.Struct, frozen=True, kw_only=True):
    """One chat format, as the package `renderers` lays it out."""

    name: str
    renderer: str
    """Class in the package; its configuration is `RendererConfig` behind the same name."""
    settings: Mapping[str, object] = msgspec.field(default_factory=dict)
    dialect: str
    """How it writes calls, in `trivium.policy.parsing`."""
    controls: tuple[str, ...]
    """Control tokens without which a tokenizer is not of this family."""
    stops: tuple[str, ...]
    """Control tokens that end a turn; the first closes one that was cut."""
    separator: str = ""
    """What the template puts after the end of a message: the start of what follows, since the model stops there."""
    drops: frozenset[str] = frozenset()
    tool: Callable[[ToolSpec], str] | None = None
    """A tool as the template prints it; None: it shows none, and they stand as signatures in the message's text."""
    named: Naming | None = None
    spelled: tuple[str, ...] = ()
    """Tags that the package takes for control tokens, and that are text in this family."""
    reasons: bool = False
    """It writes the reasoning of canned messages."""
    empties: bool = False
    """It writes an empty thought into a message without one that nobody answers."""
    thinks: bool = False
    """Its generation header ends inside the thought."""
    trims: frozenset[str] = frozenset()
    """Roles whose texts lose the white space at their ends."""
    quotes: bool = False
    """It writes a tool's result as a JSON string."""
    unwraps: bool = False
    """It prints a tool without OpenAI's envelope, and takes it out itself."""
    typed: bool = False
    """It writes arguments one by one, strings without quotes."""
    alone: bool = False
    """It writes one call a message, and no text beside it."""
    precedes: bool = False
    """Its generation header ends a user message and comes after no result, so no action begins with one."""
    settles: tuple[str, ...] = ()
    """Control tokens in front of a stop, without which the package takes a thought for unfinished."""
    takes_turns: tuple[str, str] | None = None
    """The model stops by the token that opens what follows: (a result, a user message)."""


def _json(spec: ToolSpec, envelope: bool = True, **layout: object) -> str:
    function = {"name": spec.name, "description": spec.description, "parameters": spec.parameters}
    told = {"type": "function", "function": function} if envelope else function
    return json.dumps(told, ensure_ascii=False, **layout)  # type: ignore[arg-type]


def _indented(spec: ToolSpec) -> str:
    return _json(spec, indent=4)


def _compact(spec: ToolSpec) -> str:
    return _json(spec, separators=(",", ":"), sort_keys=True)


def _bare(spec: ToolSpec) -> str:
    return _json(spec, envelope=False)


OLD_THOUGHTS = frozenset({"reasoning_before_last_user"})
_CHATML = ("<|im_end|>", "<|endoftext|>")
_QWEN_CALLS = ("<tool_call>", "</tool_call>")
_QWEN3 = ("<|im_start|>", *_CHATML, *_QWEN_CALLS, "<tool_response>", "</tool_response>", "<think>", "</think>")
_DEEPSEEK = "<｜{}｜>".format
_GLM = ("<|endoftext|>", "<|user|>", "<|observation|>")

QWEN3 = Family(
    name="qwen3",
    renderer="Qwen3",
    settings={"enable_thinking": True, "thinking_retention": "all"},
    dialect="hermes",
    controls=_QWEN3,
    stops=_CHATML,
    separator="\n",
    drops=OLD_THOUGHTS,
    tool=_json,
    reasons=True,
    empties=True,
)
QWEN3_SILENT = msgspec.structs.replace(QWEN3, settings={"enable_thinking": False, "thinking_retention": "all"})
QWEN25 = msgspec.structs.replace(
    QWEN3,
    name="qwen2.5",
    controls=("<|im_start|>", *_CHATML, *_QWEN_CALLS),
    spelled=("<tool_response>", "</tool_response>", "</think>"),
    drops=frozenset(),
    reasons=False,
)
LLAMA3 = Family(
    name="llama-3",
    renderer="Llama3",
    settings={"tools_in_user_message": False},
    dialect="llama3_json",
    controls=("<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>", "<|eom_id|>"),
    stops=("<|eot_id|>", "<|eom_id|>", "<|end_of_text|>"),
    tool=_indented,
    trims=frozenset({"system", "user", "assistant"}),
    quotes=True,
    alone=True,
)
DEEPSEEK3 = Family(
    name="deepseek-v3",
    renderer="DeepSeekV3",
    dialect="deepseek",
    controls=tuple(map(_DEEPSEEK, ("User", "Assistant", "tool▁outputs▁begin", "tool▁sep", "end▁of▁sentence"))),
    stops=(_DEEPSEEK("end▁of▁sentence"),),
    precedes=True,
)
KIMI2 = Family(
    name="kimi-k2",
    renderer="KimiK2",
    dialect="kimi_k2",
    controls=("<|im_middle|>", "<|im_end|>", "<|tool_calls_section_begin|>", "<|tool_call_argument_begin|>"),
    stops=("<|im_end|>",),
    tool=_compact,
    named=Naming(
        written=r"<\|tool_call_begin\|>(.*?)(?:<\|tool_call_argument_begin\|>|\Z)",
        form="functions.{name}:{place}",
        bare=r"(?:functions\.)?(.+?)(?::\d+)?",
    ),
)
GLM45 = Family(
    name="glm-4.5",
    renderer="GLM45",
    settings={"thinking_retention": "all"},
    dialect="glm",
    controls=("[gMASK]", "<sop>", *_GLM, "<think>", "</think>", "<tool_call>", "<arg_key>"),
    stops=_GLM,
    drops=OLD_THOUGHTS,
    tool=_json,
    reasons=True,
    trims=frozenset({"assistant"}),
    typed=True,
    settles=("</think>",),
    takes_turns=("<|observation|>", "<|user|>"),
)
MINIMAX2 = Family(
    name="minimax-m2",
    renderer="MiniMaxM2",
    settings={"thinking_retention": "all"},
    dialect="minimax",
    controls=("]~!b[", "]~b]", "[e~[", "<think>", "</think>", "<minimax:tool_call>", "</minimax:tool_call>"),
    stops=("[e~[",),
    separator="\n",
    drops=OLD_THOUGHTS,
    tool=_bare,
    reasons=True,
    thinks=True,
    unwraps=True,
    typed=True,
)
FAMILIES = {family.name: family for family in (QWEN3, QWEN25, LLAMA3, DEEPSEEK3, KIMI2, GLM45, MINIMAX2)}
