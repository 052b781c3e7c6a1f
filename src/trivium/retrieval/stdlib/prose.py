"""Docstrings as prose: what a reader of a result needs, and the names that it mentions.

The first paragraphs up to `ENOUGH` characters, without signatures, examples, tables and markup, with white space
normalised. The names are taken from the same paragraphs, so that whoever reads the text can see every name.
"""

import inspect
import re

ENOUGH = 500  # characters
SIGNATURE = re.compile(r"^\s*[\w.*]*\w\((?:[^()]|\([^()]*\))*\)\s*(?:(?:-+>|--|:|=>?)\s*)?(?:None\.\s+)?")
RESULT = re.compile(r"^[\w.\[\], |]{0,39}[\w\]]$")  # what is left of `name() -> type`
ROLE = re.compile(r":[\w:+-]+:`[~!]?(?:[^`<]*<)?([^`>]+)>?`")
CODE = re.compile(r"``?([^`\n]+)``?|\b([A-Za-z_][\w.]*\(\))")
IDENTIFIER = re.compile(r"\b[A-Za-z]\w*(?:\.[A-Za-z]\w*)+|\b[A-Za-z]+_\w+|\b[A-Z]?[a-z]+[A-Z]\w+")
POINTER = re.compile(
    r"(?<![\w-])(?:[Ss]ee(?: also)?|[Ss]ame as|[Ee]quivalent to|[Ll]ike)\s+(?:the )?([A-Za-z]\w*(?:\.\w+)*)"
)
BREAK = re.compile(r"\n[^\S\n]*\n\s*")
EXAMPLE = re.compile(
    r"^\s*(?:>>>|\.\. |[-=~*^+|]{3,}|Usage:|Example|:param|:return|:rtype|Parameters\b|Arguments:|Args:)", re.MULTILINE
)


def first_paragraphs(doc: str) -> str:
    """The raw paragraphs of a docstring that say what the thing is; empty when there are none."""
    kept: list[str] = []
    for paragraph in BREAK.split(inspect.cleandoc(doc).strip()):
        if not kept:
            paragraph = unsigned(paragraph)
        example = EXAMPLE.search(paragraph)
        if example and not example.start():
            if kept:
                break
            continue
        paragraph = paragraph[: example.start()] if example else paragraph
        if kept and (kept[-1].endswith("::") or len(" ".join((*kept, paragraph))) > ENOUGH):
            break  # code, or enough
        kept += [paragraph] if paragraph.strip() else []
        if example:
            break
    return "\n\n".join(kept)


def unsigned(paragraph: str) -> str:
    """A paragraph without the signatures that it starts with."""
    lines = paragraph.split("\n")
    while lines and (found := SIGNATURE.match(lines[0])):
        rest = lines[0][found.end() :]
        if rest and not RESULT.match(rest):
            lines[0] = rest if ">" in found.group() or rest[:1].isupper() else lines[0]
            break
        lines.pop(0)
    return "\n".join(lines)


def readable(raw: str) -> str:
    """Paragraphs on one line, without roles and backticks."""
    text = ROLE.sub(lambda match: match.group(1), raw)
    return " ".join(text.replace("`", "").replace("::", ":").split())


def mentions(raw: str) -> list[str]:
    """Names that a text marks as names, in order: in roles or backticks, called, dotted, capitalised or after "see"."""
    found: list[tuple[int, str]] = []
    for pattern in (ROLE, CODE, IDENTIFIER, POINTER):
        for match in pattern.finditer(raw):
            name = next(filter(None, match.groups()), match.group()).strip().lstrip("~!").rstrip(".")
            found.append((match.start(), name))
    return list(dict.fromkeys(name for _, name in sorted(found)))
