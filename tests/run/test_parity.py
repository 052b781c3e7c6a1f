"""At equal weights in fp32 the learner finds the engine's log-probs again, over episodes edited on the way."""

import asyncio
import time
from pathlib import Path

import msgspec
import pytest
import torch
from transformers import Qwen2Config, Qwen2ForCausalLM

from envs.builders import documents
from policy.rendering.tokenizer import tokenizer
from trivium.config import PolicyConfig, Recipe, ShownConfig, TasksConfig
from trivium.envs.search import ChainMaker, SearchEnvironment, chain_settings
from trivium.episode import Episode, Life
from trivium.harness import Harness, Pruning, pruned_ids, step
from trivium.learn import cut, parity
from trivium.policy.local import LocalEngine
from trivium.policy.models import load_model
from trivium.policy.policy import Policy
from trivium.policy.rendering import ChatML, Codec, Qwen3, Renderer
from trivium.retrieval import Corpus, Dense, Lexical, Lsa, Search, split
from trivium.reward import Context1Reward
from trivium.run.budgeting import make_budget
from trivium.run.policy_folder import policy_folder, tokenizer_file

BOUND = 1e-4


def environments(renderer: Renderer, chunk: int, count: int = 6) -> list[SearchEnvironment]:
    corpus = split(Corpus(documents(80)), renderer.count, chunk)
    texts = [f"{item.title}\n{item.text}" for item in corpus.chunks]
    search = Search(corpus, Lexical.build(texts), Dense.build(Lsa.fit(texts), texts))
    settings = msgspec.structs.replace(chain_settings(TasksConfig(clues=3), hops=2, shown=3), rare=0.2)
    tasks, _ = ChainMaker(corpus, search, settings).make(count, 0, "2-hop")
    return [
        SearchEnvironment(t, search, i, reward=Context1Reward(), beta2=4.0, shown=ShownConfig(), form="short")
        for i, t in enumerate(tasks)
    ]


async def live(environment: SearchEnvironment, harness: Harness, number: int, seconds: float = 120) -> Episode:
    """An episode in which, after every turn, one chunk that is in sight is pruned by force: every turn is edited."""
    episode = Episode(id=f"e{number}", task=environment.task, group="g", seed=number)
    async with environment:
        while episode.life in (Life.QUEUED, Life.RUNNING):
            episode = await step(episode, environment, harness, time.monotonic() + seconds)
            seen = {part.id for node in episode.context(episode.main).nodes for part in node.parts}
            fresh = sorted(seen - pruned_ids(episode.main))
            episode.main.state["pruned"] = [*sorted(pruned_ids(episode.main)), *fresh[:1]]
    return episode


def worst(model: object, renderer: Renderer, budget: object, opened: list[SearchEnvironment]) -> tuple[float, int, int]:
    """(largest |log-prob difference|, trained tokens, rows) over the episodes of all environments."""
    engine = LocalEngine(model)
    policy = Policy("policy", engine, renderer, max_tokens=budget.reply)
    harness = Harness(policy, Pruning(budget))

    async def all_of_them() -> list[Episode]:
        return await asyncio.gather(*(live(one, harness, number) for number, one in enumerate(opened)))

    cuts = [cut(episode, "policy") for episode in asyncio.run(all_of_them())]
    segments = [segment for one in cuts for segment in one.segments]
    return parity(model, segments), sum(one.trained for one in cuts), len(segments)


def test_embedded_policy_over_edited_episodes() -> None:
    home = policy_folder("embedded")
    model, _ = load_model(home)
    renderer = ChatML(Codec.from_file(tokenizer_file(home)))
    budget = make_budget(Recipe().budget.model_copy(update={"window": 448, "per_call": 128, "reply": 64, "turns": 6}))
    opened = environments(renderer, 100)
    difference, tokens, rows = worst(model, renderer, budget, opened)
    assert difference <= BOUND
    assert tokens > 100
    assert rows > len(opened)


@pytest.mark.parametrize("kind", [ChatML, Qwen3])
def test_both_renderers_over_edited_episodes(kind: type[Renderer]) -> None:
    if kind is Qwen3:
        pytest.importorskip("renderers")
    renderer = kind(Codec(tokenizer()))
    torch.manual_seed(0)
    shape = {
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "num_key_value_heads": 1,
    }
    model = Qwen2ForCausalLM(Qwen2Config(vocab_size=512, max_position_embeddings=4096, **shape)).eval()
    budget = make_budget(Recipe().budget.model_copy(update={"window": 3000, "per_call": 600, "reply": 40, "turns": 4}))
    difference, tokens, _ = worst(model, renderer, budget, environments(renderer, 200))
    assert difference <= BOUND
    assert tokens > 50


def test_the_bound_would_see_other_weights() -> None:
    """The measure is not blind: a learner whose weights moved by a hair is far outside."""
    home = policy_folder("embedded")
    model, _ = load_model(home)
    moved, _ = load_model(home)
    with torch.no_grad():
        for parameter in moved.parameters():
            parameter.add_(0.01 * parameter.std() * torch.randn_like(parameter))
    renderer = ChatML(Codec.from_file(tokenizer_file(home)))
    budget = make_budget(Recipe().budget.model_copy(update={"window": 448, "per_call": 128, "reply": 64, "turns": 2}))
    opened = environments(renderer, 100, count=2)
    engine = LocalEngine(model)
    harness = Harness(Policy("policy", engine, renderer, max_tokens=64), Pruning(budget))

    async def both() -> list[Episode]:
        return await asyncio.gather(*(live(one, harness, number) for number, one in enumerate(opened)))

    segments = [segment for episode in asyncio.run(both()) for segment in cut(episode, "policy").segments]
    assert parity(moved, segments) > 10 * BOUND


def test_policy_config_names_the_embedded_model() -> None:
    assert PolicyConfig().model == "embedded"
    assert (policy_folder("embedded") / "model.safetensors").is_file()
    assert sum(path.stat().st_size for path in Path(policy_folder("embedded")).iterdir()) < 20e6
