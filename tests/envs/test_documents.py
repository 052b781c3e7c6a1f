"""Which documents train and which are held out, whatever the shape of a corpus."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trivium.envs.search.documents import is_held_out, sides
from trivium.episode import ConfigError
from trivium.retrieval import Document

NAMES = [f"page{number}" for number in range(40)]


def documents(ids):
    return [Document(name, name, f"text of {name}") for name in ids]


def by_hand(name, share):
    """The side of a module of Python, as it always was."""
    return hashlib.blake2b(name.split(".")[0].encode(), digest_size=4).digest() < bytes.fromhex(
        f"{int(share * 2**32):08x}"
    )


def test_python_s_documents_are_on_the_sides_where_they_always_were():
    ids = [
        "json.dumps",
        "json.decoder.JSONDecoder",
        "os",
        "os.path.join",
        "abc.ABC",
        "zlib",
        "heapq.merge",
        "csv",
        "re",
    ]
    training, held_out, twins = sides(documents(ids), 0.35)
    assert {item.id for item in held_out} == {name for name in ids if by_hand(name, 0.35)}
    assert {item.id for item in training} == {name for name in ids if not by_hand(name, 0.35)}
    assert twins == 0


@pytest.mark.parametrize("above", ["docs", "site/docs", "a.b.c"])
def test_one_folder_around_everything_does_not_put_it_on_one_side(above):
    training, held_out, _ = sides(documents([f"{above}/{name}/index" for name in NAMES]), 0.35)
    assert len(training) + len(held_out) == 40
    assert 5 < len(held_out) < 25
    again, _, _ = sides(documents([f"{above}/{name}/index" for name in NAMES[:30]]), 0.35)
    assert {item.id for item in again} <= {item.id for item in training}


@given(st.lists(st.text("ab./", min_size=1, max_size=6), min_size=1, max_size=30, unique=True))
def test_no_document_is_on_two_sides_and_groups_stay_whole(ids):
    try:
        training, held_out, twins = sides(documents(ids), 0.5)
    except ConfigError:
        return
    assert sorted(item.id for item in (*training, *held_out)) == sorted(ids)
    assert twins == 0
    top = {
        side: {item.id.replace("/", ".").split(".")[0] for item in items}
        for side, items in ((0, training), (1, held_out))
    }
    split_at_the_top = {is_held_out(item, 0.5) for item in documents(ids)}
    assert len(split_at_the_top) == 1 or not top[0] & top[1]


@pytest.mark.parametrize(("share", "empty"), [(1e-9, "held-out"), (1 - 1e-9, "training")])
def test_an_empty_side_is_named(share, empty):
    with pytest.raises(ConfigError, match=f"of 40 documents none is on the {empty} side"):
        sides(documents(NAMES), share)
