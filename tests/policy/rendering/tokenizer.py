"""A real byte-level BPE tokenizer that carries Qwen's control tokens, trained on a few lines."""

from functools import cache

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
TAGS = ("<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<think>", "</think>")
SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
CORPUS = [
    "<|im_start|>system\nYou search.\n\n# Tools\nsearch_corpus(query: string)\n",
    '{"name": "search_corpus", "arguments": {"query": "who wrote it"}}\n\n  ',
    "user assistant tool system the of and in to a is was for on as by with",
    "<tool_call> </tool_call> <|im_end|> <think>",
]


@cache
def tokenizer(tags: bool = True) -> Tokenizer:
    """With `tags`, the tags of calls and reasoning are added tokens too, as in Qwen3."""
    return carrying(*SPECIAL, tags=TAGS if tags else ())


@cache
def carrying(*special: str, tags: tuple[str, ...] = ()) -> Tokenizer:
    """One that carries these control tokens."""
    built = Tokenizer(models.BPE())
    built.normalizer = normalizers.NFC()
    built.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(SPLIT), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    built.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    built.train_from_iterator(
        CORPUS * 20, trainers.BpeTrainer(vocab_size=420, initial_alphabet=alphabet, show_progress=False)
    )
    built.add_tokens([AddedToken(literal, special=True, normalized=False) for literal in special])
    built.add_tokens([AddedToken(literal, special=False, normalized=False) for literal in tags])
    return built


def hf(built: Tokenizer, template: str | None = None) -> PreTrainedTokenizerFast:
    """The same tokenizer as transformers and vLLM use it."""
    wrapped = PreTrainedTokenizerFast(tokenizer_object=built, eos_token="<|im_end|>")
    if template is not None:
        wrapped.chat_template = template
    return wrapped
