"""The smallest real run: a random two-layer Qwen2 with its own tokenizer, over a folder of linked pages."""

import random

import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM

SYLLABLES = ("ba", "ke", "lo", "mi", "nu", "ra", "se", "ti", "vo", "zu")
PAGES = 36


def write_pages(folder):
    """Pages in two-page chains: each names the next; rare words make every page findable."""
    rng = random.Random(7)
    folder.mkdir()
    names = [f"page{index:02d}" for index in range(PAGES)]
    for index, name in enumerate(names):
        words = ["".join(rng.choice(SYLLABLES) for _ in range(4)) for _ in range(12)]
        target = names[(index + 1) % PAGES]
        text = f"# {name}\n\n{' '.join(words)} are kept here. See [{target}]({target}.md).\n"
        (folder / f"{name}.md").write_text(text)
    return folder


def write_model(folder, pages):
    """A model folder in Hugging Face format, with a byte-level tokenizer of the pages."""
    tokenizer = _tokenizer([path.read_text() for path in sorted(pages.glob("*.md"))])
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|im_end|>").save_pretrained(folder)
    torch.manual_seed(0)
    config = Qwen2Config(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=1024,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=None,
    )
    Qwen2ForCausalLM(config).save_pretrained(folder)
    return folder


def _tokenizer(texts):
    built = Tokenizer(models.BPE())
    built.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    built.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    built.train_from_iterator(
        texts, trainers.BpeTrainer(vocab_size=600, initial_alphabet=alphabet, show_progress=False)
    )
    literals = ("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<tool_call>", "</tool_call>")
    built.add_tokens([AddedToken(literal, special=True, normalized=False) for literal in literals])
    return built


RECIPE = """
name = "tiny"

[policy]
model = "{model}"
threads = 1

[environment.corpus]
kind = "folder"
path = "{pages}"
chunk_tokens = 120

[environment.tasks]
train = 12
held_out = 4
held_out_share = 0.4
clues = 3

[environment.shown]
hits = 2
cost = false

[budget]
window = 960
reply = 96
turns = 2

[schedule]
steps = 2
groups = 2
group_size = 2

[eval]
tasks = 3

[sft]
episodes = 40
rows = 1
lr = 1e-2
warmup = 2
"""


def write_world(folder):
    """Pages, model and recipe; returns the recipe's path."""
    pages = write_pages(folder / "pages")
    model = write_model(folder / "model", pages)
    path = folder / "tiny.toml"
    path.write_text(RECIPE.format(model=model, pages=pages))
    return path
