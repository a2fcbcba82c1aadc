"""Weaker forms of a guard, derived from its text: what refuses a little less than it should.

    off by one      `a < b` refuses one number fewer; `a <= b` refuses `a == b` no more
    above, below    `a != b` sees one side alone: larger or smaller, the first half or the last
    prefix          `a in all` is content with the first half of `a`
    first, last     one of a list is looked at: of a loop, of `any` and `all`, of an argument
    without N       `and` and `or` lose a branch, a compared tuple a part, a signed text a part,
                    `except` a kind of error

Whether a condition refuses or lets pass follows from what stands there when the guard is removed,
or from what the branch does; so nothing is derived that refuses more than the guard. The names of
weakenings are those of their kinds, with a number behind the second of a kind in a row.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

SIGHT = "__import__('narrow_sight')"
SYMBOLS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
SYMBOLS |= {ast.In: "in", ast.NotIn: "not in", ast.Is: "is", ast.IsNot: "is not"}
ONE = (("first", "[:1]"), ("last", "[-1:]"))
LISTS = ("Sequence", "tuple[", "list[")  # annotations of arguments that are shortened
FLIPPED = {ast.Lt: ast.GtE, ast.LtE: ast.Gt, ast.Gt: ast.LtE, ast.GtE: ast.Lt}
FLIPPED |= {ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In}

# What refuses less than a comparison that refuses: kind, and the text in its place.
REFUSING: dict[type[ast.cmpop], tuple[tuple[str, str], ...]] = {
    ast.NotEq: (
        ("above", SIGHT + ".above({0}, {1})"),
        ("below", SIGHT + ".below({0}, {1})"),
    ),
    ast.Lt: (("off by one", SIGHT + ".far_below({0}, {1})"),),
    ast.Gt: (("off by one", SIGHT + ".far_below({1}, {0})"),),
    ast.LtE: (("off by one", "{0} < {1}"),),
    ast.GtE: (("off by one", "{0} > {1}"),),
    ast.In: tuple((name, "{0} in " + SIGHT + ".listed({1})" + cut) for name, cut in ONE),
    ast.NotIn: (("prefix", SIGHT + ".unlike_all({0}, {1})"),),
}
# The same of a comparison that lets pass, where its opposite, which refuses, has other types.
PASSING: dict[type[ast.cmpop], tuple[tuple[str, str], ...]] = {
    ast.LtE: (("off by one", f"not {SIGHT}.far_above({{0}}, {{1}})"),),
    ast.GtE: (("off by one", f"not {SIGHT}.far_above({{1}}, {{0}})"),),
    ast.Lt: (("off by one", "{0} <= {1}"),),
    ast.Gt: (("off by one", "{0} >= {1}"),),
}


@dataclass(frozen=True, slots=True)
class Change:
    """A piece of a file that reads otherwise.

    Attributes:
        kind: of the weakening.
        start, end: of the piece, in bytes.
        text: in its place.
    """

    kind: str
    start: int
    end: int
    text: str


@dataclass(slots=True)
class _File:
    """A parsed file, with the span of one guard in it.

    Attributes:
        data: the source in UTF-8.
        first, last: the span, in bytes.
        parameters: annotations of the parameters of functions of this package, by name.
        lines: the first byte of each line.
    """

    data: bytes
    first: int
    last: int
    parameters: dict[str, list[tuple[str, str]]]
    lines: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.lines = [0, *(match.end() for match in re.finditer(b"\n", self.data))]

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Return the first byte of a node and the byte after it."""
        at = self.lines[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined]
        end = self.lines[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined]
        return at, end

    def meets(self, node: ast.AST) -> bool:
        """Whether the guard's text and a node overlap."""
        start, end = self.span(node)
        return start < self.last and end > self.first

    def text(self, node: ast.AST) -> str:
        """Return a node's source in parentheses."""
        start, end = self.span(node)
        return f"({self.data[start:end].decode()})"

    def change(self, kind: str, node: ast.AST, text: str) -> Change:
        """Return the change that puts a text in the place of a node."""
        return Change(kind, *self.span(node), text)


def weakenings(
    source: str, text: str, becomes: str, parameters: dict[str, list[tuple[str, str]]]
) -> dict[str, str]:
    """Return the sources of a file in which one guard is weaker, by the name of the weakening.

    text: of the guard, which stands in the source once. becomes: what stands there without it.
    parameters: annotations of the parameters of this package's functions (`annotated`).
    """
    data, at = source.encode(), source.index(text)
    first = len(source[:at].encode())
    file = _File(data, first, first + len(text.encode()), parameters)
    named, seen = dict[str, str](), {bare(source), bare(source.replace(text, becomes))}
    for change in _changes(file, _parsed(source), becomes):
        changed = (data[: change.start] + change.text.encode() + data[change.end :]).decode()
        if bare(changed) in seen:
            continue
        seen.add(bare(changed))
        name, number = change.kind, 1
        while name in named:
            number += 1
            name = f"{change.kind} {number}"
        named[name] = changed
    return named


@lru_cache(maxsize=2)
def _parsed(source: str) -> ast.Module:
    return ast.parse(source)


def bare(source: str) -> str:
    """Return a source without spaces and parentheses: two guards are equal if these are."""
    return re.sub(r"[\s()]", "", source)


def annotated(paths: Sequence[Path]) -> dict[str, list[tuple[str, str]]]:
    """Return the parameters of functions with a name of their own: name and annotation of each."""
    found, twice = dict[str, list[tuple[str, str]]](), set[str]()
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            if node.name in found:
                twice.add(node.name)
            arguments = [arg for arg in node.args.args if arg.arg != "self"]
            found[node.name] = [
                (arg.arg, ast.unparse(arg.annotation) if arg.annotation else "")
                for arg in arguments
            ]
    return {name: given for name, given in found.items() if name not in twice}


def _changes(file: _File, tree: ast.Module, becomes: str) -> Iterator[Change]:
    """Yield the changes of all statements that the guard's text meets."""
    for loops, statement in _statements(tree, ()):
        if not _own_part_meets(file, statement):
            continue
        yield from _of_statement(file, statement, becomes)
        if loops:
            loop = loops[-1]
            for name, cut in ONE:
                one = f"{SIGHT}.listed{file.text(loop.iter)}{cut}"
                yield file.change(f"{name} of the loop", loop.iter, one)


def _statements(
    node: ast.AST, loops: tuple[ast.For, ...]
) -> Iterator[tuple[tuple[ast.For, ...], ast.stmt | ast.ExceptHandler]]:
    """Yield all statements, with the loops of the function in which they stand."""
    for child in ast.iter_child_nodes(node):
        inner = loops
        if isinstance(child, ast.stmt | ast.ExceptHandler):
            yield loops, child
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            inner = ()
        elif isinstance(child, ast.For):
            inner = (*loops, child)
        if not isinstance(child, ast.expr):
            yield from _statements(child, inner)


def _own_part_meets(file: _File, statement: ast.stmt | ast.ExceptHandler) -> bool:
    """Whether the guard's text meets a statement, apart from the statements inside it."""
    match statement:
        case ast.If(test=part) | ast.While(test=part) | ast.For(iter=part):
            return file.meets(part)
        case ast.ExceptHandler(type=ast.expr() as part):
            return file.meets(part)
        case ast.With(items=items) | ast.AsyncWith(items=items):
            return any(file.meets(item.context_expr) for item in items)
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() | ast.Try() | ast.Match():
            return False
        case ast.AsyncFor() | ast.ExceptHandler():
            return False
        case _:
            return file.meets(statement)


def _of_statement(
    file: _File, statement: ast.stmt | ast.ExceptHandler, becomes: str
) -> Iterator[Change]:
    match statement:
        case ast.If(test=test, body=body):
            yield from _of_condition(file, test, refuses=_refuses(test, becomes, body))
        case ast.Return(value=ast.expr() as value) | ast.Assign(value=value):
            if isinstance(value, ast.BinOp):
                yield from _of_sum(file, value)
            else:
                yield from _of_condition(file, value, refuses=_refuses(value, becomes, ()))
        case ast.ExceptHandler(type=ast.Tuple(elts=errors) as several):
            for at in range(len(errors)):
                rest = ", ".join(file.text(error) for error in _without(errors, at))
                yield file.change(f"without {at + 1}", several, f"({rest},)")
        case _:
            pass
    part = statement.test if isinstance(statement, ast.If) else statement
    if not isinstance(
        statement, ast.For | ast.While | ast.With | ast.AsyncWith | ast.ExceptHandler
    ):
        yield from _of_calls(file, part)


def _refuses(test: ast.expr, becomes: str, body: Sequence[ast.stmt]) -> bool:
    """Whether a condition that is true refuses: by what is left of it, else by what follows."""
    left = re.search(r"(?:if|return|=|and|or)\s+(True|False)\b", becomes)
    if left:
        return left[1] == "False"
    if isinstance(test, ast.BoolOp) and becomes.strip():  # which has lost a branch
        return isinstance(test.op, ast.Or)
    if not body:
        return False
    last = body[-1]
    if isinstance(last, ast.Return):
        value = last.value
        return value is None or isinstance(value, ast.Constant | ast.Call | ast.Attribute)
    return isinstance(last, ast.Raise | ast.Continue | ast.Break) or "await" in ast.unparse(last)


def _of_condition(file: _File, test: ast.expr, *, refuses: bool) -> Iterator[Change]:
    """Yield what is weaker than a condition, as far as the guard's text meets it."""
    if not file.meets(test):
        return
    # A condition that refuses is weaker if it holds less often: `or` loses a branch, `any` an item.
    # Below `not` and for a condition that admits, the opposite is weaker.
    match test:
        case ast.BoolOp(op=op, values=values):
            if isinstance(op, ast.Or) is refuses:
                yield from _branches(file, test)
            for value in values:
                yield from _of_condition(file, value, refuses=refuses)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from _of_condition(file, operand, refuses=not refuses)
        case ast.NamedExpr(value=value):
            yield from _of_condition(file, value, refuses=refuses)
        case ast.IfExp(body=body, orelse=other):
            yield from _of_condition(file, body, refuses=refuses)
            yield from _of_condition(file, other, refuses=refuses)
        case ast.Compare():
            yield from _of_comparison(file, test, refuses=refuses)
        case ast.Call(func=ast.Name(id="any" | "all" as name), args=[argument]):
            if (name == "any") is refuses:
                yield from _of_items(file, argument)
            if isinstance(argument, ast.GeneratorExp):
                yield from _of_condition(file, argument.elt, refuses=refuses)
        case ast.Call(func=ast.Name(id="bool"), args=[argument]):
            yield from _of_condition(file, argument, refuses=refuses)
        case ast.ListComp() | ast.SetComp() | ast.DictComp():
            if refuses:
                yield from _of_items(file, test)
            for each in test.generators:
                for condition in each.ifs:
                    yield from _of_condition(file, condition, refuses=refuses)
        case _:
            pass


def _branches(file: _File, test: ast.BoolOp) -> Iterator[Change]:
    """Yield a condition without each of its branches that the guard's text meets."""
    joint = " or " if isinstance(test.op, ast.Or) else " and "
    for at, value in enumerate(test.values):
        if file.meets(value):
            rest = joint.join(file.text(other) for other in _without(test.values, at))
            yield file.change(f"without {at + 1}", test, f"({rest})")


def _without(nodes: Sequence[ast.expr], at: int) -> list[ast.expr]:
    return [*nodes[:at], *nodes[at + 1 :]]


def _of_comparison(file: _File, test: ast.Compare, *, refuses: bool) -> Iterator[Change]:
    """Yield what is weaker than a comparison, or than one of a chain."""
    pairs = list(zip(test.ops, pairwise([test.left, *test.comparators]), strict=True))
    exact = [f"{file.text(a)} {SYMBOLS[type(op)]} {file.text(b)}" for op, (a, b) in pairs]
    for at, (op, (one, other)) in enumerate(pairs):
        if len(pairs) > 1 and not (file.meets(one) or file.meets(other)):
            continue
        for kind, text in _weaker(file, op, one, other, refuses=refuses):
            parts = [*exact[:at], text, *exact[at + 1 :]]
            yield file.change(kind, test, "(" + " and ".join(f"({part})" for part in parts) + ")")


def _weaker(
    file: _File, op: ast.cmpop, one: ast.expr, other: ast.expr, *, refuses: bool
) -> Iterator[tuple[str, str]]:
    """Yield kind and text of what is weaker than one comparison."""
    if "None" in (ast.unparse(one), ast.unparse(other)) or _names_a_type(other):
        return
    if isinstance(one, ast.Tuple) and isinstance(other, ast.Tuple):
        for at in range(len(one.elts)):
            left = ", ".join(file.text(part) for part in _without(one.elts, at))
            right = ", ".join(file.text(part) for part in _without(other.elts, at))
            yield f"without {at + 1}", f"({left},) {SYMBOLS[type(op)]} ({right},)"
        return
    table, negated = REFUSING, ""
    kind: type[ast.cmpop] | None = type(op)
    if not refuses:
        if type(op) in PASSING:
            table = PASSING
        else:
            kind, negated = FLIPPED.get(type(op)), "not "
    for name, text in table.get(kind, ()) if kind else ():
        yield name, negated + text.format(file.text(one), file.text(other))


def _names_a_type(node: ast.expr) -> bool:
    """Whether a node is the set of all members of an enumeration."""
    return (
        isinstance(node, ast.Call)
        and ast.unparse(node).startswith("set(")
        and (bool(node.args) and ast.unparse(node.args[0])[:1].isupper())
    )


def _of_items(file: _File, argument: ast.expr) -> Iterator[Change]:
    """Yield a condition on all items of a list that looks at one of them."""
    if isinstance(argument, ast.GeneratorExp | ast.ListComp | ast.SetComp | ast.DictComp):
        argument = argument.generators[0].iter
    for name, cut in ONE:
        yield file.change(name, argument, f"{SIGHT}.listed({file.text(argument)}){cut}")


def _of_sum(file: _File, value: ast.BinOp) -> Iterator[Change]:
    """Yield a text of three or more parts, each left out in turn."""
    parts, node = list[ast.expr](), value
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        parts.insert(0, node.right)
        node = node.left  # type: ignore[assignment]
    parts.insert(0, node)
    if len(parts) > 2:
        for at in range(len(parts)):
            rest = " + ".join(file.text(part) for part in _without(parts, at))
            yield file.change(f"without {at + 1}", value, f"({rest})")


def _of_calls(file: _File, part: ast.AST) -> Iterator[Change]:
    """Yield calls whose arguments that are lists are cut to one item."""
    for call in ast.walk(part):
        if not isinstance(call, ast.Call) or not file.meets(call):
            continue
        name, arguments = _callee(call), call.args
        if name == "partial" and arguments:
            name, arguments = ast.unparse(arguments[0]).rpartition(".")[2], arguments[1:]
        for argument, (parameter, annotation) in zip(
            arguments, file.parameters.get(name, ()), strict=False
        ):
            if annotation.startswith(LISTS) and not isinstance(argument, ast.Starred):
                for kind, cut in ONE:
                    yield file.change(
                        f"{kind} of {parameter}", argument, f"{file.text(argument)}{cut}"
                    )


def _callee(call: ast.Call) -> str:
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""
