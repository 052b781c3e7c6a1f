"""Documentation of what Python implements in C, which has no source to read.

A fixed list of modules of the standard library is imported; each of them is imported by ordinary programs and does
nothing on import. A name that has a Python source, or that belongs to another module, is documented under the module
that defines it.
Builtins go by the names that people use: `dict.keys`, not `builtins.dict.keys`.
"""

import importlib
import sys
from collections.abc import Iterator
from types import BuiltinFunctionType, ModuleType

from .docstrings import Entry
from .names import HOMES

_MODULES = """
array asyncio atexit binascii bz2 cmath codecs collections contextvars csv datetime decimal errno faulthandler fcntl
functools gc hashlib io itertools json lzma marshal math mmap operator os pickle posix pwd grp random re resource select
signal socket sqlite3 ssl statistics string struct sys syslog termios threading time types unicodedata weakref zlib
"""
MODULES = ("builtins", *_MODULES.split())


def builtin_entries() -> Iterator[Entry]:
    """Entries of the C-implemented names of `MODULES` that this Python has."""
    seen: set[int] = set()
    for name in MODULES:
        try:
            module = importlib.import_module(name)
        except ImportError:  # not on this platform, or not compiled in
            continue
        public = HOMES.get(name, name)
        if not _python_source(name):
            yield Entry(public, public, module.__doc__ or "")
        for label, value in _own(module):
            if id(value) not in seen:
                seen.add(id(value))
                yield from _described(public, label, value)


def _own(module: ModuleType) -> Iterator[tuple[str, type | BuiltinFunctionType]]:
    """The public classes and functions of a module that are written in C and not at home elsewhere."""
    for label in sorted(vars(module)):
        value = vars(module)[label]
        if label.startswith("_") or not isinstance(value, type | BuiltinFunctionType):
            continue
        home = getattr(value, "__module__", None) or module.__name__
        if home == module.__name__ or (home != "builtins" and not _python_source(home) and home not in MODULES):
            yield label, value


def _described(module: str, label: str, value: type | BuiltinFunctionType) -> Iterator[Entry]:
    """The entry of a class or function, and those of the methods and attributes of a class."""
    name = label if module == "builtins" else f"{module}.{label}"
    if not isinstance(value, type):
        yield Entry(name, module, _doc(value))
        return
    bases = tuple(_qualified(base) for base in value.__bases__)
    yield Entry(name, module, _doc(value), "", bases)
    for member, method in sorted(vars(value).items()):
        if not member.startswith("_") and (callable(method) or not isinstance(method, type)):
            doc = _doc(method)
            if doc and doc != type(method).__doc__:
                yield Entry(f"{name}.{member}", module, doc, name)


def _doc(value: object) -> str:
    doc = getattr(value, "__doc__", None)
    return doc if isinstance(doc, str) else ""


def _qualified(kind: type) -> str:
    prefix = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    return prefix + kind.__qualname__


def _python_source(name: str) -> bool:
    """Whether a loaded module comes from a Python file."""
    file = getattr(sys.modules.get(name), "__file__", None)
    return isinstance(file, str) and file.endswith((".py", ".pyc"))
