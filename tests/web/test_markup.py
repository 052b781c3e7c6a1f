import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trivium.episode import printable
from trivium.web.markup import Markup, joined, table, tag

from .reader import Page

WORDS = st.text(st.characters(codec="utf-8")) | st.sampled_from(["<script>x</script>", '"><b a="', "&lt;", "]]>", "\0"])


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(WORDS, WORDS)
def test_text_stays_text_in_elements_and_in_attributes(inner, value):
    page = Page(tag("p", inner, title=value, id=None))
    assert page.elements == [("p", {"title": printable(value)})]
    assert page.text == printable(inner)


def test_markup_is_not_escaped_again_and_names_are_spelled_as_html_does():
    assert tag("a", tag("b", "x"), class_="y", aria_label="z") == '<a class="y" aria-label="z"><b>x</b></a>'
    assert isinstance(joined("<"), Markup)


@pytest.mark.parametrize("cell", ["<td>", "&"])
def test_a_table_names_its_rows(cell):
    page = Page(table(("a", "b"), [["r", cell]]))
    assert [name for name, _ in page.elements].count("td") == 1
    assert page.text == f"abr{cell}"
