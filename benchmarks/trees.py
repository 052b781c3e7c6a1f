"""Tree batches against packed, length-sorted segments: python benchmarks/trees.py [--rounds 30] [--run RUN[@step]]

Gradients of the same rows on the embedded policy, float32, one thread, the two layouts in turn. Three shapes:

    group     8 episodes of one task: a prompt of 400 tokens, then 3 turns of 24 + 100 tokens of their own
    edited    an episode of 8 turns that prunes after each: 8 rows of up to 448 tokens, each sharing 120 to 330
    apart     16 rows of 300 to 448 tokens that share nothing

`--run` measures the rows of a recorded step beside them: its whole batch, its first group, and the episode that was cut
into most rows. "kept" is the share of the saved tokens that became saved
time: (time of segments / time of trees) / (tokens of segments / tokens of trees).
"""

import argparse
import json
import platform
import statistics
import sys
import time
from collections.abc import Callable, Sequence

import numpy as np
import torch

from trivium.learn import AdamWSettings, Batch, Cispo, Learner, Segment, Share, make_batch
from trivium.policy.models import load_model
from trivium.run import policy_folder
from trivium.store import RunStore, run_at

VOCABULARY = 4096


def row(tokens: Sequence[int], trained: Sequence[slice]) -> Segment:
    """A row whose tokens in `trained` are trained."""
    mask_T = np.zeros(len(tokens), bool)
    for span in trained:
        mask_T[span] = True
    behaviour_T = np.where(mask_T, -1.0, 0.0)
    return Segment("e", np.asarray(tokens, np.int64), mask_T, behaviour_T, np.ones(len(tokens)))


def group(rng: np.random.Generator) -> list[Segment]:
    """The members of a group, each uncut."""
    prompt = rng.integers(VOCABULARY, size=400).tolist()
    rows = []
    for _ in range(8):
        own = rng.integers(VOCABULARY, size=3 * 124).tolist()
        rows.append(row(prompt + own, [slice(400 + 124 * turn, 424 + 124 * turn) for turn in range(3)]))
    return rows


def edited(rng: np.random.Generator) -> list[Segment]:
    """The rows of one episode that was edited after every turn: what stands before the edit is shared."""
    rows, before = [], rng.integers(VOCABULARY, size=120).tolist()
    for turn in range(8):
        kept = before[: 120 + 30 * turn]
        before = kept + rng.integers(VOCABULARY, size=448 - len(kept)).tolist()
        rows.append(row(before, [slice(448 - 30, 448)]))
    return rows


def apart(rng: np.random.Generator) -> list[Segment]:
    """Rows that share nothing."""
    sizes = rng.integers(300, 449, size=16)
    return [row(rng.integers(VOCABULARY, size=size).tolist(), [slice(size - 40, size)]) for size in sizes]


def recorded(where: str) -> dict[str, list[Segment]]:
    """The rows of one committed step of a run: of the batch, of a group, of an episode."""
    run, steps_done = run_at(where)
    with RunStore(run, readonly=True) as store:
        commit = store.ledger.commit_at(steps_done)
        if commit is None:
            sys.exit(f"{run} has no step {steps_done or 1}")
        episodes = [store.episodes.get(member.episode) for member in store.ledger.members(commit.step)]
    shares = make_batch(episodes, "policy").shares
    group = {episode.id for episode in episodes if episode.group == episodes[0].group}
    parts = {
        "recorded batch": shares,
        "recorded group": [share for share in shares if share.episode in group],
        "recorded episode": [max(shares, key=lambda share: len(share.segments))],
    }
    return {name: [segment for share in part for segment in share.segments] for name, part in parts.items()}


def measure(model: torch.nn.Module, rows: Sequence[Segment], rounds: int) -> dict[str, object]:
    """Medians over interleaved rounds."""
    batch = Batch((Share("e", 1.0, tuple(rows)),), float(len(rows)))
    learners = {
        name: Learner(
            model, AdamWSettings(lr=1e-5, clip_norm=1.0), Cispo(0.0, 5.0), substeps=4, micro_tokens=4096, layout=name
        )
        for name in ("segments", "trees")
    }
    seconds: dict[str, list[float]] = {name: [] for name in learners}
    tokens = {}
    for turn in range(rounds + 1):
        for name, learner in learners.items():
            spent, tokens[name] = timed(lambda learner=learner: learner.accumulate(batch).read)  # type: ignore[misc]
            model.zero_grad(set_to_none=True)
            if turn:  # the first round warms up
                seconds[name].append(spent)
    middle = {name: statistics.median(values) for name, values in seconds.items()}
    saved, faster = tokens["segments"] / tokens["trees"], middle["segments"] / middle["trees"]
    return {
        "rows": len(rows),
        "segment_tokens": tokens["segments"],
        "tree_tokens": tokens["trees"],
        "tokens_ratio": round(saved, 2),
        "time_ratio": round(faster, 2),
        "kept": round(faster / saved, 2),
    }


def timed(work: Callable[[], int]) -> tuple[float, int]:
    """Seconds, and what the work returned."""
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--run", help="a recorded run, or RUN@step")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    model = load_model(policy_folder("embedded"))[0].float()
    rng = np.random.default_rng(0)
    shapes = {"group": group(rng), "edited": edited(rng), "apart": apart(rng)}
    if arguments.run:
        shapes |= recorded(arguments.run)
    for name, rows in shapes.items():
        found = measure(model, rows, arguments.rounds)
        print(json.dumps({"benchmark": "trees", "shape": name, **found, "python": platform.python_version()}))


if __name__ == "__main__":
    main()
