"""The documentation of Python's standard library, as a corpus.

load_stdlib       corpus.py       files -> Corpus
read_source       docstrings.py   what a source file says about its public names, without running it
builtin_entries   builtin.py      the same of what Python implements in C
publish, Names    names.py        where a name is published, and what a name means at a place
readable          prose.py        docstrings as prose, and the names they mention
topics            topics.py       the topics of the language
"""

from .corpus import load_stdlib

__all__ = ["load_stdlib"]
