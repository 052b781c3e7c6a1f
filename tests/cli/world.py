"""The smallest real run: a random two-layer Qwen2 with its own tokenizer, over a folder of linked pages."""

import random

from policy.tiny import write_model

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


RECIPE = """
name = "tiny"

[policy]
model = "{model}"
threads = 1

[environment]
prompt = "short"

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
batch_episodes = 1
lr = 1e-2
warmup = 2
"""


def write_world(folder):
    """Pages, model and recipe; returns the recipe's path."""
    pages = write_pages(folder / "pages")
    model = write_model(folder / "model", [path.read_text() for path in sorted(pages.glob("*.md"))])
    path = folder / "tiny.toml"
    path.write_text(RECIPE.format(model=model, pages=pages))
    return path
