from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from trivium.cli.grid import packed

WIDTHS = st.dictionaries(st.text(min_size=1, max_size=3), st.integers(1, 30), max_size=9)


@given(WIDTHS, st.integers(0, 90))
def test_names_are_packed_in_their_order_and_only_one_that_fits_nowhere_is_too_wide(widths, room):
    parts = list(packed(widths, room))
    assert [name for part in parts for name in part] == list(widths)
    for part in parts:
        assert sum(widths[name] for name in part) <= room or len(part) == 1


@given(WIDTHS, st.integers(0, 90))
def test_a_list_is_full_before_the_next_begins(widths, room):
    parts = list(packed(widths, room))
    for part, after in pairwise(parts):
        assert sum(widths[name] for name in part) + widths[after[0]] > room
