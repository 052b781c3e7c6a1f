"""Builds the tokenizer of the embedded policy: byte-level BPE whose cuts do not depend on a leading space.

A small model copies words from where a space stands before them (prose) to where none does (JSON strings). So merges
are learned on bare words first; only then may a leading space join the first piece of a word. A word is therefore cut
the same in both places, and each spaced piece has a bare twin (`twins`), with which its embedding is initialised.
Digits are cut in pairs, so that a 4-digit id is 2 tokens.
"""

import json
from collections import Counter
from collections.abc import Iterable

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

CONTROL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<tool_call>", "</tool_call>")
WORDS = r" ?[A-Za-z]+| ?[^\sA-Za-z0-9]+|\d{1,2}|\s+"
SPACE = "Ġ"
SCAFFOLD = (
    '{"name": "search_corpus", "arguments": {"query": "x"}}',
    '{"name": "prune_chunks", "arguments": {"chunk_ids": ["12", "34"]}}',
    '{"name": "grep_corpus", "arguments": {"pattern": "x"}}',
    '{"name": "read_document", "arguments": {"doc_id": "12"}}',
    "<Document id=12></Document>\n# DOCUMENT ID: 12\n[Token usage: 12/34]Error: system user assistant tool",
    "# Tools\nsearch_corpus(query: string)\nprune_chunks(chunk_ids: string[])",
)


def cutter() -> pre_tokenizers.PreTokenizer:
    """Words, runs of punctuation (each with at most one leading space), pairs of digits, runs of white space."""
    return pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(WORDS), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )


def build(texts: Iterable[str], size: int = 4096, bare: int = 2560) -> Tokenizer:
    """Train on `texts`: at most `bare` pieces without a space, then spaced twins up to `size` tokens in all."""
    counts: Counter[str] = Counter()
    cut = cutter()
    for text in texts:
        counts.update(word for word, _ in cut.pre_tokenize_str(text))
    for text in SCAFFOLD:
        counts.update({word: 2000 for word, _ in cut.pre_tokenize_str(text)})
    counts.update({f"{number:02d}": 3000 for number in range(100)})
    merges, vocab = _bare_merges(counts, bare)
    first = _first_pieces(counts, merges, vocab)
    for piece, _ in first.most_common(size - len(CONTROL) - len(vocab)):
        vocab[SPACE + piece] = len(vocab)
        merges.append((SPACE, piece))
    tokenizer = Tokenizer(models.BPE(vocab=vocab, merges=merges))
    tokenizer.pre_tokenizer = cutter()
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(text, special=True, normalized=False) for text in CONTROL])
    return tokenizer


def _bare_merges(counts: Counter[str], bare: int) -> tuple[list[tuple[str, str]], dict[str, int]]:
    trainer = trainers.BpeTrainer(
        vocab_size=bare, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False, min_frequency=3
    )
    learner = Tokenizer(models.BPE())
    learner.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    words = Counter[str]()
    for word, count in counts.items():
        words[word.removeprefix(SPACE)] += count
    sample = (word for word, count in words.items() for _ in range(min(count, 3000)) if word)
    learner.train_from_iterator(sample, trainer)
    model = json.loads(learner.to_str())["model"]
    return [(left, right) for left, right in model["merges"]], dict(model["vocab"])


def _first_pieces(counts: Counter[str], merges: list[tuple[str, str]], vocab: dict[str, int]) -> Counter[str]:
    bare = Tokenizer(models.BPE(vocab=vocab, merges=merges))
    first: Counter[str] = Counter()
    for word, count in counts.items():
        if word.startswith(SPACE) and len(word) > 1:
            first[bare.encode(word[1:]).tokens[0]] += count
    return first


def twins(tokenizer: Tokenizer) -> list[tuple[int, int]]:
    """(spaced, bare) ids of every piece that has both forms, and of capitalised and lower-case forms."""
    vocab = tokenizer.get_vocab()
    pairs = [(index, vocab[token[1:]]) for token, index in vocab.items() if token[0] == SPACE and token[1:] in vocab]
    lower = [(index, vocab[token.lower()]) for token, index in vocab.items() if token != token.lower() in vocab]
    return pairs + lower
