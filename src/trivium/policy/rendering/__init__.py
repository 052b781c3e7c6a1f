"""Rendering: messages to the tokens of nodes, sampled tokens to what they say.

    Renderer        the seam; `Rendered` is the tokens of one node with the spans of its parts
    ChatML          small models; CHAT_TEMPLATE is the same format for `apply_chat_template`
    Foreign         the chat formats of model families (FAMILIES) through the `renderers` package (extra `qwen`)
    Qwen3           one of them, by its own name
    Harmony         gpt-oss
    choose_renderer by name, or by the tokenizer's control tokens; require_renderer: is it installed?
    Codec           a tokenizer whose control tokens are out of the reach of text

Always true: no text becomes a control token, and what was sampled is never written again.
"""

from .base import Rendered, Renderer, Stream, TokenStream
from .chatml import CHAT_TEMPLATE, ChatML
from .choose import choose_renderer, require_renderer
from .codec import Codec
from .family import FAMILIES
from .foreign import Foreign
from .harmony import Harmony
from .qwen import Qwen3

__all__ = [
    "CHAT_TEMPLATE",
    "FAMILIES",
    "ChatML",
    "Codec",
    "Foreign",
    "Harmony",
    "Qwen3",
    "Rendered",
    "Renderer",
    "Stream",
    "TokenStream",
    "choose_renderer",
    "require_renderer",
]
