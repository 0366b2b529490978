"""Mutants of a program: copies with one small change each, of which good tests refuse nearly all."""

from __future__ import annotations

import ast
import copy
import random
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rlpt.audit.mutations import Facts, Mutation, literal, mutations_of
from rlpt.errors import UserError

_ENDS = (ast.Return, ast.Raise, ast.Break, ast.Continue)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_SCOPES = (*_FUNCTIONS, ast.ClassDef, ast.Lambda)
# Nothing in these changes what the program answers: names brought in, checks of its own, words of an error.
_CLOSED = (ast.Import, ast.ImportFrom, ast.Assert, ast.Raise)
_UNTOUCHED = ("annotation", "returns", "decorator_list", "type_params", "bases")


@dataclass(frozen=True, slots=True)
class Mutant:
    """A program with one change. `line` is its place in the original, from 1; `change` names it: "line 3: ...".

    The program is written anew from its syntax tree: without comments, and with other line breaks than the original.
    """

    program: str
    line: int
    change: str


def mutants(program: str, most: int, seed: int) -> list[Mutant]:
    """Return up to `most` mutants that compile and differ from the program and from each other, in its order of lines.

    Where there are more, a sample that `seed` draws: of each kind of change in turn, on lines not yet drawn from where
    there are such. Docstrings, annotations, decorators, assertions, error messages and `if __name__` blocks stay as
    they are, and so does what comes after a `return` in its block. Nothing is run.

    Raises:
        UserError: for a program that cannot be read or written as Python.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # such as of "\d": meant for the program's author
            return _drawn(_parsed(program), most, random.Random(f"{seed}:{program}"))
    except (RecursionError, MemoryError) as error:
        raise UserError("The program is nested too deeply to be changed; give a simpler solution.") from error


def _parsed(program: str) -> ast.Module:
    try:
        compile(program, "<program>", "exec", dont_inherit=True)
        tree = ast.parse(program)
        ast.unparse(tree)  # some programs can be read and not written: an int of 5,000 digits in hex
    except SyntaxError as error:
        place = "" if error.lineno is None else f", line {error.lineno}"
        raise UserError(f"The program is not Python ({error.msg}{place}); mend the solution.") from error
    except ValueError as error:
        raise UserError(f"The program is not Python that can be written ({error}); mend the solution.") from error
    return tree


def _drawn(tree: ast.Module, most: int, chance: random.Random) -> list[Mutant]:
    facts = _facts(tree)
    found = [mutation for node in _reached(tree) for mutation in mutations_of(node, facts)]
    seen = {ast.dump(tree)}
    drawn: dict[Mutation, str] = {}
    for mutation in _spread(found, chance):
        if len(drawn) >= most:
            break
        text = _written(tree, mutation)
        if text is not None and (dump := ast.dump(ast.parse(text))) not in seen:
            seen.add(dump)
            drawn[mutation] = text
    in_order = sorted((mutation for mutation in found if mutation in drawn), key=lambda mutation: mutation.line)
    return [Mutant(drawn[one], one.line, f"line {one.line}: {one.change}") for one in in_order]


def _written(tree: ast.Module, mutation: Mutation) -> str | None:
    """The changed program; None where the change is against the language: a nonlocal name without its assignment."""
    # A copy that takes `new` for the copy of `old`.
    text = ast.unparse(copy.deepcopy(tree, {id(mutation.old): mutation.new}))
    try:
        compile(text, "<mutant>", "exec", dont_inherit=True)
    except SyntaxError:
        return None
    return text


def _spread(found: Sequence[Mutation], chance: random.Random) -> Iterator[Mutation]:
    """Yield each once: a kind after the other in turn, of a kind one from the line that came least so far."""
    kinds: dict[str, list[Mutation]] = defaultdict(list)
    for mutation in chance.sample(found, len(found)):
        kinds[mutation.kind].append(mutation)
    times = Counter[int]()
    while kinds:
        for kind in list(kinds):
            mutation = min(kinds[kind], key=lambda mutation: times[mutation.line])
            times[mutation.line] += 1
            kinds[kind].remove(mutation)
            if not kinds[kind]:
                del kinds[kind]
            yield mutation


def _reached(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes whose change may matter, in the order of the program."""
    if isinstance(node, ast.If) and any(getattr(part, "id", "") == "__name__" for part in ast.walk(node.test)):
        return
    yield node
    if isinstance(node, _CLOSED) or literal(node) is not None:
        return
    for field, value in ast.iter_fields(node):
        # A class has `keywords` as a call does, for its metaclass.
        if field not in _UNTOUCHED and not (isinstance(node, ast.ClassDef) and field == "keywords"):
            for child in _live(value) if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from _reached(child)


def _live(children: Sequence[object]) -> Sequence[object]:
    """A block without texts that stand alone, up to where it is left. What is no block stays whole."""
    end = next((place for place, child in enumerate(children, 1) if isinstance(child, _ENDS)), len(children))
    texts = [isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant) for child in children[:end]]
    return [child for child, is_text in zip(children[:end], texts, strict=True) if not is_text]


def _facts(tree: ast.Module) -> Facts:
    nodes = list(ast.walk(tree))
    return Facts(
        defined=frozenset(node.name for node in nodes if isinstance(node, _FUNCTIONS)),
        firsts=frozenset(_firsts(tree, set())),
        ties=frozenset(id(node.test) for node in nodes if isinstance(node, ast.If | ast.IfExp) and _is_tie(node)),
        divisors=frozenset(
            id(node.right if isinstance(node, ast.BinOp) else node.value)
            for node in nodes
            if isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Div | ast.FloorDiv | ast.Mod)
        ),
        procedures=frozenset(id(node) for node in nodes if isinstance(node, ast.FunctionDef) and _is_procedure(node)),
    )


def _firsts(scope: ast.AST, attributes: set[str]) -> Iterator[int]:
    """Assignments before which a name or attribute has no value, by the order of the lines."""
    names: set[str] = set()
    for node in _own(scope):
        if isinstance(node, _SCOPES):
            yield from _firsts(node, attributes)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            names.update(node.names)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            if _bound(node) - names - attributes:
                yield id(node)
        elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            (names if isinstance(node, ast.Name) else attributes).add(ast.unparse(node))


def _own(scope: ast.AST) -> Iterator[ast.AST]:
    """What stands in a scope, in order, without what stands in the scopes in it."""
    for child in ast.iter_child_nodes(scope):
        yield child
        if not isinstance(child, _SCOPES):
            yield from _own(child)


def _bound(node: ast.Assign | ast.AnnAssign) -> set[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    parts = [part for target in targets for part in ast.walk(target) if isinstance(part, ast.Name | ast.Attribute)]
    return {ast.unparse(part) for part in parts if isinstance(part.ctx, ast.Store)}


def _is_tie(node: ast.If | ast.IfExp) -> bool:
    """Whether it takes the larger or smaller of two: `if x > best: best = x`, `x if x > y else y`."""
    if not isinstance(node.test, ast.Compare) or len(node.test.ops) > 1:
        return False
    taken: list[ast.expr] = []
    if isinstance(node, ast.IfExp):
        taken = [node.body, node.orelse]
    elif len(node.body) == 1 and isinstance(assignment := node.body[0], ast.Assign) and not node.orelse:
        taken = [*assignment.targets, assignment.value]
    compared = [node.test.left, *node.test.comparators]
    return sorted(map(ast.unparse, taken)) == sorted(map(ast.unparse, compared))


def _is_procedure(function: ast.FunctionDef) -> bool:
    """Whether it has several statements and returns no value."""
    live = _live(function.body)
    return len(live) > 1 and not any(isinstance(node, ast.Return) and node.value for node in _own(function))
