"""A whole GRPO step against TRL's GRPOTrainer, in turn in one process: python benchmarks/grpo.py [--rounds 6]

The same random Qwen2 (4 layers, width 256) and tokenizer, the same 4 prompts x 8 completions of at most 32 new tokens,
the same reward, float32, one thread, one optimizer step on each batch, no gradient checkpointing. A step is the time
from one finished step to the next: rollout, reward, advantages, update, and with Trivium also the harness, the record
of every token and a checkpoint that survives a crash. `pip install trl datasets` first.
"""

import argparse
import json
import os
import statistics
import tempfile
import time
import warnings
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")
warnings.simplefilter("ignore")

import torch  # noqa: E402
from datasets import Dataset  # noqa: E402
from engine import make_model  # noqa: E402
from transformers import AutoTokenizer, TrainerCallback  # noqa: E402
from trl import GRPOConfig, GRPOTrainer  # noqa: E402

import trivium as tv  # noqa: E402
from trivium.run import policy_folder  # noqa: E402
from trivium.run.progress import Quiet  # noqa: E402
from trivium.store import RunStore  # noqa: E402

GROUPS, GROUP_SIZE, NEW = 4, 8, 32
STEPS = 6
"""Steps of a round; the first warms up and is left out."""
TASKS = [tv.Task(id=f"t{i}", prompt=f"Name some words that begin like number {i}.") for i in range(GROUPS)]


def vowels(text: str) -> float:
    """The share of vowels."""
    return sum(letter in "aeiou" for letter in text) / (1 + len(text))


class Clock(Quiet, TrainerCallback):  # type: ignore[misc]
    """Notes when a step ends, on either side."""

    def __init__(self) -> None:
        self.ends: list[float] = []

    def trained(self, step: int, metrics: Mapping[str, float]) -> None:
        """Trivium committed a step."""
        self.ends.append(time.perf_counter())

    def on_step_end(self, *_: Any, **__: Any) -> None:
        """TRL finished one."""
        self.ends.append(time.perf_counter())

    @property
    def seconds(self) -> list[float]:
        """Of each step but the first."""
        return [after - before for before, after in zip(self.ends, self.ends[1:], strict=False)]


def members(run: Path) -> list[tv.Episode]:
    """The episodes of the last step."""
    with RunStore(run, readonly=True) as store:
        return [store.episodes.get(member.episode) for member in store.ledger.members(STEPS - 1)]


def write_model(folder: Path) -> None:
    """The random model with the embedded policy's tokenizer."""
    AutoTokenizer.from_pretrained(policy_folder("embedded")).save_pretrained(folder)
    make_model().save_pretrained(folder)


def run_trivium(model: Path, run: Path) -> tuple[list[float], list[str], int]:
    """Seconds of each step, the prompts as text, and the sampled tokens of a step."""
    clock = Clock()
    recipe = {
        "policy": {"model": str(model), "threads": 1},
        "environment": {"prompt": "short"},
        "budget": {"window": 512, "soft": 400, "hard": 450, "per_call": 64, "reply": NEW, "turns": 1},
        "learn": {"lr": 1e-5, "substeps": 1},
        "schedule": {"steps": STEPS, "groups": GROUPS, "group_size": GROUP_SIZE},
    }

    def world(task: tv.Task) -> tv.ToolEnvironment:
        return tv.ToolEnvironment(task, tools=[], terms={"vowels": lambda episode: vowels(episode.answer)})

    tv.train(world, TASKS, run=run, recipe=recipe, progress=clock)
    tokenizer = AutoTokenizer.from_pretrained(model)
    texts, sampled = [], 0
    for episode in members(run):
        action = episode.tree.actions()[0]
        assert action.sampled is not None
        sampled += len(action.sampled.logprobs)
        before = [token for node in episode.tree.path(action.parent) for token in node.tokens]
        before += action.tokens[: action.lead]
        texts.append(tokenizer.decode(before))
    return clock.seconds, sorted(set(texts)), sampled


def run_trl(model: Path, folder: Path, prompts: list[str]) -> list[float]:
    """Seconds of each step."""
    clock = Clock()
    tokenizer = AutoTokenizer.from_pretrained(model)
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
    config = GRPOConfig(
        output_dir=str(folder), use_cpu=True, bf16=False, gradient_checkpointing=False, report_to=[],
        save_strategy="no", disable_tqdm=True, logging_strategy="no", max_steps=STEPS, learning_rate=1e-5, beta=0.0,
        temperature=1.0,
        per_device_train_batch_size=GROUPS * GROUP_SIZE, num_generations=GROUP_SIZE, max_completion_length=NEW,
        dataloader_pin_memory=False,
    )  # fmt: skip
    trainer = GRPOTrainer(
        model=str(model),
        reward_funcs=lambda completions, **_: [vowels(text) for text in completions],
        args=config,
        train_dataset=Dataset.from_dict({"prompt": prompts}),
        processing_class=tokenizer,
        callbacks=[clock],
    )
    trainer.train()
    return clock.seconds


def main() -> None:
    """Print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=6)
    rounds = parser.parse_args().rounds
    torch.set_num_threads(1)
    ours: list[float] = []
    theirs: list[float] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_model(folder / "model")
        for turn in range(rounds):
            seconds, prompts, sampled = run_trivium(folder / "model", folder / f"run{turn}")
            assert len(prompts) == GROUPS, prompts
            ours += seconds
            theirs += run_trl(folder / "model", folder / f"trl{turn}", prompts)
    middle = statistics.median(ours), statistics.median(theirs)
    found = {
        "benchmark": "grpo", "trivium_s": round(middle[0], 3), "trl_s": round(middle[1], 3),
        "ratio": round(middle[0] / middle[1], 3), "steps": len(ours), "sampled": sampled,
        "prompt_tokens": [
            len(AutoTokenizer.from_pretrained(policy_folder("embedded")).encode(text)) for text in prompts
        ],
        "trl": version("trl"), "torch": torch.__version__,
    }  # fmt: skip
    print(json.dumps(found))


if __name__ == "__main__":
    main()
