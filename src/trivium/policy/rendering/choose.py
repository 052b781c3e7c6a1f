"""Which renderer: by name, or by the control tokens that only one family has."""

from trivium.episode import ConfigError

from .base import Renderer
from .chatml import ChatML
from .codec import Codec
from .family import FAMILIES
from .foreign import Foreign, package
from .harmony import Harmony

MARKS: tuple[tuple[str, frozenset[str]], ...] = (
    ("gpt-oss", frozenset({"<|channel|>", "<|constrain|>", "<|call|>"})),
    ("llama-3", frozenset({"<|start_header_id|>", "<|eom_id|>"})),
    ("minimax-m2", frozenset({"]~!b[", "<minimax:tool_call>"})),
    ("qwen3", frozenset({"<|im_start|>", "<think>", "<tool_response>"})),
    ("qwen2.5", frozenset({"<|im_start|>", "<tool_call>", "<|vision_start|>"})),
)
"""Family, and control tokens that only its tokenizers have; the first that fits."""
RELATIVES = (
    ("<|im_middle|>", "Kimi K2 and its successors,"),
    ("<｜Assistant｜>", "DeepSeek V3, R1 and their successors,"),
    ("[gMASK]", "all GLMs, of which glm-4.5 is known,"),
)
"""Control tokens of families whose generations share them, and not the chat format, of which one is known here."""


def choose_renderer(name: str, codec: Codec) -> Renderer:
    """The renderer that a recipe names; for `auto` that of the tokenizer's family, and ChatML where none is known.

    Raises ConfigError for a tokenizer of another family, and for a relative whose template differs.
    """
    if name == "auto":
        name = _family_of(codec)
    if name == "chatml":
        return ChatML(codec)
    return Harmony(codec) if name == Harmony.name else Foreign(codec, FAMILIES[name])


def require_renderer(name: str) -> None:
    """Raises ConfigError when what a renderer needs, beside its tokenizer, is not installed."""
    if name in FAMILIES:
        package(FAMILIES[name])


def _family_of(codec: Codec) -> str:
    known = codec.controls.keys()
    for name, marks in MARKS:
        if known >= marks:
            return name
    for mark, relatives in RELATIVES:
        if mark in known:
            raise ConfigError(
                f"the tokenizer has {mark}, as have {relatives} whose chat formats differ: "
                "name the policy.renderer that fits"
            )
    return "chatml"
