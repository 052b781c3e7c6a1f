"""A request's draws depend on its seed and position, and on nothing else."""

import asyncio

from trivium.policy.engine import Sampling
from trivium.policy.local import LocalEngine
from trivium.policy.local.draws import Draws

from .small import ask, model, tokens


def test_a_seed_gives_the_same_tokens_alone_and_in_a_batch_of_eight():
    engine = LocalEngine(model("qwen2"))
    alone = ask(engine, tokens(30), seed=7, new=60)

    async def among_others():
        others = [engine.generate(tokens(10 * n, seed=n), Sampling(seed=7 + n, max_tokens=11 * n)) for n in range(1, 8)]
        return (await asyncio.gather(engine.generate(tokens(30), Sampling(seed=7, max_tokens=60)), *others))[0]

    together = asyncio.run(among_others())
    assert together.tokens == alone.tokens
    assert max(abs(a - b) for a, b in zip(together.logprobs, alone.logprobs, strict=True)) < 1e-5


def test_other_seeds_give_other_tokens():
    engine = LocalEngine(model("qwen2"))
    assert len({ask(engine, tokens(30), seed=seed).tokens for seed in range(8)}) == 8


def test_draws_are_a_function_of_seed_and_position():
    whole = [Draws(5)(position) for position in range(700)]
    draws = Draws(5)
    assert [draws(position) for position in range(700)] == whole
    assert [draws(position) for position in (699, 3, 256, 255)] == [whole[p] for p in (699, 3, 256, 255)]
    assert len(set(whole)) == 700
    assert all(0 <= value < 1 for value in whole)


def test_any_integer_is_a_seed():
    assert Draws(-1)(0) != Draws(2**127)(0) != Draws(0)(0)
