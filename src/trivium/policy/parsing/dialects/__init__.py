"""One file per dialect; `DIALECTS` names them all."""

from collections.abc import Callable, Mapping
from functools import partial

from trivium.policy.parsing.blocks import BlockParser
from trivium.policy.parsing.dialect import Dialect
from trivium.policy.parsing.reading import Rules
from trivium.policy.parsing.stream import Parser

from .any import MIXED
from .cohere import COHERE
from .deepseek import DEEPSEEK
from .glm import GLM
from .harmony import HarmonyParser
from .hermes import HERMES
from .json import BARE
from .kimi_k2 import KIMI
from .llama3 import LLAMA, LLAMA_JSON
from .minimax import MINIMAX
from .mistral import MISTRAL
from .pythonic import PYTHONIC
from .qwen3coder import QWEN_XML
from .step3 import STEP

_BLOCKS: tuple[Dialect, ...] = (
    HERMES,
    BARE,
    QWEN_XML,
    GLM,
    KIMI,
    LLAMA,
    LLAMA_JSON,
    COHERE,
    DEEPSEEK,
    MISTRAL,
    MINIMAX,
    STEP,
    PYTHONIC,
    MIXED,
)
DIALECTS: Mapping[str, Callable[[Rules], Parser]] = {
    **{dialect.name: partial(BlockParser, dialect) for dialect in _BLOCKS},
    "harmony": HarmonyParser,
}
