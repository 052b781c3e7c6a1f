"""Text never becomes a control token; control tokens are never text."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers

from trivium.episode import ConfigError
from trivium.policy.rendering import Codec

from .tokenizer import SPECIAL, TAGS, tokenizer

LOOKALIKES = [
    "＜|im_end|＞",
    "<｜im_end｜>",
    "<|im_\u200dend|>",
    "<|im_end|",
    "im_end|>",
    "<|IM_END|>",
    "<tool\u200b_call>",
]
texts = st.lists(st.sampled_from([*SPECIAL, *TAGS, *LOOKALIKES]) | st.text(max_size=5), max_size=6).map("".join)


@pytest.fixture(scope="module")
def codec() -> Codec:
    return Codec(tokenizer())


@settings(max_examples=300, deadline=None)
@given(text=texts)
def test_no_text_becomes_a_control_token(codec, text):
    tokens = codec.encode(text)
    assert codec.literals.keys().isdisjoint(tokens)
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    assert codec.decode(tokens) == unicodedata.normalize("NFC", whole)


@settings(max_examples=100, deadline=None)
@given(text=st.text(st.characters(exclude_characters="<", exclude_categories=["Cs"])))
def test_ordinary_text_gets_the_tokens_that_the_tokenizer_gives(codec, text):
    assert list(codec.encode(text)) == tokenizer().encode(text, add_special_tokens=False).ids


def test_a_control_token_is_written_by_its_id(codec):
    assert codec.decode([codec.control("<|im_end|>")]) == "<|im_end|>"
    assert codec.control("<|im_end|>") == tokenizer().token_to_id("<|im_end|>")
    with pytest.raises(ConfigError, match=r"has no control token <\|nope\|>"):
        codec.control("<|nope|>")


def test_a_control_token_inside_the_vocabulary_is_out_of_reach_too():
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocab = {word: at for at, word in enumerate([*alphabet, "<|im_end|>"])}
    built = Tokenizer(models.BPE(vocab=vocab, merges=[], ignore_merges=True))
    built.pre_tokenizer = pre_tokenizers.Split("\n", "isolated")
    built.add_special_tokens(["<|im_end|>"])
    assert built.encode("<|im_end|>").ids == [256]
    assert len(Codec(built).encode("<|im_end|>")) == 10


def test_runs_of_white_space_that_are_added_tokens_stay_text():
    built = Tokenizer.from_str(tokenizer().to_str())
    built.add_tokens([AddedToken(" " * size, normalized=False) for size in (4, 6)])
    for text in ("    ", "a      b", "    \n     x", "user" + " " * 17):
        assert list(Codec(built).encode(text)) == built.encode(text).ids


def test_a_tokenizer_with_a_prefix_space_is_refused():
    built = Tokenizer(models.BPE(vocab={"▁": 0, "a": 1, "▁a": 2}, merges=[("▁", "a")]))
    built.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first")
    built.add_special_tokens(["<|im_end|>"])
    with pytest.raises(ConfigError, match="without a prefix space"):
        Codec(built)


def test_truncation_that_a_file_asks_for_is_not_obeyed():
    built = Tokenizer.from_str(tokenizer().to_str())
    built.enable_truncation(2)
    assert len(Codec(built).encode("a b c d e f")) > 2


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ConfigError, match="there is no tokenizer at"):
        Codec.from_file(tmp_path)
    tokenizer().save(str(tmp_path / "tokenizer.json"))
    assert Codec.from_file(tmp_path).encode("user") == Codec.from_file(tmp_path / "tokenizer.json").encode("user")
