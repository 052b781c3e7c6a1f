"""The topics of Python's built-in help: chapters of the language reference, as documents `topic.NAME`.

Their text is the whole chapter, paragraphs kept and reflowed. Links are the names that it quotes and that are
documented.
"""

import re
from collections.abc import Collection, Iterator

from trivium.retrieval.document import Document

HEADING = re.compile(r"^(.+)\n([*=\-~^])\2{2,}\s*$", re.MULTILINE)
QUOTED = re.compile(r"[\"'`]+([A-Za-z_][\w.]*)(?:\(\))?[\"'`]+")


def topics(known: Collection[str]) -> Iterator[Document]:
    """The topics that this Python carries; `known` are the ids that a topic may link to."""
    try:
        from pydoc_data.topics import topics as texts
    except ImportError:  # some distributions leave it out
        return
    for name, raw in sorted(texts.items()):
        heading = HEADING.search(raw)
        title = heading.group(1).replace('"', "").strip() if heading else name
        links = dict.fromkeys(word for word in QUOTED.findall(raw) if word in known)
        text = "\n\n".join(" ".join(part.split()) for part in re.split(r"\n\s*\n", HEADING.sub(r"\1\n", raw)))
        yield Document(f"topic.{name}", title, text.strip(), tuple(links))
