"""Parity of engine and learner, over edited episodes and weights that arrive in mid-generation.

python tools/parity.py [--model smollm2-135m] [--write FILE]     unset: the embedded policy

Episodes are lived with a prune after every turn (a fork of the context each time). Every trained token is read again
by the learner under the weights that it names, by segments and by trees, in float32 and in bfloat16 (engine and layers
alike). In the runs with loads, weights change every few tokens while generations are under way: `recompute` reads
contexts again; `keep_kv` goes on over old keys, and marks what it samples: those tokens have no bar.
"""

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import torch

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from run.test_parity import environments, live  # noqa: E402  the episodes are those of the test
from trivium.config import PolicyConfig, Recipe  # noqa: E402
from trivium.episode import Episode  # noqa: E402
from trivium.harness import Harness, Pruning  # noqa: E402
from trivium.learn import Share, cut, segment_layout, tree_layout  # noqa: E402
from trivium.learn.compute import Compute  # noqa: E402
from trivium.learn.layout import Layout  # noqa: E402
from trivium.learn.logprobs import read  # noqa: E402
from trivium.learn.trained_tokens import weighted_segments  # noqa: E402
from trivium.policy import Policy, Weights  # noqa: E402
from trivium.policy.local import LocalEngine  # noqa: E402
from trivium.policy.models import load_model  # noqa: E402
from trivium.run.audit.recompute import sampled_under  # noqa: E402
from trivium.run.budgeting import make_budget  # noqa: E402
from trivium.run.policy_folder import policy_folder  # noqa: E402
from trivium.run.rendering import make_renderer  # noqa: E402
from trivium.run.report import commit, machine  # noqa: E402

LAYOUTS = {"segments": segment_layout, "trees": tree_layout}
DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16}
EVERY = 23
"""Steps of the engine between two loads."""
Mode = Literal["recompute", "keep_kv"] | None


@dataclass
class Setting:
    """A model at several weights, and what episodes are lived with."""

    name: str
    models: dict[str, torch.nn.Module]
    renderer: Any
    budget: Any
    chunk: int
    count: int
    gaps: dict[str, torch.Tensor] = field(default_factory=dict)


def setting(name: str, loads: int = 3) -> Setting:
    """The model as it is ("w0"), and moved a hair several times."""
    home = policy_folder(name)
    models = {f"w{number}": load_model(home)[0].float().eval() for number in range(loads)}
    torch.manual_seed(0)
    for number, model in enumerate(models.values()):
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.add_(0.01 * number * parameter.std() * torch.randn_like(parameter))
    small = name == "embedded"
    sizes = {"window": 448, "per_call": 128, "reply": 64, "turns": 6} if small else {
        "window": 900, "per_call": 200, "reply": 48, "turns": 3}  # fmt: skip
    budget = make_budget(Recipe().budget.model_copy(update=sizes))
    renderer = make_renderer(PolicyConfig(model=name), home)
    return Setting(name, models, renderer, budget, 60, 6 if small else 3)


def lived(one: Setting, dtype: str, mode: Mode) -> list[Episode]:
    """Episodes, with loads on the way where there is a mode."""
    engine = LocalEngine(
        one.models["w0"], Weights("w0"), dtype={"fp32": "float32", "bf16": "bfloat16"}[dtype],
        in_flight=mode or "recompute",
    )  # fmt: skip
    harness = Harness(Policy("policy", engine, one.renderer, max_tokens=one.budget.reply), Pruning(one.budget))
    opened = environments(one.renderer, one.chunk, one.count)

    async def loads() -> None:
        last, number = 0, 0
        while True:
            await asyncio.sleep(0)
            if engine.counters.steps >= last + EVERY:
                last, number = engine.counters.steps, (number + 1) % len(one.models)
                engine.load(Weights(f"w{number}"), one.models[f"w{number}"].state_dict())

    async def all_of_them() -> list[Episode]:
        switching = asyncio.create_task(loads()) if mode else None
        try:
            return await asyncio.gather(*(live(env, harness, number, 3600) for number, env in enumerate(opened)))
        finally:
            if switching is not None:
                switching.cancel()

    return asyncio.run(all_of_them())


@torch.no_grad()
def log_ratios(one: Setting, episodes: Sequence[Episode], dtype: str, layout: str) -> tuple[torch.Tensor, torch.Tensor]:
    """log-prob of the learner - log-prob at sampling of all trained tokens: those with a bar, and the marked ones."""
    segments = {episode.id: cut(episode, "policy").segments for episode in episodes}
    exact, marked = [], []
    for name, model in one.models.items():
        compute = Compute(model, DTYPES[dtype])
        laid: Layout[Any] = LAYOUTS[layout](compute.model, 4096)
        shares = [Share(key, 1.0, rows) for key, rows in segments.items()]
        for micro in laid.micro_batches(weighted_segments(shares)):
            gap_N = read(compute.model, micro, laid.predict).logp_N - micro.trained.behaviour_N
            by_id = {episode.id: episode for episode in episodes}
            rows = [one.segment for one in micro.trained.segments]
            told = [pair for row in rows for pair in sampled_under(row, by_id[row.episode])]
            here = torch.tensor([weights == name for weights, _ in told])
            mixed = torch.tensor([mark for _, mark in told])
            exact.append(gap_N[here & ~mixed])
            marked.append(gap_N[here & mixed])
    return torch.cat(exact).double(), torch.cat(marked).double()


def figures(name: str, gap_N: torch.Tensor, dtype: str, model: str) -> list[dict[str, Any]]:
    """Largest gap, quantiles and k3."""
    size = gap_N.abs()
    k3 = float((gap_N.expm1() - gap_N).mean())
    quantiles = {f"p{100 * q:g}": float(size.quantile(q)) for q in (0.5, 0.99, 0.999)}
    bars = {"k3": "1e-3"} if dtype == "bf16" else (
        {"max": "1e-4"} if model == "embedded" else {"p99.9": "1e-4", "max": "1e-3"})  # fmt: skip
    values = {"max": float(size.max()), **quantiles, "k3": k3}
    shown = ["max", "p99.9", "k3"] if dtype == "fp32" else list(values)
    return [
        {"name": f"{name}: {key}", "value": values[key], "n": len(gap_N)} | ({"bar": bars[key]} if key in bars else {})
        for key in shown
    ]


def measure(one: Setting, dtypes: Sequence[str]) -> list[dict[str, Any]]:
    """Every figure of a model."""
    found = []
    for dtype in dtypes:
        for mode in (None, "recompute", "keep_kv"):
            episodes = lived(one, dtype, mode)
            for layout in LAYOUTS:
                exact, marked = log_ratios(one, episodes, dtype, layout)
                name = f"{one.name}, {dtype}, {layout}" + (f", loads in flight ({mode})" if mode else "")
                found += figures(name, exact, dtype, one.name)
                if mode == "keep_kv":
                    found.append({"name": f"{name}: marked tokens, k3", "n": len(marked),
                                  "value": float((marked.expm1() - marked).mean())})  # fmt: skip
                print(json.dumps(found[-3:]), file=sys.stderr, flush=True)
    return found


def main() -> None:
    """Print a record, or write it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="embedded")
    parser.add_argument("--dtypes", nargs="+", choices=DTYPES, default=list(DTYPES))
    parser.add_argument("--write", metavar="FILE", help="in docs/records")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    record = {
        "title": f"Parity over edited episodes and loads in flight: {asked.model}",
        "claim": "Episodes that are pruned after every turn, read again by the learner under the weights that each "
        "token names: |log-prob of the learner - log-prob at sampling|, and k3 = mean(r - 1 - ln r). Loads in flight "
        f"change the weights every {EVERY} steps of the engine; tokens that keep_kv marked stand apart, without a bar.",
        "command": f"python tools/parity.py --model {asked.model}",
        "commit": commit(),
        "seed": 0,
        "machine": machine(),
        "date": time.strftime("%Y-%m-%d"),
        "figures": measure(setting(asked.model), asked.dtypes),
    }
    text = json.dumps(record, indent=1) + "\n"
    if asked.write:
        (ROOT / "docs" / "records" / asked.write).write_text(text)
    else:
        print(text)


if __name__ == "__main__":
    main()
