"""The codec: text to tokens and back, with control tokens out of the reach of text.

Always true: `encode` never yields a control id, whatever the text says. Text goes through a copy of the tokenizer that
has no added tokens; a control token is written by its id, and only by a renderer.
"""

import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Self

from tokenizers import Tokenizer

from trivium.episode import ConfigError, without_surrogates

from .byte_decoder import ByteDecoder

_REMEMBERED = 4_000
"""Letters of a text whose tokens are kept for the next time: chunks, headers, scaffold; at most some 80 MB of them."""


class Codec:
    """A tokenizer in two halves: `controls` by id, everything else as plain text.

    Raises ConfigError for a tokenizer that treats a text differently at its start (a prefix space): pieces that are
    tokenised apart would not be what the chat template gives.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        state = json.loads(tokenizer.to_str())
        added = {token["content"]: token["id"] for token in state["added_tokens"]}
        blanks = {token["content"] for token in state["added_tokens"] if _is_blank(token)}
        self.controls: Mapping[str, int] = {text: at for text, at in added.items() if text not in blanks}
        self.literals: Mapping[int, str] = {at: text for text, at in self.controls.items()}
        self._blanks = {text: added[text] for text in blanks}
        self._split = re.compile(f"({'|'.join(sorted(map(re.escape, blanks), key=len, reverse=True)) or '(?!)'})")
        self._full = tokenizer
        byte_level = (state.get("decoder") or {}).get("type") == "ByteLevel"
        self._byte_decoder = ByteDecoder(tokenizer) if byte_level else None
        self._plain = Tokenizer.from_str(json.dumps(_without_controls(state, self.controls)))
        self._remembered = lru_cache(maxsize=2048)(self._encode)
        self._check()

    @classmethod
    def from_file(cls, path: str | Path) -> Self:
        """Read a `tokenizer.json`, or the one in a checkpoint's folder."""
        file = Path(path) / "tokenizer.json" if Path(path).is_dir() else Path(path)
        if not file.is_file():
            raise ConfigError(f"there is no tokenizer at {file}; name a tokenizer.json or the folder that holds it")
        return cls(Tokenizer.from_file(str(file)))

    def control(self, literal: str) -> int:
        """The id of a control token. Raises ConfigError when the tokenizer lacks it."""
        if literal not in self.controls:
            raise ConfigError(
                f"the tokenizer has no control token {literal}; add it as an added token or choose another renderer"
            )
        return self.controls[literal]

    def encode(self, text: str) -> tuple[int, ...]:
        """Tokens of plain text. Halves of surrogate pairs, which no UTF-8 holds, become U+FFFD."""
        return self._remembered(text) if len(text) <= _REMEMBERED else self._encode(text)

    def _encode(self, text: str) -> tuple[int, ...]:
        tokens: list[int] = []
        for index, stretch in enumerate(self._split.split(without_surrogates(text))):
            if index % 2:
                tokens.append(self._blanks[stretch])
            elif stretch:
                tokens += self._plain.encode(stretch, add_special_tokens=False).ids
        return tuple(tokens)

    def decode(self, tokens: Sequence[int]) -> str:
        """The text of tokens, control tokens spelled out."""
        if self._byte_decoder is not None:
            return self._byte_decoder.decode(tokens)
        return str(self._full.decode(list(tokens), skip_special_tokens=False))

    def _check(self) -> None:
        for literal, control in self.controls.items():
            spelled = self.encode(literal)
            if not self.literals.keys().isdisjoint(spelled):
                raise ConfigError(f"the text {literal} cannot be told from the control token {control}; re-number it")
        start = next(iter(self.controls), None)
        if start is None:
            return
        inside = self._full.encode(start + "a", add_special_tokens=False).ids
        if tuple(inside) != (self.controls[start], *self.encode("a")):
            raise ConfigError(
                f"after {start} the tokenizer gives {inside[1:]} for 'a', alone {list(self.encode('a'))}; "
                "use a byte-level tokenizer without a prefix space"
            )


def _is_blank(token: Mapping[str, Any]) -> bool:
    """Runs of white space are added tokens in some vocabularies; they carry no authority and stay text."""
    return not token["special"] and not token["content"].strip()


def _without_controls(state: dict[str, Any], controls: Mapping[str, int]) -> dict[str, Any]:
    plain = dict(state, truncation=None, padding=None, post_processor=None, added_tokens=[])
    model = dict(state["model"])
    keep = model.get("unk_token")
    if isinstance(model.get("vocab"), dict):
        model["vocab"] = {word: at for word, at in model["vocab"].items() if word not in controls or word == keep}
    plain["model"] = model
    return plain
