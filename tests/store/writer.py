"""Processes to be killed: each resumes the run, puts episodes, commits batches for ever, and says what is done."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from store.builders import checkpoint, make_episode
from trivium.store import Member, RunStore

SIZE = 6


def main(folder: str) -> None:
    store = RunStore(folder)
    print(f"ready {os.getpid()}", flush=True)
    latest = store.ledger.latest()
    step = 1 if latest is None else latest.step + 1
    while True:
        there = {episode.id for episode in store.episodes.pending(step)}
        for name in sorted({f"e{step}-{place}" for place in range(SIZE)} - there):
            store.episodes.put(make_episode(name), step=step)
            print(f"put {name}", flush=True)
        members = [Member(episode.id, 0.1, ("w",)) for episode in store.episodes.pending(step)]
        store.ledger.commit_batch(
            step,
            members,
            weights=f"w{step}",
            checkpoint=checkpoint(store, step),
            metrics={"loss": 1 / step},
        )
        print(f"commit {step}", flush=True)
        step += 1


def nurse() -> None:
    """Fork a writer for every folder on stdin, and say when it is dead: importing once makes twenty kills cheap."""
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            main(line.rstrip("\n"))
        os.waitpid(child, 0)
        print("\ndead", flush=True)  # the writer may have died before the end of its line


if __name__ == "__main__":
    nurse()
