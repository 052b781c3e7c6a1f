"""An audit finds nothing in what was really trained, and names whatever is made wrong."""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import trivium as tv
from run.small import GROUP_SIZE, TASKS, go, letters, look_up, recipe, world
from trivium.config import Recipe
from trivium.episode import Episode, Kind, Scored, StopReason, Versions
from trivium.policy import Engine, Generation, Sampling
from trivium.policy.local.continuous_batch import ContinuousBatch
from trivium.run import setup
from trivium.run.audit import Auditor
from trivium.run.opened_policy import OpenedPolicy
from trivium.store import RunStore

from . import ledger_plants, plants
from .conftest import audit, copied
from .forge import episodes, provenance, resample, rewrite, sql


def test_a_run_with_prunes_and_notices_trained_by_trees_is_clean(searched: Path) -> None:
    lived = episodes(searched)
    nodes = [node for episode in lived for node in episode.tree.nodes]
    assert sum(node.kind is Kind.NOTICE for node in nodes) > 3
    assert sum(bool(plants.pruned_copies(episode)) for episode in lived) > 0
    found = audit(searched)
    assert found.findings == ()
    assert found.counts["rewards derived again"] == len(lived)
    tokens = sum(line.tokens for line in found.lines)
    assert tokens == sum(line.computed for line in found.lines) > 500
    assert max(line.largest_gap or 1 for line in found.lines) < 1e-4


def test_a_run_by_segments_is_clean(small: Path) -> None:
    found = audit(small)
    assert found.findings == ()
    assert [line.step for line in found.lines] == [0, 1]
    assert {(line.policy, line.role) for line in found.lines} == {("policy", "main")}


def test_a_control_with_shuffled_rewards_is_clean(model_folder: Path, tmp_path: Path) -> None:
    keys = recipe(str(model_folder), 1)
    keys["learn"] = {"lr": 1e-3, "shuffle_rewards": True}
    tv.train(world, TASKS, run=tmp_path / "run", recipe=keys)
    assert audit(tmp_path / "run").findings == ()


def late(engine: Engine) -> Callable[..., Awaitable[Generation]]:
    """Of every third request, what was sampled but its last token, at the deadline."""
    whole = engine.generate

    async def generate(tokens: Sequence[int], sampling: Sampling, **more: Any) -> Generation:
        made = await whole(tokens, sampling, **more)
        if sampling.seed % 3 or made.stop is StopReason.DEADLINE:
            return made
        await asyncio.sleep(more["deadline"] - time.monotonic() + 0.01)
        ids = list(made.versions)[:-1]
        versions = Versions(tuple(dict.fromkeys(ids)), (len(ids),) if ids else ())
        return Generation(made.tokens[:-1], made.logprobs[:-1], versions, StopReason.DEADLINE)

    return generate


def judged(episode: Episode) -> float:
    """One member of one task has no reward, however often it is drawn."""
    if episode.task.id == "t3" and "-001" in episode.id[9:]:
        raise KeyError("boom")
    return letters(episode)


@pytest.fixture(scope="module")
def remembering(model_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three steps under a running mean, with a short group and with actions that a deadline cut."""
    keys = recipe(str(model_folder), 3)
    keys["budget"] = {**keys["budget"], "seconds": 1.0}  # type: ignore[dict-item]
    keys["learn"] = {"lr": 1e-3, "baseline": "running_mean", "baseline_decay": 0.5}
    run = tmp_path_factory.mktemp("remembering") / "run"
    with pytest.MonkeyPatch.context() as patch:
        opened = setup.open_policy

        def parts(made: Recipe, tell: Callable[[str], None]) -> OpenedPolicy:
            found = opened(made, tell)
            patch.setattr(found.engine, "generate", late(found.engine))
            return found

        patch.setattr(setup, "open_policy", parts)
        tv.train(
            lambda task: tv.ToolEnvironment(task, tools=[look_up], terms={"letters": judged}),
            TASKS,
            run=run,
            recipe=keys,
        )
    return run


def test_a_running_mean_short_groups_and_spent_seconds_are_clean(remembering: Path) -> None:
    stops = [node.sampled.stop for e in episodes(remembering) for node in e.tree.actions() if node.sampled]
    assert StopReason.DEADLINE in stops
    found = audit(remembering)
    assert found.findings == ()
    assert sum(count for what, count in found.counts.items() if "its group stayed short" in what) == GROUP_SIZE - 1
    with RunStore(remembering, readonly=True) as store:
        assert Auditor(store).audit(only=2).findings == ()


def test_what_a_running_mean_no_longer_knows_is_counted(remembering: Path, tmp_path: Path) -> None:
    run = copied(remembering, tmp_path / "run")
    rewrite(run, episodes(run, 0)[0].id, lambda episode: setattr(episode, "outcome", Scored(1e13)))
    found = audit(run)
    assert ("rows", 0) in {(one.kind, one.step) for one in found.findings}
    assert "advantage" not in {one.kind for one in found.findings}
    lost = "steps whose advantages were not made again: the baseline remembers step 1, whose batch cannot be made again"
    assert found.counts[lost] == 2


def planted(
    run: Path, todo: dict[plants.Plant, Callable[[Episode], object]]
) -> dict[str, tuple[plants.Plant, plants.Named]]:
    """Plant as many corruptions as there are episodes for, the choosiest first; each takes its episode away."""
    free = episodes(run)
    done: dict[str, tuple[plants.Plant, plants.Named]] = {}
    for plant in sorted(todo, key=lambda plant: sum(bool(todo[plant](e)) for e in free)):
        victim = next((e for e in free if plants.any_episode(e) and todo[plant](e)), None)
        if victim is not None:
            free.remove(victim)
            named: list[plants.Named] = []
            rewrite(run, victim.id, lambda episode, plant=plant, named=named: named.append(plant(episode)))
            done[victim.id] = plant, named[0]
    return done


def test_every_corruption_of_an_episode_is_named_with_its_place(searched: Path, tmp_path: Path) -> None:
    """Several at a time, each in an episode of its own; no other episode is accused."""
    todo = dict(plants.EVERY)
    missed = []
    while todo:
        run = copied(searched, tmp_path / f"{len(todo)} left")
        done = planted(run, todo)
        assert done, f"no episode has what these need: {[plant.__name__ for plant in todo]}"
        found = audit(run).findings
        missed += [p.__name__ for episode, (p, named) in done.items() if not plants.is_named(named, episode, found)]
        accused = {name for one in found for name in one.episodes}
        assert accused == set(done), {name: done[name][0].__name__ for name in accused ^ set(done) if name in done}
        todo = {plant: needs for plant, needs in todo.items() if plant not in {p for p, _ in done.values()}}
    assert missed == []


@pytest.mark.parametrize("plant", ledger_plants.EVERY, ids=lambda plant: plant.__name__)
def test_every_corruption_of_the_ledger_is_named(
    plant: Callable[[Path], list[ledger_plants.Named]], small: Path, tmp_path: Path
) -> None:
    run = copied(small, tmp_path / "run")
    named = plant(run)
    found = Counter((one.kind, name) for one in audit(run).findings for name in one.episodes or (None,))
    assert [item for item in named if item not in found] == [], found


def test_what_no_weights_give_again_is_counted_and_not_compared(small: Path, tmp_path: Path) -> None:
    run = copied(small, tmp_path / "run")
    rewrite(run, episodes(run, 1)[0].id, marked_first)
    found = audit(run)
    assert {one.kind for one in found.findings} == {"version"}
    (lost,) = (count for what, count in found.counts.items() if "keep_kv" in what)
    assert lost == sum(line.tokens - line.computed for line in found.lines) > 0


def marked_first(episode: Episode) -> None:
    node = plants.actions(episode)[0]
    versions = provenance(episode, node.id).versions
    resample(episode, node.id, versions=Versions(versions.ids, versions.counts, (True,) * len(versions.ids)))


def test_a_run_whose_recipe_is_older_is_audited(small: Path, tmp_path: Path) -> None:
    run = copied(small, tmp_path / "run")
    kept = run / "recipe.toml"
    kept.write_text(kept.read_text().replace("[sft]\n", "[sft]\npasses = 2\n"))
    found = audit(run)
    assert found.findings == ()
    assert found.counts["keys of the recipe that nothing reads any more"] == 1


def test_search_terms_are_derived_again(searched: Path, tmp_path: Path) -> None:
    run = copied(searched, tmp_path / "run")
    name = episodes(run)[0].id
    for term in ("recall", "r_traj", "f_beta"):
        sql(run, f"UPDATE rewards SET value = value + 0.25 WHERE episode = '{name}' AND term = '{term}'")
    told = [one.text for one in audit(run).findings if (one.kind, one.episodes) == ("term", (name,))]
    assert [text.split()[0] for text in told] == ["recall", "f_beta", "r_traj"]


def test_a_batch_of_another_run_is_named(small: Path, model_folder: Path, tmp_path: Path) -> None:
    """Same model, same names of episodes, same everything but the seed of the run."""
    tv.train(world, TASKS, run=tmp_path / "other", recipe={**recipe(str(model_folder), 1), "seed": 8})
    run = copied(small, tmp_path / "run")
    sql(
        run,
        f"ATTACH '{tmp_path / 'other' / 'run.db'}' AS other",
        *(f"DELETE FROM {table} WHERE episode LIKE '00000-%'" for table in ("members", "rewards")),
        "DELETE FROM episodes WHERE step = 0",
        'INSERT INTO episodes SELECT seq + 1000, id, step, "group", task, family, seed, life, outcome, reward, '
        "counters, record FROM other.episodes WHERE step = 0",
        "INSERT INTO rewards SELECT seq + 1000, episode, term, value, source, time FROM other.rewards",
        "INSERT INTO members SELECT * FROM other.members WHERE step = 0",
    )
    accused = {one.episodes[0] for one in audit(run).findings if one.kind == "plan"}
    assert accused == {episode.id for episode in episodes(run, 0)}


def test_stale_keys_and_values_of_an_engine_show(
    model_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An engine that keeps what it read when its weights change: every name is right, the log-probs are not."""

    def only_renamed(self: object, weights_id: str, **_: object) -> None:
        setattr(self, "_weights_id", weights_id)  # noqa: B010  (it is private)

    monkeypatch.setattr(ContinuousBatch, "switch", only_renamed)
    go(str(model_folder), str(tmp_path / "run"), 2)
    found = audit(tmp_path / "run").findings
    assert {one.kind for one in found} == {"logprob"}
    assert {one.step for one in found} == {1}
    assert found[0].node is not None
    assert "give" in found[0].text
