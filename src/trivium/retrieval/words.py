"""Words: the one tokenisation that indexing and querying share.

Lower case, accents folded, light English stop words, a light plural stem. A name keeps its whole and gives its parts:
`OrderedDict.move_to_end` yields `ordereddict.move_to_end`, `ordereddict`, `move_to_end`, `ordered`, `dict`, `move`
and `end`. Runs of Chinese, Japanese or Korean, which have no spaces, yield their pairs of characters. Any string is
valid input.
"""

import re
import unicodedata
from functools import lru_cache

NAME = re.compile(r"\w+(?:\.\w+)*")
PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+")
CJK = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\u1100-\u11ff\uac00-\ud7af]")
_STOP = """
a an and are as at be been but by did do does for from had has have he her his how i if in into is it its me my no not
of on or our she so such that the their them then there these they this to was we were what when where which who whom
whose why will with would you your
"""
STOP = frozenset(_STOP.split())


def words(text: str) -> list[str]:
    """The words of `text` in order, with repetitions."""
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text)
        text = "".join(char for char in text if not unicodedata.combining(char))
    found: list[str] = []
    for name in NAME.findall(text):
        found += _forms(name)
    return found


@lru_cache(maxsize=1 << 16)
def _forms(name: str) -> tuple[str, ...]:
    """The words that one run of word characters and inner dots gives."""
    if CJK.search(name):
        return (name,) if len(name) == 1 else tuple(name[i : i + 2] for i in range(len(name) - 1))
    whole = name.strip("_").lower()
    if whole.isalpha() and name[1:].islower():
        return () if whole in STOP else (stem(whole),)
    parts = (stem(part.lower()) for part in (*(piece.strip("_") for piece in name.split(".")), *PART.findall(name)))
    forms = (whole if "." in whole or "_" in whole else stem(whole), *parts)
    return tuple(dict.fromkeys(form for form in forms if form and form not in STOP))


def stem(word: str) -> str:
    """Harman's S-stemmer: plural endings of English, and nothing else."""
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and not word.endswith(("eies", "aies")):
        return word[:-3] + "y"
    return word[:-1]
