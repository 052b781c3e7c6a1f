"""Corruptions of a run's ledger, rewards and weights: each changes a folder and says which findings must be there."""

import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec

from trivium.episode import Episode, Scored

from .forge import episodes, rewrite, sql

Named = tuple[str, str | None]
"""Kind and, where one is at fault, the episode."""


def term_value(run: Path) -> list[Named]:
    name = episodes(run)[0].id
    sql(run, f"UPDATE rewards SET value = value + 0.25 WHERE episode = '{name}' AND term = 'p_malformed'")
    return [("term", name)]


def total(run: Path) -> list[Named]:
    name = episodes(run)[0].id
    sql(run, f"UPDATE rewards SET value = value + 0.25 WHERE episode = '{name}' AND term = 'reward'")
    return [("reward", name)]


def swapped_rewards(run: Path) -> list[Named]:
    """Two members of a group change their rewards, everywhere and consistently."""
    one, other = differing(run)

    def give(reward: float) -> Callable[[Episode], None]:
        def change(episode: Episode) -> None:
            assert isinstance(episode.outcome, Scored)
            episode.outcome = msgspec.structs.replace(episode.outcome, reward=reward)

        return change

    rewrite(run, one.id, give(other.terms()["reward"]))
    rewrite(run, other.id, give(one.terms()["reward"]))
    for name, reward in ((one.id, other.terms()["reward"]), (other.id, one.terms()["reward"])):
        sql(run, f"UPDATE episodes SET reward = {reward!r} WHERE id = '{name}'")
    sql(
        run,
        f"UPDATE rewards SET episode = 'x' WHERE episode = '{one.id}'",
        f"UPDATE rewards SET episode = '{one.id}' WHERE episode = '{other.id}'",
        f"UPDATE rewards SET episode = '{other.id}' WHERE episode = 'x'",
    )
    return [("advantage", one.id), ("advantage", other.id)]


def advantage_sign(run: Path) -> list[Named]:
    name = differing(run)[0].id
    sql(run, f"UPDATE members SET advantage = -advantage WHERE episode = '{name}'")
    return [("advantage", name)]


def in_two_batches(run: Path) -> list[Named]:
    """The key is gone that forbids it."""
    name = episodes(run, 0)[0].id
    sql(run, "ALTER TABLE members RENAME TO kept")
    sql(run, "CREATE TABLE members AS SELECT * FROM kept")
    sql(run, f"INSERT INTO members SELECT episode, 1, 99, advantage, weights, rows FROM kept WHERE episode = '{name}'")
    return [("membership", name)]


def missing_member(run: Path) -> list[Named]:
    name = episodes(run, 1)[0].id
    sql(run, f"DELETE FROM members WHERE episode = '{name}'")
    return [("membership", name)]


def member_of_nowhere(run: Path) -> list[Named]:
    name = episodes(run, 1)[0].id
    sql(run, f"UPDATE members SET episode = '00001-009-009' WHERE episode = '{name}'")
    return [("membership", "00001-009-009"), ("membership", name)]


def dropped_and_trained(run: Path) -> list[Named]:
    name = episodes(run, 1)[0].id
    sql(run, f"INSERT INTO drops VALUES ('{name}', 1, 'no reason')")
    return [("membership", name)]


def other_rows(run: Path) -> list[Named]:
    name = episodes(run, 0)[0].id
    sql(run, f"UPDATE members SET rows = '{'0' * 32}' WHERE episode = '{name}'")
    return [("rows", name)]


def listed_weights(run: Path) -> list[Named]:
    name = episodes(run, 1)[0].id
    sql(run, f"""UPDATE members SET weights = '["{"0" * 32}"]' WHERE episode = '{name}'""")
    return [("version", name)]


def counted_tokens(run: Path) -> list[Named]:
    sql(run, "UPDATE metrics SET value = value + 1 WHERE name = 'batch.tokens trained' AND step = 0")
    return [("count", None)]


def other_column(run: Path) -> list[Named]:
    name = episodes(run, 0)[0].id
    sql(run, f"UPDATE episodes SET reward = reward + 1 WHERE id = '{name}'")
    return [("record", name)]


def other_seed(run: Path) -> list[Named]:
    name = episodes(run, 0)[0].id

    def change(episode: Episode) -> None:
        episode.seed += 1

    rewrite(run, name, change)
    return [("plan", name), ("record", name)]


def chain(run: Path) -> list[Named]:
    sql(run, f"UPDATE batches SET parent = '{'0' * 32}' WHERE step = 1")
    return [("version", None)]


def checkpoint_pointer(run: Path) -> list[Named]:
    sql(run, "UPDATE batches SET checkpoint = 'checkpoints/step-000000' WHERE step = 1")
    return [("checkpoint", None), ("weights", None)]


def lost_checkpoint(run: Path) -> list[Named]:
    shutil.rmtree(run / "checkpoints" / "step-000001")
    return [("checkpoint", None)]


def swapped_file(run: Path) -> list[Named]:
    """The weights of another step, and its own hashes are those of before."""
    shutil.copyfile(weights(run, 0), weights(run, 1))
    return [("checkpoint", None)]


def swapped_folder(run: Path) -> list[Named]:
    """The whole checkpoint of another step: its hashes hold, its content is not the ledger's."""
    shutil.rmtree(weights(run, 1).parent)
    shutil.copytree(weights(run, 0).parent, weights(run, 1).parent)
    return [("weights", None)]


def weights(run: Path, step: int) -> Path:
    return run / "checkpoints" / f"step-{step:06d}" / "model.safetensors"


def differing(run: Path) -> tuple[Episode, Episode]:
    """Two members of a group with different rewards."""
    members = episodes(run)
    first = members[0]
    return first, next(e for e in members if e.group == first.group and e.terms()["reward"] != first.terms()["reward"])


EVERY = (
    term_value, total, swapped_rewards, advantage_sign, in_two_batches, missing_member, member_of_nowhere,
    dropped_and_trained, other_rows, listed_weights, counted_tokens, other_column, other_seed, chain,
    checkpoint_pointer, lost_checkpoint, swapped_file, swapped_folder,
)  # fmt: skip
