"""Qwen3 by its own name."""

from .codec import Codec
from .family import QWEN3, QWEN3_SILENT
from .foreign import Foreign


class Qwen3(Foreign):
    """Renders and parses Qwen3. With `thinking` off, the generation header holds an empty thought."""

    def __init__(self, codec: Codec, *, thinking: bool = True) -> None:
        super().__init__(codec, QWEN3 if thinking else QWEN3_SILENT)
