"""What a refused command leaves behind, and what one bad question costs."""

import json

import pytest


@pytest.fixture
def judged(tmp_path):
    """Writes a data set with these questions, and names its folder."""

    def write(*questions):
        folder = tmp_path / "data"
        folder.mkdir(exist_ok=True)
        words = [f"word{number}" for number in range(len(questions))]
        pages = [{"_id": word, "title": word, "text": f"{word} is kept"} for word in words]
        asked = [{"_id": f"q{number}", "text": text} for number, text in enumerate(questions)]
        (folder / "corpus.jsonl").write_text("\n".join(map(json.dumps, pages)))
        (folder / "queries.jsonl").write_text("\n".join(map(json.dumps, asked)))
        (folder / "qrels.tsv").write_text("".join(f"q{number}\t{word}\t1\n" for number, word in enumerate(words)))
        return folder

    return write


def test_one_overlong_question_is_skipped_and_told(trivium, tiny, judged):
    shown = trivium("eval", tiny, "--data", judged("where is word0?", "long " * 900, "where is word2?"))
    assert "on 2 tasks" in shown.output
    assert "held-out tasks: 1 skipped, too long for the window: the opening of q1 takes" in shown.output


def test_a_data_set_in_which_no_question_fits_is_refused_in_one_sentence(trivium, tiny, judged, tmp_path):
    data = judged(*["long " * 900] * 2)
    shown = trivium("eval", tiny, "--data", data, "--run", tmp_path / "kept", code=2)
    assert shown.stderr.strip().splitlines()[-1].startswith("none of the 2 held-out tasks fits: the opening of q")
    assert not (tmp_path / "kept").exists()


@pytest.mark.parametrize(
    "key", ["environment.corpus.path=/nowhere", "budget.window=80", "policy.model=/nowhere", "name=../../x"]
)
@pytest.mark.parametrize("command", ["train", "sft", "eval"])
def test_a_refused_start_leaves_nothing(trivium, tiny, tmp_path, command, key):
    for _ in range(2):
        shown = trivium(command, tiny, "--run", tmp_path / "run", "--set", key, code=2)
        assert "--resume" not in shown.stderr
    assert list(tmp_path.iterdir()) == []
