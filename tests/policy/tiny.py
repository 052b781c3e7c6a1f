"""The smallest real model folder: a random two-layer Qwen2 in Hugging Face format, with a byte-level tokenizer."""

from collections.abc import Iterable
from pathlib import Path

import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM

CONTROL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<tool_call>", "</tool_call>")


def write_model(folder: Path, texts: Iterable[str] = (), seed: int = 0) -> Path:
    """A model folder whose tokenizer merges the letters of `texts` (without texts: single bytes)."""
    tokenizer = _tokenizer(texts)
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|im_end|>").save_pretrained(folder)
    torch.manual_seed(seed)
    config = Qwen2Config(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        max_position_embeddings=1024,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=None,
    )
    Qwen2ForCausalLM(config).save_pretrained(folder)
    return folder


def _tokenizer(texts: Iterable[str]) -> Tokenizer:
    built = Tokenizer(models.BPE())
    built.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    built.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    built.train_from_iterator(
        texts, trainers.BpeTrainer(vocab_size=600, initial_alphabet=alphabet, show_progress=False)
    )
    built.add_tokens([AddedToken(literal, special=True, normalized=False) for literal in CONTROL])
    return built
