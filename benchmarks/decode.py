"""What a decode step of the engine spends on matrix products: python benchmarks/decode.py [--model smollm2-135m]

Contexts of 16 tokens, one token a step for each, float32, one thread, by CPU time, the variants in turn:

    ordered     large matrices in oneDNN's order, as the engine keeps them (policy/local/matrix.py)
    plain       all matrices as they come
    generate    a step of the model's own forward over its cache

"products" is the share of matrix products in an ordered step, as torch's profiler counts it.
"""

import argparse
import json
import statistics
import time
from collections.abc import Callable

import torch
from torch.profiler import ProfilerActivity, profile
from transformers import DynamicCache

from trivium.policy.local import matrix
from trivium.policy.local.select import forward_for
from trivium.policy.models import load_model
from trivium.run import policy_folder

PROMPT = list(range(100, 116))
PRODUCTS = ("aten::mm", "aten::addmm", "mkldnn::_linear_pointwise")


def engine_step(model: torch.nn.Module, batch: int, worth: int) -> Callable[[], object]:
    """A step of the engine whose matrices from `worth` elements on are ordered."""
    usual, matrix.WORTH = matrix.WORTH, worth
    forward = forward_for(model, torch.float32)
    matrix.WORTH = usual
    contexts = [forward.empty() for _ in range(batch)]
    forward.prefill([(one, PROMPT) for one in contexts])
    return lambda: forward.decode(contexts, [5] * batch)


def own_step(model: torch.nn.Module, batch: int) -> Callable[[], object]:
    """A step of the model itself."""
    cache = DynamicCache(config=model.config)
    model(torch.tensor([PROMPT] * batch), past_key_values=cache, use_cache=True)
    token = torch.full((batch, 1), 5)
    return lambda: model(token, past_key_values=cache, use_cache=True)


def seconds(step: Callable[[], object]) -> float:
    """CPU seconds of a step."""
    start = time.process_time()
    step()
    return time.process_time() - start


def share_of_products(step: Callable[[], object]) -> float:
    """Of the CPU time that operators take themselves."""
    with profile(activities=[ProfilerActivity.CPU]) as seen:
        step()
    spent = {one.key: one.self_cpu_time_total for one in seen.key_averages()}
    return sum(spent.get(name, 0.0) for name in PRODUCTS) / sum(spent.values())


@torch.inference_mode()
def measure(model: torch.nn.Module, batch: int, rounds: int) -> dict[str, float]:
    """Medians over rounds."""
    steps = {
        "ordered": engine_step(model, batch, matrix.WORTH),
        "plain": engine_step(model, batch, 1 << 60),
        "generate": own_step(model, batch),
    }
    spent: dict[str, list[float]] = {name: [] for name in steps}
    for turn in range(rounds + 1):
        for name, step in steps.items():
            taken = seconds(step)
            if turn:  # the first warms up
                spent[name].append(taken)
    middle = {name: statistics.median(values) for name, values in spent.items()}
    return {
        **{f"{name}_s": round(value, 4) for name, value in middle.items()},
        "plain / ordered": round(middle["plain"] / middle["ordered"], 2),
        "generate / ordered": round(middle["generate"] / middle["ordered"], 2),
        "products": round(share_of_products(steps["ordered"]), 2),
    }


def main() -> None:
    """Print one JSON object a batch size."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="smollm2-135m")
    parser.add_argument("--rounds", type=int, default=30)
    asked = parser.parse_args()
    torch.set_num_threads(1)
    model = load_model(policy_folder(asked.model))[0].float().eval()
    for batch in (16, 64):
        place = {"benchmark": "decode", "model": asked.model, "case": f"B{batch}", "rounds": asked.rounds}
        print(json.dumps({**place, **measure(model, batch, asked.rounds)}), flush=True)


if __name__ == "__main__":
    main()
