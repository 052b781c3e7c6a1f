"""A server as the policy, from the command line: the same episodes as the model behind it, and no training."""

import json

from envs.pipeline.making import scribe
from policy.remote.server import serving


def evaluated(trivium, recipe, file, *more):
    options = ["--set", "policy.model=embedded", "--limit", 2, "--set", "budget.reply=16"]
    shown = trivium("eval", recipe, "--json", file, *options, *more)
    return json.loads(file.read_text()), shown.output


def test_a_server_by_tokens_lives_the_episodes_of_its_model(tiny, trivium, tmp_path):
    local, _ = evaluated(trivium, tiny, tmp_path / "local.json")
    with serving([429, "reset"]) as server:
        served = ["--policy", server.url, "--set", "policy.remote.api=tokens"]
        served += ["--set", "policy.remote.model=embedded"]  # else asking for it meets the moods
        remote, shown = evaluated(trivium, tiny, tmp_path / "remote.json", *served)
    assert remote["metrics"] == local["metrics"]
    assert "remote:embedded at http://127.0.0.1" in shown
    assert "2 requests repeated" in shown


def test_a_chat_server_is_measured_as_a_baseline(tiny, trivium):
    with serving() as server:
        shown = trivium(
            "eval",
            tiny,
            "--policy",
            server.url,
            "--limit",
            2,
            "--fuse",
            2,
            "--set",
            "budget.reply=24",
            "--set",
            "budget.window=4000",
        ).output
    assert "chat:embedded at http://127.0.0.1" in shown
    assert "2 fused" in shown
    assert "requests" in shown


def test_a_server_is_not_trained(tiny, trivium, tmp_path):
    for api, why in (("chat", "gives no token ids and log-probs"), ("tokens", "cannot be given new weights")):
        sets = ["--set", "policy.remote.url=http://127.0.0.1:1/v1", "--set", f"policy.remote.api={api}"]
        for command in (["train", tiny], ["sft", tiny], ["train", tiny, "--dry-run"]):
            assert why in trivium(*command, "--run", tmp_path / "run", *sets, code=2).stderr
    assert not (tmp_path / "run").exists()


def test_a_key_written_in_place_of_its_variable_is_refused_and_not_shown(tiny, trivium):
    sets = ["--set", "policy.remote.url=http://127.0.0.1:1/v1", "--set", "policy.remote.key_env=sk-secret"]
    shown = trivium("eval", tiny, *sets, code=2).stderr
    assert "is not the key itself" in shown
    assert "secret" not in shown


def test_a_key_nobody_reads_is_refused_beside_a_server(tiny, trivium):
    shown = trivium("eval", tiny, "--policy", "http://127.0.0.1:1/v1", "--set", "policy.dtype=bfloat16", code=2).stderr
    assert "nothing reads policy.dtype" in shown


def test_tasks_are_made_labelled_and_measured(tiny, trivium, tmp_path):
    made = ["tasks", tmp_path / "set", "--recipe", tiny, "--count", 3]
    shown = trivium(*made).output
    assert "3 tasks from" in shown
    before = (tmp_path / "set" / "queries.jsonl").read_text()
    trivium(*made)
    assert (tmp_path / "set" / "queries.jsonl").read_text() == before
    assert "another making" in trivium(*made, "--set", "environment.tasks.seed=5", code=2).stderr
    assert "write yes or no" in trivium("label", tmp_path / "set", tmp_path / "sheet.csv", "--items", 4).output
    assert "has no label" in trivium("label", tmp_path / "set", tmp_path / "sheet.csv", code=2).stderr
    assert "on 3 tasks" in trivium("eval", tiny, "--data", tmp_path / "set").output


def test_tasks_are_written_by_a_model_behind_a_server(tiny, trivium, tmp_path):
    from envs.builders import documents

    lines = [json.dumps({"id": d.id, "title": d.title, "text": d.text, "links": list(d.links)}) for d in documents(30)]
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "corpus.jsonl").write_text("\n".join(lines))
    with serving(["garbage"], says=scribe) as server:
        options = ["--recipe", tiny, "--data", tmp_path / "pages", "--count", 2, "--distractors", 2]
        options += ["--writer", server.url, "--set", "environment.corpus.chunk_tokens=400"]
        trivium("tasks", tmp_path / "set", *options, code=2)
        shown = trivium("tasks", tmp_path / "set", *options).output
    assert "2 tasks from" in shown
    lines = (tmp_path / "set" / "queries.jsonl").read_text().splitlines()
    assert len(lines) == 2
    assert all(json.loads(line)["clues"].startswith("It is about") for line in lines)
