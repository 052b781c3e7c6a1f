"""Markup into a title, readable text and the targets of links.

One function per file type, from (the file's stem, its text) to a `Page`. They are lenient: broken markup is text. The
text of Markdown and reStructuredText stays as written, since agents read it well; HTML loses its tags.
"""

import re
from collections.abc import Callable
from html.parser import HTMLParser

import msgspec


class Page(msgspec.Struct, frozen=True):
    """What a file says: targets as written in it, labels under which others may refer to it."""

    title: str
    text: str
    targets: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()


MD_TITLE = re.compile(r"^#\s+(.+?)\s*#*\s*$", re.MULTILINE)
MD_LINK = re.compile(r"\[[^\]\n]*\]\(\s*<?([^)>\s]+)|^\s{0,3}\[[^\]\n]+\]:\s*(\S+)|\[\[([^\]|\n]+)", re.MULTILINE)
RST_TITLE = re.compile(r"^(\S.*)\n([=\-~*#^\"'`+:.])\2{2,}\s*$", re.MULTILINE)
RST_ROLE = re.compile(r":[\w:+-]+:`(?:[^`<]*<)?[~!]?([^`>]+)>?`")
RST_LABEL = re.compile(r"^\.\. _([^:\n]+):\s*$", re.MULTILINE)
_BLOCKS = "p div br li tr h1 h2 h3 h4 h5 h6 ul ol table section article header footer pre blockquote dt dd"
BLOCKS = frozenset(_BLOCKS.split())
HIDDEN = frozenset(("script", "style", "template", "noscript"))


def markdown(stem: str, text: str) -> Page:
    """Title: the first `#` heading, else the stem. Targets: inline, reference and wiki links."""
    heading = MD_TITLE.search(text)
    targets = tuple(next(filter(None, groups)).strip() for groups in MD_LINK.findall(text))
    return Page(heading.group(1) if heading else stem, tidy(text), targets)


def rst(stem: str, text: str) -> Page:
    """Title: the first underlined line, else the stem. Targets: those of roles (`:ref:`, `:doc:`, `:func:`, ...)."""
    heading = RST_TITLE.search(text)
    targets = tuple(target.strip().removesuffix("()") for target in RST_ROLE.findall(text))
    return Page(heading.group(1) if heading else stem, tidy(text), targets, tuple(RST_LABEL.findall(text)))


def plain(stem: str, text: str) -> Page:
    """Title: the stem; no targets."""
    return Page(stem, tidy(text))


class _Html(HTMLParser):
    """Collects the visible text, the title and the references of a page."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.text: list[str] = []
        self.title: list[str] = []
        self.targets: list[str] = []
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Opens a tag."""
        if tag in HIDDEN or tag == "title":
            self._open.append(tag)
        self.targets += [value for name, value in attrs if tag == "a" and name == "href" and value]
        if tag in BLOCKS:
            self.text.append("\n")

    def handle_endtag(self, tag: str) -> None:
        """Closes a tag; one that is not open is ignored."""
        if tag in self._open:
            self._open.remove(tag)
        if tag in BLOCKS:
            self.text.append("\n")

    def handle_data(self, data: str) -> None:
        """Text between tags."""
        if "title" in self._open:
            self.title.append(data)
        elif not self._open:
            self.text.append(re.sub(r"\s+", " ", data))


def html(stem: str, text: str) -> Page:
    """Title: the title element, else the stem. Targets: the references of links. Scripts and styles are dropped."""
    page = _Html()
    page.feed(text)
    page.close()
    return Page(" ".join("".join(page.title).split()) or stem, tidy("".join(page.text)), tuple(page.targets))


def tidy(text: str) -> str:
    """Text without trailing blanks and without runs of more than one empty line."""
    lines = "\n".join(line.rstrip() for line in text.replace("\0", "").splitlines())
    return re.sub(r"\n{3,}", "\n\n", lines).strip()


PAGES: dict[str, Callable[[str, str], Page]] = {
    ".md": markdown,
    ".markdown": markdown,
    ".rst": rst,
    ".txt": plain,
    ".py": plain,
    ".html": html,
    ".htm": html,
}
