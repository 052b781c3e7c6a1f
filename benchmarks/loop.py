"""The whole loop but the model: python benchmarks/loop.py [--episodes 400] [--profile]

An episode is three turns with a scripted engine: two hybrid searches over the standard library's documentation beside
one prune, an answer that cites, the reward, and the record in SQLite. One process, one thread. Prints JSON.
"""

import argparse
import asyncio
import cProfile
import json
import platform
import pstats
import tempfile
import time
from pathlib import Path

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers

from trivium.config import ShownConfig
from trivium.envs.search import SearchEnvironment
from trivium.envs.search.facts import facts_data
from trivium.episode import Episode, Task, ToolCall
from trivium.harness import Budget, Harness, Pruning, run_episode
from trivium.policy.policy import Policy
from trivium.policy.rendering import ChatML, Codec
from trivium.policy.rendering.chatml import call_text
from trivium.policy.scripted import ScriptedEngine
from trivium.retrieval import Search, load_stdlib, split
from trivium.reward import Context1Reward
from trivium.store import RunStore

GROUP = 8


def make_renderer(texts: list[str]) -> ChatML:
    """ChatML over a byte-level BPE of 4,096 tokens that learned the corpus."""
    built = Tokenizer(models.BPE())
    built.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    built.decoder = decoders.ByteLevel()
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    built.train_from_iterator(
        texts, trainers.BpeTrainer(vocab_size=4096, initial_alphabet=alphabet, show_progress=False)
    )
    built.add_tokens(
        [AddedToken(literal, special=True, normalized=False) for literal in ("<|im_start|>", "<|im_end|>")]
    )
    return ChatML(Codec(built))


def make_engine(renderer: ChatML) -> ScriptedEngine:
    """Searches, prunes what it saw beside another search, cites what it sees: read off the prompt, as a model does."""

    def call(name: str, **arguments: object) -> str:
        return f"<tool_call>{call_text(ToolCall(name, arguments))}</tool_call>"  # type: ignore[arg-type]

    def script(tokens: tuple[int, ...]) -> str:
        said = renderer.decode(tokens)
        turn = said.count("<|im_start|>assistant") - 1
        query = said.split("<|im_start|>user\n")[1].split("<|im_end|>")[0]
        seen = [line.split()[3] for line in said.split("\n") if line.startswith("# DOCUMENT ID: ")]
        if turn == 0:
            return call("search_corpus", query=query)
        if turn == 1:
            return call("prune_chunks", chunk_ids=seen[1:]) + call("search_corpus", query=f"{query} error")
        return "\n".join(f"<Document id={name}></Document>" for name in seen[:2])

    return ScriptedEngine(script, renderer.encode_text, renderer.codec.control("<|im_end|>"))  # type: ignore[arg-type]


async def live(episodes: int, search: Search, harness: Harness, store: RunStore, name: str) -> float:
    """Seconds for this many episodes, each stored as it ends."""
    documents = [item for item in search.corpus.documents if len(item.text) > 100]
    start = time.perf_counter()
    for number in range(episodes):
        group = number // GROUP
        document = documents[group * 37 % len(documents)]
        facts = facts_data([[document.id]], [document.id], {})
        task = Task(id=document.id, prompt=" ".join(document.text.split()[:9]), data=facts)
        opened = SearchEnvironment(
            task, search, group, reward=Context1Reward(), beta2=16.0, shown=ShownConfig(hits=5), form="short"
        )
        lived = Episode(id=f"{name}-{number}", task=task, group=str(group), seed=number)
        lived = await run_episode(lived, opened, harness)
        assert lived.main.turns == 3, lived.counters
        store.episodes.put(lived)
    return time.perf_counter() - start


def main() -> None:
    """Build, warm up, measure, print."""
    options = argparse.ArgumentParser()
    options.add_argument("--episodes", type=int, default=400)
    options.add_argument("--profile", action="store_true")
    chosen = options.parse_args()
    read = load_stdlib()
    renderer = make_renderer([item.text for item in read.documents[:4000]])
    corpus = split(read, renderer.count, 80)
    search = Search.open(corpus)
    harness = Harness(Policy("script", make_engine(renderer), renderer), Pruning(Budget.of(4096)))
    with tempfile.TemporaryDirectory() as folder, RunStore(Path(folder)) as store:
        asyncio.run(live(GROUP, search, harness, store, "warm"))
        profile = cProfile.Profile()
        if chosen.profile:
            profile.enable()
        cpu = time.process_time()
        seconds = asyncio.run(live(chosen.episodes, search, harness, store, "run"))
        cpu = time.process_time() - cpu
    if chosen.profile:
        profile.disable()
        pstats.Stats(profile).sort_stats("tottime").print_stats(35)
    record = {
        "benchmark": "loop",
        "episodes": chosen.episodes,
        "episodes_per_second": round(chosen.episodes / seconds, 1),
        "episodes_per_cpu_second": round(chosen.episodes / cpu, 1),
        "chunks": len(corpus.chunks),
        "python": platform.python_version(),
    }
    print(json.dumps(record))


if __name__ == "__main__":
    main()
