import sys
from pathlib import Path

import pytest

from trivium.episode.errors import DataError
from trivium.retrieval import Cache, Search, Skip, load_stdlib, split
from trivium.retrieval.stdlib.prose import first_paragraphs, mentions, readable


@pytest.fixture(scope="module")
def stdlib(tmp_path_factory):
    return load_stdlib(cache=Cache(tmp_path_factory.mktemp("stdlib")))


def test_the_whole_library_is_there_under_the_names_people_use(stdlib):
    assert len(stdlib.documents) > 3000
    ids = {document.id for document in stdlib.documents}
    assert len(ids) == len(stdlib.documents)
    names = (
        "json.dumps collections.OrderedDict.move_to_end collections.abc.Mapping dict.keys len itertools.chain math.sqrt"
    )
    assert not set(f"{names} os.path.join os.listdir threading.Thread.join topic.assert".split()) - ids
    assert not [name for name in ids if name.startswith(("test.", "idlelib", "lib2to3")) or "._" in name]


def test_every_link_leads_to_another_document(stdlib):
    ids = {document.id for document in stdlib.documents}
    assert all(link in ids and link != d.id for d in stdlib.documents for link in d.links)
    assert sum(bool(document.links) for document in stdlib.documents) > 1000


def test_a_structural_link_can_be_read_in_the_text(stdlib):
    mapping = stdlib.document("collections.abc.MutableMapping")
    assert mapping.text.endswith("See collections.abc.Mapping.")
    assert "collections.abc.Mapping" in mapping.links
    assert stdlib.document("collections.Counter.update").text.endswith("See dict.update.")


def test_texts_are_prose_without_signatures(stdlib):
    assert all(d.text == " ".join(d.text.split()) for d in stdlib.documents if not d.id.startswith("topic."))
    assert stdlib.document("itertools.chain").text.startswith("Return a chain object")
    assert stdlib.report.count(Skip.UNDOCUMENTED) > 100


def test_a_described_function_is_found(stdlib):
    search = Search.open(split(stdlib, lambda text: len(text) // 4 + 1, 200))
    hits = search.search("move an existing element to the end of an ordered dict", k=5)
    assert "collections.OrderedDict.move_to_end" in {hit.chunk.document_id for hit in hits}


def test_the_second_reading_comes_from_the_cache(tmp_path):
    root, cache = tmp_path / "lib", Cache(tmp_path / "cache")
    write_library(root)
    first = load_stdlib(root, cache)
    steps = []
    assert load_stdlib(root, cache, lambda *step: steps.append(step)).digest == first.digest
    assert steps == []
    (root / "public.py").write_text('"""Another text of this module."""')
    assert load_stdlib(root, cache).digest != first.digest


def write_library(root: Path) -> None:
    files = {
        "_impl.py": (
            'class Base:\n    """The base of all things."""\n    def go(self):\n        """Go along the road."""\n'
        ),
        "public.py": '"""A public module here."""\nfrom _impl import Base\nfrom _impl import *\n',
        "user.py": (
            "from public import Base as Root\n"
            "class Child(Root):\n"
            '    """A child, see :func:`helper`."""\n'
            "    def go(self):\n"
            '        """Go much faster now."""\n'
            "    def _hidden(self):\n"
            '        """Not to be seen."""\n'
            'def helper():\n    """Helps the ``Child`` class."""\n'
            "def bare(): pass\n"
        ),
        "broken.py": "def (:",
        "test/test_x.py": '"""Not read at all."""',
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def test_private_modules_are_published_and_overrides_are_linked(tmp_path):
    write_library(tmp_path)
    corpus = load_stdlib(tmp_path)
    assert {d.id: (d.text, d.links) for d in corpus.documents} == {
        "public": ("A public module here.", ()),
        "public.Base": ("The base of all things.", ()),
        "public.Base.go": ("Go along the road.", ()),
        "user.Child": ("A child, see helper. See public.Base.", ("user.helper", "public.Base")),
        "user.Child.go": ("Go much faster now. See public.Base.go.", ("public.Base.go",)),
        "user.helper": ("Helps the Child class.", ("user.Child",)),
    }
    assert corpus.report.count(Skip.UNREADABLE) == 1
    assert corpus.report.count(Skip.UNDOCUMENTED) == 2


def test_a_library_without_sources_is_refused(tmp_path):
    with pytest.raises(DataError, match="no Python sources"):
        load_stdlib(tmp_path)


@pytest.mark.parametrize(
    ("doc", "text"),
    [
        ("range(stop) -> range object\nrange(start, stop) -> range object\n\nA sequence.", "A sequence."),
        ("D.keys() -> a set-like object\nproviding a view", "a set-like object providing a view"),
        ("f(x, (y, z)) --> Yield things.", "Yield things."),
        ("Adds.\n\n>>> add(1)\n2", "Adds."),
        ("Use\n:class:`~a.B` and ``c``.", "Use a.B and c."),
        ("D.clear() -> None.  Remove all items.", "Remove all items."),
        ("f(x)", ""),
        ("", ""),
        ("First.\n\n" + "x" * 600, "First."),
    ],
)
def test_docstrings_become_prose(doc, text):
    assert readable(first_paragraphs(doc)) == text


def test_names_are_found_in_order():
    text = "Uses ``json.dump``, see also other_thing; :meth:`~Queue.get` of OrderedDict or len()."
    assert mentions(text) == ["json.dump", "other_thing", "Queue.get", "OrderedDict", "len()"]


def test_reading_runs_no_code_of_the_library(tmp_path):
    (tmp_path / "danger.py").write_text('"""A module that fails when run."""\nraise SystemExit(1)\n')
    before = set(sys.modules)
    assert len(load_stdlib(tmp_path).documents) == 1
    assert "danger" not in set(sys.modules) - before
