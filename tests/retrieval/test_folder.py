import tracemalloc

import pytest

from trivium.episode.errors import DataError
from trivium.retrieval import LoadReport, Skip, load_folder
from trivium.retrieval.lines import LINE_LIMIT


def write(root, files):
    for name, data in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return root


def links(corpus):
    return {document.id: document.links for document in corpus.documents}


def test_every_file_type_becomes_a_document(tmp_path):
    files = {
        "a.md": "# Green Tea\n\nBrewed.",
        "b.txt": "Plain.",
        "c.rst": "Roasted Beans\n=============\n\nBrewed.",
        "d.html": "<title>Rope &amp; Knots</title><script>x()</script><p>One<p>Two",
        "deep/e.py": "def f(): pass",
        "f.jsonl": '{"_id": "j1", "title": "J", "text": "Json."}\n{"text": "No id."}\n',
        ".git/config.txt": "hidden",
    }
    corpus = load_folder(write(tmp_path, files))
    assert {d.id: d.title for d in corpus.documents} == {
        "a.md": "Green Tea", "b.txt": "b", "c.rst": "Roasted Beans", "d.html": "Rope & Knots",
        "deep/e.py": "e", "j1": "J", "f-2": "f-2",
    }  # fmt: skip
    assert corpus.document("d.html").text == "One\nTwo"
    assert corpus.report == LoadReport(7)


def test_written_links_are_resolved(tmp_path):
    files = {
        "guide/a.md": "[one](../b.md#part) [two](c.rst) [out](https://x.org/b.md) [self](a.md) [[Ropes]] [gone](no.md)",
        "b.md": "[ref]: guide/a.md\n",
        "guide/c.rst": ".. _knots:\n\nKnots\n=====\n\n:doc:`a` and :ref:`text <top>`",
        "d.rst": ".. _top:\n\nTop\n===\n\nSee :ref:`knots`.",
        "e.html": '<a href="guide/a.md">x</a><a href="mailto:a@b">y</a> text',
        "r.txt": "rope",
        "j.jsonl": '{"_id": "j", "title": "Ropes", "text": "t", "links": ["r.txt", "nothing", 3]}',
    }
    found = links(load_folder(write(tmp_path, files)))
    assert found == {
        "guide/a.md": ("b.md", "guide/c.rst", "j"), "b.md": ("guide/a.md",), "guide/c.rst": ("guide/a.md", "d.rst"),
        "d.rst": ("guide/c.rst",), "e.html": ("guide/a.md",), "r.txt": (), "j": ("r.txt",),
    }  # fmt: skip


def test_titles_are_found_as_whole_words_and_the_longest_wins(tmp_path):
    rows = [
        ("y", "New York", "t"), ("c", "New York City", "t"), ("s", "Cat", "t"), ("w", "Ed Wood (film)", "t"),
        ("m1", "Mercury", "t"), ("m2", "Mercury", "t"), ("l", "lower case", "t"),
        ("x", "X", "In New York City a Cat saw Ed Wood and Mercury, lower case. New Yorkers left New York."),
    ]  # fmt: skip
    lines = "".join(f'{{"_id": "{i}", "title": "{t}", "text": "{x}"}}\n' for i, t, x in rows)
    corpus = load_folder(write(tmp_path, {"a.jsonl": lines}) / "a.jsonl")
    assert links(corpus)["x"] == ("c", "w", "y")


def test_everything_that_is_skipped_is_counted_and_told(tmp_path):
    files = {
        "a.jsonl": b'{"_id": "1", "text": "caf\xff"}\nnot json\n[1]\n{"_id": "1", "text": "again"}\n{"_id": "2"}\n'
        b'{"_id": "3", "text": " "}\n{"_id": "4", "text": 5.5}\n{"_id": "5", "text": "\\ud800"}\n\n',
        "b.txt": b"\0\1\2",
        "c.png": b"x",
        "d.md": b"",
        "e.txt": b"x" * (LINE_LIMIT + 1),
    }
    corpus = load_folder(write(tmp_path, files))
    assert [d.text for d in corpus.documents] == ["caf\ufffd"]
    expected = {
        Skip.BROKEN_UTF8: 1, Skip.BAD_JSON: 3, Skip.DUPLICATE_ID: 1, Skip.MISSING_FIELD: 2, Skip.EMPTY: 2,
        Skip.BINARY: 1, Skip.UNSUPPORTED: 1, Skip.LONG_LINE: 1,
    }  # fmt: skip
    assert {note.kind: note.count for note in corpus.report.notes} == expected
    lines = corpus.report.lines()
    assert len(lines) == len(expected) + 1
    assert (
        "3 line(s) that are not a JSON object were skipped (first: a.jsonl line 2, a.jsonl line 3, a.jsonl line 8)."
        in lines
    )


def test_a_line_of_fifty_megabytes_is_passed_over_in_bounded_memory(tmp_path):
    path = tmp_path / "big.jsonl"
    with path.open("wb") as file:
        file.write(b'{"text": "before"}\n{"text": "')
        for _ in range(50):
            file.write(b"x" * (1 << 20))
        file.write(b'"}\n{"text": "after"}\n')
    tracemalloc.start()
    corpus = load_folder(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [d.text for d in corpus.documents] == ["before", "after"]
    assert "big.jsonl line 2" in corpus.report.lines()[1]
    assert peak < 3 * LINE_LIMIT


def test_a_missing_or_empty_path_is_refused_with_a_remedy(tmp_path):
    with pytest.raises(DataError, match="does not exist"):
        load_folder(tmp_path / "no")
    with pytest.raises(DataError, match="add files of type"):
        load_folder(tmp_path)
    (tmp_path / "a.png").write_bytes(b"x")
    with pytest.raises(DataError, match=r"1 file\(s\) of a type that is not read"):
        load_folder(tmp_path)


def test_progress_reaches_its_end(tmp_path):
    steps = []
    load_folder(write(tmp_path, {"a.txt": "x", "b.txt": "y"}), lambda *step: steps.append(step))
    assert ("read", 2, 2) in steps
    assert steps[-1] == ("link", 2, 2)
