"""Signs of cheating: changes to modules that are not the program's own, and to the table of modules."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence

from rlpt.verifiers.naming import Names

HARMLESS = frozenset(
    {
        *(f"sys.{name}" for name in ("stdin", "stdout", "stderr", "argv", "path", "ps1", "ps2")),
        *("os.environ", "time.clock", "warnings.showwarning", "warnings.formatwarning", "logging.Formatter.converter"),
        *("json.encoder.FLOAT_REPR", "threading.excepthook", "ssl._create_default_https_context"),
    }
)
"""Attributes that are made to be set, or that no judge reads."""

SETTERS = ("builtins.setattr", "builtins.delattr", "builtins.object.__setattr__", "builtins.type.__setattr__")
CHANGES = (".__setattr__", ".__delattr__", ".__dict__.update", ".__dict__.pop", ".__dict__.setdefault")
MODULES = "sys.modules"
THERE = sys.stdlib_module_names | {"rlpt", "__main__"}
"""Modules that a program can find where it runs; others are settings of libraries, as `mpmath.mp.dps`."""


def in_patches(nodes: Sequence[ast.AST], names: Names) -> Iterator[tuple[int, str]]:
    """Lines and what is changed there."""
    values = _values(nodes)
    for node in nodes:
        match node:
            case ast.Attribute(value=owner, attr=attribute, ctx=ast.Store() | ast.Del()):
                module = names.of(owner)
                if _is_foreign(module) and not _is_harmless(module, attribute, values.get(id(node)), names):
                    yield node.lineno, f"changes {module}.{attribute}"
            case ast.Subscript(value=owner, ctx=ast.Store() | ast.Del()):
                module = names.of(owner) or ""
                if module == "builtins" or (module.endswith(".__dict__") and _is_foreign(module)):
                    yield node.lineno, f"changes {module.removesuffix('.__dict__')}"
            case ast.Call():
                yield from _in_call(node, names)
    yield from _modules(nodes, names)


def _values(nodes: Sequence[ast.AST]) -> dict[int, ast.expr]:
    """What is assigned, by the identity of the node that it is assigned to."""
    found: dict[int, ast.expr] = {}
    for node in nodes:
        match node:
            case ast.Assign(targets=targets, value=value):
                found |= {id(target): value for target in targets}
            case ast.AnnAssign(target=target, value=ast.expr() as value) | ast.AugAssign(target=target, value=value):
                found[id(target)] = value
    return found


def _is_foreign(module: str | None) -> bool:
    """Whether a name stands for a module, or for a part of one; what a call returned is the program's own."""
    if module is None or "()" in module or module.startswith("builtins."):
        return False
    return module.partition(".")[0] in THERE


def _is_harmless(module: str | None, attribute: str, value: ast.expr | None, names: Names) -> bool:
    if f"{module}.{attribute}" in HARMLESS:
        return True
    # A constant replaces no function, and `collections.Mapping = collections.abc.Mapping` only gives another name.
    is_constant = isinstance(value, ast.Constant) and module != "builtins"
    return is_constant or (value is not None and (names.of(value) or "").rpartition(".")[2] == attribute)


def _in_call(node: ast.Call, names: Names) -> Iterator[tuple[int, str]]:
    function, owner = names.of(node.func) or "", names.of(node.args[0]) if node.args else None
    if function in SETTERS and _is_foreign(owner):
        attribute = names.text(node.args[1]) if len(node.args) > 1 else None
        value = node.args[2] if len(node.args) > 2 else None
        if attribute is None or not _is_harmless(owner, attribute, value, names):
            yield node.lineno, f"changes {owner}"
    elif function.endswith(CHANGES) and _is_foreign(function):
        yield node.lineno, f"changes {function.rpartition('.')[0].removesuffix('.__dict__')}"


def _modules(nodes: Sequence[ast.AST], names: Names) -> Iterator[tuple[int, str]]:
    """All uses of the table of modules but looking up one of them."""
    looked_up: set[int] = set()
    for node in nodes:
        match node:
            case ast.Subscript(value=table, ctx=ast.Load()) | ast.Attribute(value=table, attr="get"):
                looked_up.add(id(table))
            case ast.Compare(comparators=tables):
                looked_up |= {id(table) for table in tables}
    for node in nodes:
        if not isinstance(node, ast.Name | ast.Attribute | ast.Call) or id(node) in looked_up:
            continue
        if names.of(node) == MODULES and not isinstance(getattr(node, "ctx", None), ast.Store):
            yield node.lineno, f"searches or changes {MODULES}"
