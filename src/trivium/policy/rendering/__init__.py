"""Rendering: messages to the tokens of nodes, sampled tokens to what they say.

    Renderer        the seam; `Rendered` is the tokens of one node with the spans of its parts
    ChatML          small models; CHAT_TEMPLATE is the same format for `apply_chat_template`
    Qwen3           Qwen3 through the `renderers` package (extra `qwen`)
    Codec           a tokenizer whose control tokens are out of the reach of text

Always true: no text becomes a control token, and what was sampled is never written again.
"""

from .base import Rendered, Renderer, Stream, TokenStream
from .chatml import CHAT_TEMPLATE, ChatML
from .codec import Codec
from .qwen import Qwen3

__all__ = ["CHAT_TEMPLATE", "ChatML", "Codec", "Qwen3", "Rendered", "Renderer", "Stream", "TokenStream"]
