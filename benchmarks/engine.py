"""LocalEngine against Hugging Face `generate`, side by side in one process.

python benchmarks/engine.py [--rounds 5] [--model MODEL] [--only NAME]

Both sample at temperature 1 from the same model in float32 on one thread (unset: a random Qwen2 of 4 million
parameters); only requested tokens count, and runs alternate, so that a busy machine slows both. The engine also returns
exact log-probs; `generate` does not. "turns" sends each context again with 32 tokens more, as an episode does: the
engine keeps keys and values. "mixed" are 32 requests of 16-512 prompt tokens and 16-256 sampled ones, 16 at a time:
`generate` pads each batch to its longest prompt and samples to its longest answer.
"""

import argparse
import asyncio
import json
import os
import random
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import torch
from transformers import PreTrainedModel, Qwen2Config, Qwen2ForCausalLM

from trivium.policy.engine import Sampling
from trivium.policy.local import LocalEngine
from trivium.policy.models import load_model
from trivium.run import policy_folder

Case: TypeAlias = "tuple[int, Callable[[], Spent], Callable[[], Spent]]"
"""Requested tokens, a run of ours, a run of theirs."""
VOCABULARY = 4096
BATCH, MIXED = 16, 32
CASES = {
    "B16 P16 N32": (16, 16, 32),
    "B64 P16 N16": (64, 16, 16),
    "B1 P64 N64": (1, 64, 64),
    "B16 P64 N128": (16, 64, 128),
    "B64 P64 N128": (64, 64, 128),
    "B16 P512 N128": (16, 512, 128),
    "B64 P512 N64": (64, 512, 64),
    "B64 P512 N1 (prefill)": (64, 512, 1),
}


def make_model() -> PreTrainedModel:
    """4 layers, width 256, 4 query and 2 key heads: 4 million parameters."""
    torch.manual_seed(0)
    config = Qwen2Config(
        vocab_size=VOCABULARY,
        hidden_size=256,
        intermediate_size=768,
        num_hidden_layers=4,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=2048,
        tie_word_embeddings=True,
        eos_token_id=None,
        bos_token_id=None,
        pad_token_id=0,
    )
    return Qwen2ForCausalLM(config).eval()


@dataclass(frozen=True)
class Spent:
    """Seconds of the clock on the wall, and of this process on a core."""

    wall: float
    cpu: float


class Clock:
    """Measures from its making."""

    def __init__(self) -> None:
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def stop(self) -> Spent:
        """What was spent."""
        return Spent(time.perf_counter() - self._wall, time.process_time() - self._cpu)


def prompts(batch: int, length: int) -> list[list[int]]:
    """Random prompts that share nothing."""
    return torch.randint(0, VOCABULARY, (batch, length)).tolist()


def run_engine(model: PreTrainedModel, batch: int, length: int, new: int) -> Spent:
    """Time for one generation of `new` tokens per row."""

    async def rows() -> Spent:
        engine = LocalEngine(model)
        contexts = prompts(batch, length)
        start = Clock()
        await asyncio.gather(
            *(engine.generate(row, Sampling(seed=seed, max_tokens=new)) for seed, row in enumerate(contexts))
        )
        return start.stop()

    return asyncio.run(rows())


def run_hf(model: PreTrainedModel, batch: int, length: int, new: int) -> Spent:
    """Time for the same with `generate`."""
    ids = torch.tensor(prompts(batch, length))
    start = Clock()
    with torch.inference_mode():
        model.generate(ids, attention_mask=torch.ones_like(ids), do_sample=True, top_k=0, max_new_tokens=new)
    return start.stop()


def mixed() -> list[tuple[int, int]]:
    """Prompt tokens and sampled tokens of each request, in a fixed random order."""
    draw = random.Random(0)
    return [(draw.randint(16, 512), draw.randint(16, 256)) for _ in range(MIXED)]


def mixed_engine(model: PreTrainedModel) -> Spent:
    """Time for all requests, at most `BATCH` at once."""

    async def all_of_them() -> Spent:
        engine = LocalEngine(model, max_batch=BATCH)
        requests = [(prompts(1, length)[0], new) for length, new in mixed()]
        start = Clock()
        await asyncio.gather(
            *(engine.generate(row, Sampling(seed=seed, max_tokens=new)) for seed, (row, new) in enumerate(requests))
        )
        return start.stop()

    return asyncio.run(all_of_them())


def mixed_hf(model: PreTrainedModel) -> Spent:
    """Time for the same with `generate`, a padded batch after the other."""
    requests = mixed()
    batches = [requests[at : at + BATCH] for at in range(0, MIXED, BATCH)]
    start = Clock()
    with torch.inference_mode():
        for batch in batches:
            lengths = torch.tensor([length for length, _ in batch])
            longest = int(lengths.max())
            ids = torch.tensor(prompts(len(batch), longest))
            mask = (torch.arange(longest) >= longest - lengths[:, None]).long()
            new = max(new for _, new in batch)
            model.generate(ids, attention_mask=mask, do_sample=True, top_k=0, max_new_tokens=new)
    return start.stop()


def turns_engine(model: PreTrainedModel, batch: int, turns: int) -> Spent:
    """Time for `turns` turns of 32 read and 32 sampled tokens."""

    async def episode(engine: LocalEngine, index: int, context: list[int]) -> None:
        for turn in range(turns):
            sampling = Sampling(seed=index * turns + turn, max_tokens=32)
            generation = await engine.generate(context, sampling, session=str(index))
            context = [*context, *generation.tokens, *prompts(1, 32)[0]]

    async def all_of_them() -> Spent:
        engine = LocalEngine(model)
        contexts = prompts(batch, 128)
        start = Clock()
        await asyncio.gather(*(episode(engine, index, row) for index, row in enumerate(contexts)))
        return start.stop()

    return asyncio.run(all_of_them())


def turns_hf(model: PreTrainedModel, batch: int, turns: int) -> Spent:
    """Time for the same with `generate`, which reads the whole context again at each turn."""
    ids = torch.tensor(prompts(batch, 128))
    start = Clock()
    with torch.inference_mode():
        for _ in range(turns):
            ids = model.generate(ids, attention_mask=torch.ones_like(ids), do_sample=True, top_k=0, max_new_tokens=32)
            ids = torch.cat([ids, torch.tensor(prompts(batch, 32))], dim=1)
    return start.stop()


def compare(rounds: int, tokens: int, ours: Callable[[], Spent], theirs: Callable[[], Spent]) -> dict[str, float]:
    """Medians of alternating runs in tokens per second, and of the ratios of neighbours, by wall and by CPU time."""
    pairs = [(ours(), theirs()) for _ in range(rounds)]
    return {
        "engine_tok_s": round(tokens / statistics.median(mine.wall for mine, _ in pairs)),
        "generate_tok_s": round(tokens / statistics.median(other.wall for _, other in pairs)),
        "ratio": round(statistics.median(other.wall / mine.wall for mine, other in pairs), 2),
        "cpu_ratio": round(statistics.median(other.cpu / mine.cpu for mine, other in pairs), 2),
    }


def cases_of(model: PreTrainedModel) -> dict[str, Case]:
    """Every comparison, by name."""
    cases: dict[str, Case] = {
        name: (sizes[0] * sizes[2], partial(run_engine, model, *sizes), partial(run_hf, model, *sizes))
        for name, sizes in CASES.items()
    }
    batch, turns = 16, 8
    ours, theirs = partial(turns_engine, model, batch, turns), partial(turns_hf, model, batch, turns)
    cases["B16, 8 turns of 32 read and 32 sampled"] = (batch * turns * 32, ours, theirs)
    asked = sum(new for _, new in mixed())
    cases["mixed lengths"] = (asked, partial(mixed_engine, model), partial(mixed_hf, model))
    return cases


def main() -> None:
    """Print one JSON object a case."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--model", help="as policy.model, such as smollm2-135m")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    model = open_model(asked.model) if asked.model else make_model()
    run_engine(model, 2, 8, 2), run_hf(model, 2, 8, 2)
    place = {"benchmark": "engine", "model": asked.model or "random", "torch": torch.__version__}
    for name, case in cases_of(model).items():
        if asked.only in name:
            load = round(os.getloadavg()[0], 1)
            print(
                json.dumps(
                    {**place, "case": name, "rounds": asked.rounds, **compare(asked.rounds, *case), "load": load}
                )
            )


def open_model(name: str) -> PreTrainedModel:
    """A real model that never stops by itself."""
    global VOCABULARY
    model = load_model(policy_folder(name))[0].float().eval()
    VOCABULARY = model.config.vocab_size
    model.generation_config.eos_token_id = model.generation_config.pad_token_id = None
    return model


if __name__ == "__main__":
    main()
