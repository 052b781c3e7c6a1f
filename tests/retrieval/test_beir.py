import pytest

from trivium.episode.errors import DataError
from trivium.retrieval import Query, Skip, load_beir

from .test_folder import write

GOOD = {
    "corpus.jsonl": (
        '{"_id": "d1", "title": "Green Tea", "text": "Tea."}\n{"_id": 2, "title": "Rope", "text": "Like Green Tea."}\n'
    ),
    "queries.jsonl": '{"_id": "q1", "text": "What?", "answers": ["tea"]}\n{"_id": "q2", "text": "Why?"}\n',
    "qrels.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\t2\t0\nq2\t2\t1\n",
}


def test_a_set_is_read(tmp_path):
    beir = load_beir(write(tmp_path, GOOD))
    assert [(d.id, d.links) for d in beir.corpus.documents] == [("d1", ()), ("2", ("d1",))]
    assert beir.queries == (Query("q1", "What?", ("tea",)), Query("q2", "Why?"))
    assert beir.qrels == {"q1": {"d1": 1, "2": 0}, "q2": {"2": 1}}
    assert beir.gold("q1") == ("d1",)
    assert beir.gold("none") == ()
    assert len(beir.corpus.report.lines()) == 1


def test_judgements_may_lie_in_a_folder_or_have_the_columns_of_trec(tmp_path):
    files = {name: text for name, text in GOOD.items() if name != "qrels.tsv"}
    beir = load_beir(write(tmp_path, {**files, "qrels/a.tsv": "q1\t0\td1\t2\n", "qrels/b.tsv": "q2\t2\t1\n"}))
    assert beir.qrels == {"q1": {"d1": 2}, "q2": {"2": 1}}


def test_what_dangles_or_is_broken_is_dropped_and_counted(tmp_path):
    files = {
        **GOOD,
        "corpus.jsonl": GOOD["corpus.jsonl"] + '{"title": "no id", "text": "x"}\n',
        "queries.jsonl": GOOD["queries.jsonl"]
        + '{"_id": "q1", "text": "again"}\n{"_id": "q3", "text": "alone"}\n{"_id": "q4"}\n',
        "qrels.tsv": GOOD["qrels.tsv"] + "q9\td1\t1\nq1\td9\t1\nq1\td1\nq1\td1\tmany\n",
    }
    report = load_beir(write(tmp_path, files)).corpus.report
    assert {note.kind: note.count for note in report.notes} == {
        Skip.DANGLING_QREL: 2, Skip.MISSING_FIELD: 4, Skip.DUPLICATE_ID: 1, Skip.QUERY_WITHOUT_QREL: 1,
    }  # fmt: skip


@pytest.mark.parametrize("missing", GOOD)
def test_a_missing_file_is_refused(tmp_path, missing):
    write(tmp_path, {name: text for name, text in GOOD.items() if name != missing})
    with pytest.raises(DataError, match=r"qrels|corpus"):
        load_beir(tmp_path)


@pytest.mark.parametrize("empty", ["corpus.jsonl", "queries.jsonl"])
def test_an_empty_file_is_refused(tmp_path, empty):
    with pytest.raises(DataError, match="holds no"):
        load_beir(write(tmp_path, {**GOOD, empty: ""}))
