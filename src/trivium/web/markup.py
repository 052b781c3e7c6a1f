"""HTML and SVG as values: what is not `Markup` already is text, and text is escaped.

Always true: no words of a model, a corpus or a recipe become an element or an attribute.
"""

from html import escape

from trivium.episode import printable


class Markup(str):
    """Text that is HTML already; only `tag` and `joined` make it of what came from outside."""

    __slots__ = ()


def tag(name: str, *children: str, **attributes: object) -> Markup:
    """An element. An attribute that is None is left out; `class_` and `stroke_width` are spelled as HTML does."""
    spelled = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(printable(str(value)))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{name}{spelled}>{joined(*children)}</{name}>")


def joined(*children: str) -> Markup:
    """Children one after another, those that are plain text escaped."""
    return Markup("".join(one if isinstance(one, Markup) else escape(printable(one)) for one in children))


def table(head: tuple[str, ...], rows: list[list[str]], **attributes: object) -> Markup:
    """A table; the first cell of a row names it."""
    top = tag("tr", *(tag("th", cell, scope="col") for cell in head))
    body = [tag("tr", tag("th", row[0], scope="row"), *(tag("td", cell) for cell in row[1:])) for row in rows]
    inner = joined(tag("thead", top), tag("tbody", *body))
    return tag("div", tag("table", inner, **attributes), class_="wide")


def paragraphs(lines: list[str], **attributes: object) -> Markup:
    """Each line a paragraph."""
    return joined(*(tag("p", line, **attributes) for line in lines))
