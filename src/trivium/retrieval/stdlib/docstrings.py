"""What a Python source file says about its public names, without running it.

Only the syntax tree is read, so the result depends on nothing but the bytes of the file. A name is public when no
part of it starts with an underscore; names under an `if` or `try` of the module count. Of two definitions of a name
the first with a docstring stands.
"""

import ast
import warnings
from collections.abc import Iterator

import msgspec


class Entry(msgspec.Struct, frozen=True):
    """A module, class, function or method: `name` is qualified, `owner` the class around it, `bases` as written."""

    name: str
    module: str
    doc: str = ""
    owner: str = ""
    bases: tuple[str, ...] = ()


class Source(msgspec.Struct, frozen=True):
    """A module's entries, its imports (local name to qualified name), and the modules it imports with a star."""

    name: str
    entries: tuple[Entry, ...] = ()
    imports: dict[str, str] = {}
    stars: tuple[str, ...] = ()


def read_source(name: str, code: bytes, is_package: bool) -> Source:
    """The public documentation of a module. Raises SyntaxError or ValueError for what is no Python of this version."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # old escapes in old files
        tree = ast.parse(code)
    statements = list(_flat(tree.body))
    imports, stars = _imports(statements, name if is_package else name.rpartition(".")[0])
    found: dict[str, Entry] = {}
    for entry in (Entry(name, name, ast.get_docstring(tree) or ""), *_entries(statements, name, name, "")):
        if entry.name not in found or not found[entry.name].doc:
            found[entry.name] = entry
    return Source(name, tuple(found.values()), imports, stars)


def is_public(name: str) -> bool:
    """Whether no part of a dotted name starts with an underscore."""
    return not any(part.startswith("_") for part in name.split("."))


def _flat(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements of a body, those under `if` and `try` included."""
    for statement in body:
        yield statement
        if isinstance(statement, ast.If):
            yield from _flat(statement.body + statement.orelse)
        elif isinstance(statement, ast.Try):
            handlers = [line for handler in statement.handlers for line in handler.body]
            yield from _flat(statement.body + handlers + statement.orelse)


def _entries(body: list[ast.stmt], prefix: str, module: str, owner: str) -> Iterator[Entry]:
    """Entries for the public definitions of a body, classes opened."""
    for node in body:
        if not isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) or node.name.startswith("_"):
            continue
        name, doc = f"{prefix}.{node.name}", ast.get_docstring(node) or ""
        if isinstance(node, ast.ClassDef):
            bases = tuple(filter(None, map(_dotted, node.bases)))
            yield Entry(name, module, doc, owner, bases)
            yield from _entries(list(_flat(node.body)), name, module, name)
        else:
            yield Entry(name, module, doc, owner)


def _dotted(node: ast.expr) -> str:
    """`a.b.c` for such an expression (subscripts taken off), else the empty string."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Subscript):
        return _dotted(node.value)
    if isinstance(node, ast.Attribute):
        head = _dotted(node.value)
        return f"{head}.{node.attr}" if head else ""
    return ""


def _imports(body: list[ast.stmt], package: str) -> tuple[dict[str, str], tuple[str, ...]]:
    """Local names to qualified names, and modules imported with a star; `package` is what one dot means."""
    names: dict[str, str] = {}
    stars: list[str] = []
    for node in body:
        if isinstance(node, ast.Import):
            names |= {alias.asname: alias.name for alias in node.names if alias.asname}
            names |= {alias.name.split(".")[0]: alias.name.split(".")[0] for alias in node.names if not alias.asname}
        elif isinstance(node, ast.ImportFrom):
            source = _absolute(node, package)
            stars += [source for alias in node.names if alias.name == "*"]
            names |= {alias.asname or alias.name: f"{source}.{alias.name}" for alias in node.names if alias.name != "*"}
    return names, tuple(stars)


def _absolute(node: ast.ImportFrom, package: str) -> str:
    """The full name of the module that a `from` import names."""
    parts = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
    return ".".join([*filter(None, parts), *([node.module] if node.module else [])])
