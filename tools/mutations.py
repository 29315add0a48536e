"""Small changes to Python code, one at a time, that a test ought to notice.

Comparisons are flipped, whole numbers go up and down by one, ``and`` and ``or``, ``+`` and ``-``, ``&`` and
``|`` change places, ``not`` is left out, truth is turned round, a function returns None, a statement is left
out. What is no part of the behaviour stays: annotations, decorators, docstrings, texts.
"""

from __future__ import annotations

import ast
import hashlib
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass

SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.And: ast.Or, ast.Or: ast.And, ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult, ast.Div: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
"""Each operator and the one that takes its place."""
REMOVED = (ast.Expr, ast.AugAssign, ast.Raise, ast.Assert, ast.Continue, ast.Break)
"""Statements that can be left out without leaving a name undefined."""
SKIPPED = ("annotation", "returns", "decorator_list", "type_params")
"""Parts of nodes that are not changed."""

Name = tuple[str, str, str, str, int]


@dataclass(frozen=True)
class Mutant:
    """One change to one file."""

    file: str
    """Path from the root of the repository."""
    where: str
    """Class and function that it is in, "" at the top."""
    line: int
    was: str
    """The code that is replaced, on one line."""
    now: str
    start: int
    end: int
    """What is replaced in the file's text, as bytes."""
    nth: int = 1
    """Which one it is of those that read the same in ``where``."""

    @property
    def name(self) -> Name:
        """What stays the same when lines move."""
        return self.file, self.where, self.was, self.now, self.nth

    def rank(self, seed: int) -> str:
        """Its place in the order of a seed: that of the others does not change when code is added."""
        return hashlib.sha256(repr((seed, *self.name)).encode()).hexdigest()

    def applied(self, text: str) -> str:
        data = text.encode()
        return (data[: self.start] + self.now.encode() + data[self.end :]).decode()


def mutants(file: str, text: str) -> list[Mutant]:
    """Every change of a file, in the order of its text."""
    starts = [0]
    for line in text.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    made: list[Mutant] = []
    alike: Counter[tuple[str, str, str]] = Counter()
    for where, node in nodes(ast.parse(text), ""):
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[node.end_lineno - 1] + node.end_col_offset  # type: ignore[operator]
        was = " ".join(text.encode()[start:end].decode().split())
        for now in changes(node):
            alike[where, was, now] += 1
            made.append(Mutant(file, where, node.lineno, was, now, start, end, alike[where, was, now]))
    return made


def nodes(tree: ast.AST, where: str) -> Iterator[tuple[str, ast.expr | ast.stmt]]:
    """Expressions and statements that may be changed, with the class and function that they are in."""
    for name, value in ast.iter_fields(tree):
        if name in SKIPPED:
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or isinstance(child, ast.JoinedStr) or is_text(child):
                continue
            if isinstance(child, ast.expr | ast.stmt):
                yield where, child
            inside = child.name if isinstance(child, ast.FunctionDef | ast.ClassDef) else ""
            yield from nodes(child, f"{where}.{inside}".strip(".") if inside else where)


def is_text(node: ast.AST) -> bool:
    """A docstring, or the text below an attribute that explains it."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def changes(node: ast.expr | ast.stmt) -> Iterator[str]:
    """The code of each change to one node."""
    if isinstance(node, ast.Compare):
        for k, operator in enumerate(node.ops):
            yield from swapped(node, operator, lambda copy, new, k=k: copy.ops.__setitem__(k, new))
    elif isinstance(node, ast.BoolOp | ast.BinOp):
        yield from swapped(node, node.op, lambda copy, new: setattr(copy, "op", new))
    elif isinstance(node, ast.AugAssign):
        for text in swapped(node, node.op, lambda copy, new: setattr(copy, "op", new)):
            yield text.strip("()")
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield f"({ast.unparse(node.operand)})"
    elif isinstance(node, ast.Constant):
        yield from other_constants(node.value)
    elif isinstance(node, ast.Return) and node.value is not None and not is_none(node.value):
        yield "return None"
    if isinstance(node, REMOVED):
        yield "pass"


def swapped(node: ast.AST, operator: ast.AST, put: object) -> Iterator[str]:
    """The node with another operator in place of one of its own."""
    new = SWAPS.get(type(operator))
    if new is not None:
        copy = deepcopy(node)
        put(copy, new())  # type: ignore[operator]
        yield f"({ast.unparse(copy)})"


def other_constants(value: object) -> Iterator[str]:
    if isinstance(value, bool):
        yield str(not value)
    elif isinstance(value, int):
        yield str(value + 1)
        yield f"({value - 1})"


def is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
