"""Every single change at a node of a program's syntax tree that could make the program wrong.

On `ast`: the libraries that are kept (cosmic-ray, mutmut, mutatest2) change files for a test runner of their own, the
first two with a dozen packages or more; none of them drops statements.
"""

from __future__ import annotations

import ast
import builtins
import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

_Node = TypeVar("_Node", bound=ast.AST)

_SHOWN = 60
_SYMBOLS: Mapping[type[ast.AST], str] = {
    **{ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**"},
    **{ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^"},
    **{ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="},
    **{ast.In: "in", ast.NotIn: "not in", ast.Is: "is", ast.IsNot: "is not", ast.And: "and", ast.Or: "or"},
}
_ARITHMETIC: Mapping[type[ast.operator], tuple[type[ast.operator], ...]] = {
    **{ast.Add: (ast.Sub,), ast.Sub: (ast.Add,), ast.Mult: (ast.Add, ast.FloorDiv), ast.Pow: (ast.Mult,)},
    **{ast.Div: (ast.FloorDiv, ast.Mult), ast.FloorDiv: (ast.Div, ast.Mult), ast.Mod: (ast.FloorDiv,)},
    **{ast.LShift: (ast.RShift,), ast.RShift: (ast.LShift,)},
    **{ast.BitAnd: (ast.BitOr,), ast.BitOr: (ast.BitAnd, ast.BitXor), ast.BitXor: (ast.BitOr, ast.BitAnd)},
}
_NEUTRAL: Mapping[type[ast.operator], int] = {
    **{ast.Add: 0, ast.Sub: 0, ast.LShift: 0, ast.RShift: 0, ast.BitOr: 0, ast.BitXor: 0},
    **{ast.Mult: 1, ast.Div: 1, ast.FloorDiv: 1, ast.Pow: 1},
}
_BOUNDARY: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    **{ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt},
}
_NEGATION: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    **{ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq},
    **{ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is},
}
_TWINS = (
    *(("min", "max"), ("any", "all"), ("floor", "ceil"), ("lower", "upper"), ("islower", "isupper")),
    *(("startswith", "endswith"), ("removeprefix", "removesuffix"), ("isdigit", "isalpha"), ("union", "intersection")),
    *(("lstrip", "rstrip"), ("find", "rfind"), ("ljust", "rjust"), ("partition", "rpartition")),
    *(("bisect_left", "bisect_right"), ("combinations", "permutations")),
)
_SWAPS: Mapping[str, str] = {
    **{one: other for pair in _TWINS for one, other in (pair, pair[::-1])},
    **{"strip": "lstrip", "add": "discard", "popleft": "pop", "appendleft": "append"},
}
_UNWRAPPED = ("abs", "int", "reversed", "round", "set", "sorted")
_UNDONE = ("capitalize", "copy", "lower", "lstrip", "rstrip", "strip", "swapcase", "title", "upper")


@dataclass(frozen=True, slots=True, eq=False)
class Mutation:
    """Put `new` in the place of `old`, a node of the tree. `line` is where, from 1; `change` says it in words."""

    kind: str
    line: int
    change: str
    old: ast.AST
    new: ast.AST


@dataclass(frozen=True, slots=True)
class Facts:
    """What a node does not tell of the program around it. Nodes are named by their `id`.

    `defined`: functions of the program. `firsts`: assignments that give a name its first value. `ties`: comparisons
    after which equal values are as good as each other. `divisors`: right sides of a division. `procedures`: functions
    that return no value.
    """

    defined: frozenset[str]
    firsts: frozenset[int]
    ties: frozenset[int]
    divisors: frozenset[int]
    procedures: frozenset[int]


def mutations_of(node: ast.AST, facts: Facts) -> Iterator[Mutation]:
    """Yield the changes at one node. Some may give a program that is equal or does not compile."""
    for kind, rule in _RULES.items():
        for old, new, change in rule(node, facts):
            yield Mutation(kind, old.lineno, change, old, new)


def literal(node: ast.AST | None) -> object:
    """Return the value of a constant, also of a negative number; None for everything else."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        value = node.operand.value
        return -value if isinstance(value, int | float) and not isinstance(value, bool) else None
    return node.value if isinstance(node, ast.Constant) else None


# What stands there, what comes in its place, and the words for it. What stands there is an expression or a statement:
# other nodes have no line, and the parser uses one node for all the same operators.
_Change = tuple[ast.expr | ast.stmt, ast.AST, str]


def _operators(node: ast.AST, facts: Facts) -> Iterator[_Change]:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Invert) and literal(node) is None:
        yield _became(node, node.operand)
    elif isinstance(node, ast.BinOp | ast.AugAssign):
        sides = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.value,)
        neutral = literal(sides[-1]) == _NEUTRAL.get(type(node.op), ...)
        mark = "=" if isinstance(node, ast.AugAssign) else ""
        for other in () if neutral or any(map(_is_sequence, sides)) else _ARITHMETIC.get(type(node.op), ()):
            yield _swapped(node, node.op, other(), _with(node, op=other()), mark)


def _booleans(node: ast.AST, facts: Facts) -> Iterator[_Change]:
    if isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield _swapped(node, node.op, other, _with(node, op=other))


def _boundaries(node: ast.AST, facts: Facts) -> Iterator[_Change]:
    if isinstance(node, ast.Compare) and id(node) not in facts.ties:
        yield from _compared(node, _BOUNDARY)


def _negations(node: ast.AST, facts: Facts) -> Iterator[_Change]:
    if isinstance(node, ast.Compare):
        yield from _compared(node, _NEGATION)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) and not _is_comparison(node.operand):
        yield _became(node, node.operand)
    for test in _tests(node):
        if not _is_comparison(test) and not isinstance(test, ast.UnaryOp | ast.Constant):
            yield _became(test, ast.UnaryOp(op=ast.Not(), operand=test))


def _constants(node: ast.AST, facts: Facts) -> Iterator[_Change]:
    value = literal(node)
    if not isinstance(node, ast.expr):
        return
    if isinstance(value, bool):
        yield _became(node, ast.Constant(not value))
    elif isinstance(value, int | float):
        for other in dict.fromkeys((value + 1, value - 1, type(value)(0))):
            if other or id(node) not in facts.divisors:
                yield _became(node, _number(other))
    elif isinstance(value, str):
        yield _became(node, ast.Constant("" if value else "x"))


def _bounds(node: ast.AST, facts: Facts) -> Iterator[_Change]:
    bounds: Sequence[ast.expr | None] = ()
    if isinstance(node, ast.Slice):
        bounds = (node.lower, node.upper)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range":
        bounds = node.args[:2]
    for bound in bounds:
        # The constant itself is changed in `7` and in `n + 1`.
        shifted = literal(bound.right if isinstance(bound, ast.BinOp) else bound) is not None
        if bound and not shifted and not isinstance(bound, ast.Starred):
            for operator in (ast.Add(), ast.Sub()):
                yield _became(bound, ast.BinOp(left=bound, op=operator, right=ast.Constant(1)))


def _branches(node: ast.AST, facts: Facts) -> Iterator[_Change]:
    body = node.body if isinstance(node, ast.If | ast.While | ast.For) else []
    orelse = node.orelse if isinstance(node, ast.If | ast.While | ast.For) else []
    # Where a branch is one statement, that is dropped instead. `while True` would never end.
    for test in _tests(node):
        useful = {True: not isinstance(node, ast.While), False: bool(orelse) or not _falls(body, facts)}
        for outcome in (one for one, is_useful in useful.items() if is_useful):
            yield test, ast.Constant(outcome), f"the condition `{_shown(test)}` became `{outcome}`"
    if isinstance(node, ast.For) and not _falls(body, facts):
        yield node.iter, ast.List(elts=[], ctx=ast.Load()), f"the loop over `{_shown(node.iter)}` was dropped"
    elif_follows = len(orelse) == 1 and isinstance(orelse[0], ast.If)
    if isinstance(node, ast.stmt) and orelse and not elif_follows and not _falls(orelse, facts):
        yield node, _with(node, orelse=[]), f"the `else` with `{_shown(orelse[0])}` was dropped"


def _statements(node: ast.AST, facts: Facts) -> Iterator[_Change]:
    if isinstance(node, ast.stmt) and _falls([node], facts):
        yield node, ast.Pass(), f"`{_shown(node)}` was dropped"


def _returns(node: ast.AST, facts: Facts) -> Iterator[_Change]:
    if isinstance(node, ast.Return) and node.value and ast.unparse(node.value) != "None":
        yield _became(node, ast.Return(value=ast.Constant(None)))
    elif isinstance(node, ast.FunctionDef) and id(node) in facts.procedures:
        described = isinstance(node.body[0], ast.Expr) and isinstance(node.body[0].value, ast.Constant)
        body = [*node.body[:described], ast.Return(value=None), *node.body[described:]]
        yield node, _with(node, body=body), f"`{node.name}` returned at once"


def _jumps(node: ast.AST, facts: Facts) -> Iterator[_Change]:
    if isinstance(node, ast.Break | ast.Continue):
        yield _became(node, ast.Continue() if isinstance(node, ast.Break) else ast.Break())


def _calls(node: ast.AST, facts: Facts) -> Iterator[_Change]:
    """Another function, another order, or the argument as it is; only for names that the program does not define."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name | ast.Attribute):
        return
    function = node.func
    field, called = ("id", function.id) if isinstance(function, ast.Name) else ("attr", function.attr)
    if called in facts.defined:
        return
    other = _SWAPS.get(called)
    if other and (field == "attr" or hasattr(builtins, other)):  # what is no builtin may not be imported
        yield function, _with(function, **{field: other}), f"`{called}` became `{other}` in `{_shown(node)}`"
    if called in ("sorted", "sort") and all(keyword.arg not in ("reverse", None) for keyword in node.keywords):
        reverse = ast.keyword(arg="reverse", value=ast.Constant(True))
        yield _became(node, _with(node, keywords=[*node.keywords, reverse]))
    if isinstance(function, ast.Name) and called in _UNWRAPPED and len(node.args) == 1:
        yield _became(node, node.args[0])
    elif isinstance(function, ast.Attribute) and called in _UNDONE and not node.args:
        yield _became(node, function.value)


_RULES: Mapping[str, Callable[[ast.AST, Facts], Iterator[_Change]]] = {
    "operator": _operators,
    "boolean": _booleans,
    "boundary": _boundaries,
    "negation": _negations,
    "constant": _constants,
    "bound": _bounds,
    "branch": _branches,
    "statement": _statements,
    "return": _returns,
    "jump": _jumps,
    "call": _calls,
}


def _tests(node: ast.AST) -> Sequence[ast.expr]:
    """Conditions that decide what is run next."""
    if isinstance(node, ast.If | ast.While | ast.IfExp):
        return [node.test]
    if isinstance(node, ast.match_case):
        return [node.guard] if node.guard else []
    return node.ifs if isinstance(node, ast.comprehension) else []


def _compared(node: ast.Compare, others: Mapping[type[ast.cmpop], type[ast.cmpop]]) -> Iterator[_Change]:
    for place, operator in enumerate(node.ops):
        if type(operator) in others:
            other = others[type(operator)]()
            ops = [*node.ops[:place], other, *node.ops[place + 1 :]]
            yield _swapped(node, operator, other, _with(node, ops=ops))


def _is_comparison(node: ast.expr) -> bool:
    """Whether it is a comparison of two, which is negated in its operator."""
    return isinstance(node, ast.Compare) and len(node.ops) == 1


def _falls(body: Sequence[ast.stmt], facts: Facts) -> bool:
    """Whether it is one statement that can be dropped."""
    if len(body) != 1 or id(body[0]) in facts.firsts:
        return False
    if isinstance(body[0], ast.Expr):
        return not isinstance(body[0].value, ast.Constant)
    valued = not isinstance(body[0], ast.AnnAssign) or body[0].value is not None
    return valued and isinstance(body[0], ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Delete | ast.Raise)


def _is_sequence(node: ast.expr) -> bool:
    return isinstance(node, ast.List | ast.ListComp | ast.Tuple | ast.JoinedStr) or isinstance(literal(node), str)


def _number(value: float) -> ast.expr:
    """A number as the parser reads it: a negative one is an operator before a constant."""
    return ast.Constant(value) if value >= 0 else ast.UnaryOp(op=ast.USub(), operand=ast.Constant(-value))


def _with(node: _Node, **fields: object) -> _Node:
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def _became(old: ast.expr | ast.stmt, new: ast.AST) -> _Change:
    return old, new, f"`{_shown(old)}` became `{_shown(new)}`"


def _swapped(node: ast.expr | ast.stmt, operator: ast.AST, other: ast.AST, new: ast.AST, mark: str = "") -> _Change:
    before, after = _SYMBOLS[type(operator)] + mark, _SYMBOLS[type(other)] + mark
    return node, new, f"`{before}` became `{after}` in `{_shown(node)}`"


def _shown(node: ast.AST) -> str:
    text = ast.unparse(node).replace("\n", " ")
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
