"""The commands in a row, on a real model, corpus and store: seconds, because all of them are small."""

import json
import shutil
import sqlite3
import tomllib
from contextlib import closing

import pytest

from trivium.run.evaluate import EVAL_SEED
from trivium.store import RunStore


@pytest.fixture(scope="module")
def runs(tiny, tmp_path_factory):
    """A taught policy, and what RL made of it."""
    from typer.testing import CliRunner

    from trivium.cli.app import app

    folder = tmp_path_factory.mktemp("runs")
    for line in (
        ["sft", tiny, "--run", folder / "sft"],
        ["train", tiny, "--run", folder / "rl", "--set", f"policy.model={folder / 'sft'}"],
    ):
        result = CliRunner().invoke(app, [str(item) for item in line], catch_exceptions=False)
        assert result.exit_code == 0, result.output
        assert result.stdout.splitlines()[-1].endswith("report.json")
    return folder


def test_a_run_keeps_its_recipe_steps_and_report(runs):
    report = json.loads((runs / "rl" / "report.json").read_text())
    assert set(report["arms"]) == {"start", "after"}
    assert report["steps"] == 2
    with RunStore(runs / "rl", readonly=True) as store:
        assert [commit.step for commit in store.ledger.commits()] == [0, 1]


def test_a_finished_run_resumes_to_the_same_end(runs, trivium):
    own = runs / "rl" / "recipe.toml"
    shown = trivium("train", own, "--run", runs / "rl", "--resume").output
    assert "resumed after step 2" in shown
    assert "nothing is left to train: all 2 steps" in shown


def test_a_run_is_shown(runs, trivium):
    shown = trivium("show", runs / "rl").output
    for part in (
        "2 steps committed",
        'name = "tiny"',
        "trajectory recall",
        "outcomes:",
        "trained:",
        "dropped:",
        "after RL - start",
        "start_arm",
        "--episode",
        "trivium export",
    ):
        assert part in shown


def test_a_run_of_an_older_version_is_read_and_its_forgotten_keys_are_counted(runs, trivium, tmp_path):
    old = shutil.copytree(runs / "rl", tmp_path / "old")
    text = (old / "recipe.toml").read_text().replace("[sft]", "[sft]\npasses = 1").replace("keep = 3\n", "")
    (old / "recipe.toml").write_text(text + "\n[policy.gone]\nkey = 2\n")
    told = "2 older keys that nothing reads any more: policy.gone.key, sft.passes"
    assert told in trivium("show", old).output
    assert told in trivium("eval", "--policy", old, "--limit", 1).stderr
    assert told in trivium("export", old, "--to", tmp_path / "out").stderr
    assert "nothing reads the key" in trivium("train", old / "recipe.toml", code=2).stderr
    assert "nothing reads the key sft.old" in trivium("eval", "--policy", old, "--set", "sft.old=1", code=2).stderr


def test_a_run_that_lacks_a_key_that_came_later_goes_on(runs, trivium, tmp_path):
    old = shutil.copytree(runs / "rl", tmp_path / "old")
    (old / "recipe.toml").write_text((old / "recipe.toml").read_text().replace("keep = 3\n", ""))
    trivium("train", old / "recipe.toml", "--run", old, "--resume")
    said = trivium("train", old / "recipe.toml", "--run", old, "--resume", "--set", "seed=9", code=2).stderr
    assert "another recipe" in said


def test_an_episode_is_read_node_by_node(runs, trivium):
    with RunStore(runs / "rl", readonly=True) as store:
        name = store.episodes.ids(step=0)[0]
    shown = trivium("show", runs / "rl", "--episode", name).output
    for part in ("#0 system", "# Tools", "#1 user", "by policy policy (main), weights", "reward terms:"):
        assert part in shown


def test_a_run_is_a_page(runs, trivium, tmp_path):
    assert trivium("show", runs / "rl", "--html").output.strip() == str(runs / "rl" / "report.html")
    trivium("show", runs / "rl", "--html", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    for part in ("after RL - start", "<polyline", "The context tree", 'class="token"', "trivium export"):
        assert part in page
    assert "without --html" in trivium("show", runs / "rl", tmp_path / "x", code=2).stderr


def test_a_checkpoint_is_exported_and_measured_where_it_lies(runs, trivium, tiny, tmp_path):
    said = trivium("export", f"{runs / 'rl'}@2", "--to", tmp_path / "out").output
    assert said.strip() == str(tmp_path / "out")
    assert "on 2 tasks" in trivium("eval", tiny, "--policy", tmp_path / "out", "--limit", 2).output
    assert "nothing is overwritten" in trivium("export", runs / "rl", "--to", tmp_path / "out", code=2).stderr


def test_a_run_is_audited_and_leaves_its_proof(runs, trivium, tmp_path):
    file = tmp_path / "tokens.jsonl"
    shown = trivium("audit", runs / "rl", "--tokens", file).output
    assert "clean: 2 steps" in shown
    assert json.loads((runs / "rl" / "audit.json").read_text())["clean"] is True
    assert (runs / "rl" / "audit.md").read_text().startswith("# Audit of")
    first = json.loads(file.read_text().splitlines()[0])
    assert first["policy"] == "policy"
    assert abs(first["again"] - first["logprob"]) < 1e-4


def test_an_audit_with_findings_exits_1_and_names_them(runs, trivium, tmp_path):
    copy = shutil.copytree(runs / "rl", tmp_path / "rl")
    with closing(sqlite3.connect(copy / "run.db")) as raw:
        assert raw.execute("UPDATE members SET advantage = advantage + 1 WHERE place = 0").rowcount
        raw.commit()
    assert "advantage: step" in trivium("audit", copy, "--limit", 1, code=1).output
    assert "not audited yet" in trivium("audit", runs / "sft", code=2).stderr
    assert "no step 9" in trivium("audit", copy, "--step", 9, code=2).stderr


def test_an_unknown_episode_names_the_nearest(runs, trivium):
    assert "did you mean 00000-001-001?" in trivium("show", runs / "rl", "--episode", "00000-001-001x", code=2).stderr


def test_a_checkpoint_is_measured_with_the_best_of_k(runs, trivium, tmp_path):
    file = tmp_path / "figures.json"
    shown = trivium("eval", "--policy", f"{runs / 'rl'}@1", "--k", 2, "--limit", 2, "--json", file).output
    assert "best of 2" in shown
    record = json.loads(file.read_text())
    assert record["k"] == 2
    assert record["metrics"]["reward"]["mean"]["n"] == 2
    assert record["metrics"]["reward"]["best"]["mean"] >= record["metrics"]["reward"]["mean"]["mean"]


def test_the_base_policy_is_measured_and_its_folder_ends_with_a_report(tiny, trivium, tmp_path):
    file, kept = tmp_path / "figures.json", tmp_path / "kept"
    trivium("eval", tiny, "--policy", "base", "--limit", 2, "--json", file, "--run", kept)
    record, report = json.loads(file.read_text()), json.loads((kept / "report.json").read_text())
    assert record["policy"] == tomllib.loads(tiny.read_text())["policy"]["model"]
    assert set(report["arms"]) == {"eval"}
    assert report["arms"]["eval"]["reward"]["mean"] == pytest.approx(record["metrics"]["reward"]["mean"]["mean"])
    for told in (record, report):
        assert told["eval_seed"] == EVAL_SEED
        assert told["wall_seconds"] > 0
    with RunStore(kept, readonly=True) as store:
        assert len(store.episodes.ids(outcome="scored")) == 2
    assert "holds a run already; choose another" in trivium("train", tiny, "--run", kept, code=2).stderr


def test_a_run_that_exists_says_how_its_own_command_goes_on(runs, trivium, tiny):
    for made, command in (("sft", "sft"), ("rl", "train")):
        for asked in ("train", "sft"):
            said = trivium(asked, tiny, "--run", runs / made, code=2).stderr
            assert f"resume with: trivium {command} {runs / made / 'recipe.toml'}" in said


DEMO = (
    "environment.corpus.kind=folder",
    "environment.corpus.chunk_tokens=120",
    "environment.tasks.train=12",
    "environment.tasks.made_up=0",
    "environment.tasks.held_out_share=0.4",
    "environment.tasks.clues=3",
    "budget.window=960",
    "budget.soft=480",
    "budget.hard=720",
    "budget.turns=2",
    "schedule.groups=2",
    "schedule.group_size=2",
    "eval.tasks=3",
)


@pytest.mark.parametrize(("steps", "code"), [(1, 0), (0, 2)])
def test_the_demo_ends_with_its_report_and_succeeds_only_when_it_trained(steps, code, tiny, trivium, tmp_path):
    own = tomllib.loads(tiny.read_text())
    sets = (*DEMO, f"policy.model={own['policy']['model']}", f"environment.corpus.path={tiny.parent / 'pages'}")
    words = [word for key in (*sets, f"schedule.steps={steps}") for word in ("--set", key)]
    shown = trivium("demo", "--run", tmp_path / "run", *words, code=code)
    if code:
        assert "no step was trained" in shown.stderr
        return
    assert shown.stdout.splitlines()[-1] == str(tmp_path / "run" / "report.json")
    for part in (
        "not the demo as it comes:",
        "schedule.steps = 1,",
        "SFT instead of RL (recorded): trivium sft",
        "992 s",
    ):
        assert part in shown.stdout
    report = json.loads((tmp_path / "run" / "report.json").read_text())
    assert set(report["arms"]) == {"start", "after", "ceiling", "bm25"}
    assert report["steps"] == 1


def test_a_judged_data_set_is_measured_on_all_its_questions(runs, trivium, tmp_path):
    words = ["alpha", "bravo", "delta"]
    pages = [{"_id": f"d{i}", "title": word, "text": f"{word} is kept in room {i}"} for i, word in enumerate(words)]
    questions = [{"_id": f"q{i}", "text": f"where is {word}?"} for i, word in enumerate(words)]
    (tmp_path / "corpus.jsonl").write_text("\n".join(map(json.dumps, pages)))
    (tmp_path / "queries.jsonl").write_text("\n".join(map(json.dumps, questions)))
    (tmp_path / "qrels.tsv").write_text("".join(f"q{i}\td{i}\t1\n" for i in range(3)))
    assert "on 3 tasks" in trivium("eval", "--policy", runs / "rl", "--data", tmp_path).output


def test_a_dry_run_tells_everything_and_trains_nothing(tiny, trivium, tmp_path):
    shown = trivium("train", tiny, "--dry-run", "--run", tmp_path / "run").output
    for part in ("[schedule]", "parameters, reads 1024 tokens", "2 groups x 2 = 4 episodes", "nothing was trained"):
        assert part in shown
    assert not (tmp_path / "run").exists()


def test_published_sizes_stand_in_for_a_model_that_is_not_here_in_a_dry_run_alone(tiny, trivium, tmp_path):
    sets = ("--set", f"policy.model={tmp_path / 'nowhere'}", "--set", "policy.architecture=qwen3-4b")
    shown = trivium("train", tiny, "--dry-run", *sets).output
    assert "model: qwen3-4b, 4,022,468,096 parameters" in shown
    assert "never run here" in shown
    assert "no run and no model lies there" in trivium("train", tiny, *sets, code=2).output


def test_a_dry_run_counts_the_made_up_tasks_as_training_does(tiny, trivium, tmp_path):
    keys = ("policy.model=embedded", "environment.tasks.clues=3", "schedule.steps=80", "environment.tasks.made_up=")
    for share, warning in ((0, "pass 16.0 times over 10 tasks"), (0.5, "pass 8.0 times over 20 tasks")):
        sets = [word for key in keys for word in ("--set", key if key[-1] != "=" else f"{key}{share}")]
        assert warning in trivium("train", tiny, "--dry-run", *sets).output


def test_the_ready_made_recipes_are_valid_and_found_by_name():
    from pathlib import Path

    from trivium.cli.folders import found
    from trivium.config import load_recipe

    assert load_recipe(found(Path("demo"))).name == "demo"
