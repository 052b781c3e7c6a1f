"""Peak memory, each in a process of its own: python benchmarks/memory.py [--demo]

tree     forward, backward and optimiser step of the embedded policy over one tree of 30,000 computed tokens:
         100 branches of 296 tokens behind 400 shared ones, every third token of a branch trained; float32
chunks   log-probs of 4,096 places over a vocabulary of 151,936, with their gradient (hidden width 64), beside the
         two tensors of that size that all at once would need
demo     the demo's recipe for 3 steps and 16 held-out tasks (--demo: builds its corpus first)
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile

import numpy as np
import torch

from trivium.learn import AdamWSettings, Batch, Cispo, Learner, Segment, Share
from trivium.policy.models import load_model
from trivium.run import policy_folder


def segment(tokens: list[int], trained: range, name: str) -> Segment:
    """A segment whose tokens in `trained` are trained."""
    mask_T = np.zeros(len(tokens), bool)
    mask_T[trained.start : trained.stop : trained.step] = True
    return Segment(name, np.asarray(tokens), mask_T, np.where(mask_T, -5.0, 0.0), np.ones(len(tokens)))


def tree() -> dict[str, object]:
    """One step over one tree."""
    rng = np.random.default_rng(0)
    shared = rng.integers(4096, size=400).tolist()
    rows = [
        segment(shared + rng.integers(4096, size=296).tolist(), range(400, 696, 3), f"e{number}")
        for number in range(100)
    ]
    model = load_model(policy_folder("embedded"))[0].float()
    before = peak()
    learner = Learner(
        model, AdamWSettings(lr=1e-5, clip_norm=1.0), Cispo(0.0, 5.0), substeps=1, micro_tokens=40_000, layout="trees"
    )
    shares = tuple(Share(row.episode, 1.0, (row,)) for row in rows)
    report = learner.step(Batch(shares, 100.0))
    return {"computed_tokens": report.tokens_read, "before_gb": before, "peak_gb": peak()}


def chunks() -> dict[str, object]:
    """Log-probs over a large vocabulary."""
    from transformers import Qwen2Config, Qwen2ForCausalLM

    vocabulary = 151_936
    config = Qwen2Config(
        vocab_size=vocabulary, hidden_size=64, intermediate_size=128, num_hidden_layers=1, num_attention_heads=2,
        num_key_value_heads=1, max_position_embeddings=8192, tie_word_embeddings=True,
    )  # fmt: skip
    model = Qwen2ForCausalLM(config).float()
    before = peak()
    tokens = np.random.default_rng(0).integers(vocabulary, size=4097).tolist()
    learner = Learner(
        model, AdamWSettings(lr=1e-5, clip_norm=1.0), Cispo(0.0, 5.0), substeps=1, micro_tokens=8192, layout="trees"
    )
    learner.step(Batch((Share("e", 1.0, (segment(tokens, range(1, 4097), "e"),)),), 1.0))
    return {"before_gb": before, "peak_gb": peak(), "at_once_gb": round(2 * 4096 * vocabulary * 4 / 2**30, 2)}


def demo() -> dict[str, object]:
    """A short demo."""
    from pathlib import Path

    from trivium.config import load_recipe
    from trivium.run import train_run
    from trivium.run.progress import Quiet

    asked = ["schedule.steps=3", "eval.tasks=16", "policy.threads=1"]
    with tempfile.TemporaryDirectory() as folder:
        train_run(
            load_recipe(Path(__file__).parents[1] / "recipes" / "demo.toml", asked), Path(folder) / "run", Quiet()
        )
    return {"peak_gb": peak()}


def peak() -> float:
    """Largest resident set of this process so far, in GB."""
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 2)


CASES = {"tree": tree, "chunks": chunks, "demo": demo}


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--demo", action="store_true")
    parser.add_argument("--only", choices=CASES, help="in this process")
    asked = parser.parse_args()
    if asked.only:
        torch.set_num_threads(1)
        print(json.dumps({"benchmark": "memory", "case": asked.only, **CASES[asked.only]()}))
        return
    for name in CASES:
        if name != "demo" or asked.demo:
            subprocess.run([sys.executable, __file__, "--only", name], check=True)


if __name__ == "__main__":
    main()
