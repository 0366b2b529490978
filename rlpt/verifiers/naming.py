"""What an expression of a program names: `os._exit` for `e` after `from os import _exit as e`. Nothing is run.

Seen through are imports and their aliases, plain assignments, `__import__`, `import_module`, `getattr`, `vars`,
`__dict__` and `sys.modules` with texts that stand in the program.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator

MOST_STEPS = 20
"""Parts of one expression that are looked at; longer ones name nothing. Keeps the work linear and the stack flat."""

PASSES = 3
"""As long may a chain of assignments be: `a = os`, `b = a`, `c = b`."""

BUILTINS = frozenset(dir(builtins)) | {"exit", "quit"}
_THROUGH = re.compile(r"^.*\._?(os|sys|builtins|gc|inspect|ctypes|signal)\.")
_IMPORTS = ("importlib.import_module", "importlib.__import__")


class Names:
    """What the names of a program stand for, all scopes taken together.

    A name that is also bound in another way (a parameter, a loop's variable) stands for nothing, so that a parameter
    called `time` is not taken for the module.
    """

    def __init__(self, tree: ast.Module) -> None:
        nodes = list(ast.walk(tree))
        self._bound = set(_bound(nodes))
        self._meanings: dict[str, str] = {"__builtins__": "builtins"}
        self._hidden = set(_bound_otherwise(nodes))
        for node in nodes:
            self._meanings |= _imported(node)
        for _ in range(PASSES):
            for node in nodes:
                self._assign(node)

    def of(self, node: ast.AST | None, steps: int = MOST_STEPS) -> str | None:
        """Return the dotted name of what an expression stands for, `()` behind what is called; None where unknown."""
        if steps == 0:
            return None
        found = self._of(node, steps - 1)
        return _direct(found) if found is not None else None

    def text(self, node: ast.AST | None, steps: int = MOST_STEPS) -> str | None:
        """Return the text that an expression writes out, also in parts; None where it does not."""
        if steps == 0:
            return None
        match node:
            case ast.Constant(value=str(text)):
                return text
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                first, second = self.text(left, steps - 1), self.text(right, steps - 1)
                return None if first is None or second is None else first + second
            case _:
                return None

    def _of(self, node: ast.AST | None, steps: int) -> str | None:
        match node:
            case ast.Name(id=name):
                return self._of_name(name)
            case ast.Attribute(value=value, attr=attribute):
                owner = self.of(value, steps)
                return None if owner is None else f"{owner}.{attribute}"
            case ast.NamedExpr(value=value):
                return self.of(value, steps)
            case ast.Subscript(value=value, slice=key):
                return self._item(self.of(value, steps), self.text(key))
            case ast.Call():
                return self._called(node, steps)
            case _:
                return None

    def _of_name(self, name: str) -> str | None:
        if name in self._hidden:
            return None
        if name in self._meanings:
            return self._meanings[name]
        return f"builtins.{name}" if name in BUILTINS and name not in self._bound else None

    def _item(self, owner: str | None, key: str | None) -> str | None:
        if owner is None or key is None:
            return None
        if owner == "sys.modules":
            return key
        return f"{owner.removesuffix('.__dict__')}.{key}" if owner.endswith((".__dict__", "builtins")) else None

    def _called(self, node: ast.Call, steps: int) -> str | None:
        function = self.of(node.func, steps)
        first, second = [*node.args, None, None][:2]
        if function == "builtins.getattr":
            owner, name = self.of(first, steps), self.text(second)
            return None if owner is None or name is None else f"{owner}.{name}"
        if function == "builtins.vars" and (owner := self.of(first, steps)) is not None:
            return f"{owner}.__dict__"
        if function in ("builtins.__import__", *_IMPORTS, "sys.modules.get") and (name := self.text(first)) is not None:
            return name.partition(".")[0] if function == "builtins.__import__" else name
        return None if function is None else f"{function}()"

    def _assign(self, node: ast.AST) -> None:
        match node:
            case ast.Assign(targets=targets, value=value):
                pass
            case ast.AnnAssign(target=target, value=ast.expr() as value) | ast.NamedExpr(target=target, value=value):
                targets = [target]
            case _:
                return
        if (meaning := self.of(value)) is not None:
            self._meanings |= {target.id: meaning for target in targets if isinstance(target, ast.Name)}


def _direct(name: str) -> str:
    """`os._exit` for `posix._exit` and `shutil.os._exit`."""
    name = _THROUGH.sub(r"\1.", name) if "()" not in name else name
    return f"os.{name.removeprefix('posix.')}" if name.startswith("posix.") else name


def _imported(node: ast.AST) -> dict[str, str]:
    match node:
        case ast.Import(names=aliases):
            return {
                alias.asname or alias.name.partition(".")[0]: alias.name
                if alias.asname
                else alias.name.partition(".")[0]
                for alias in aliases
            }
        case ast.ImportFrom(module=str(module), names=aliases, level=0):
            return {alias.asname or alias.name: f"{module}.{alias.name}" for alias in aliases}
        case _:
            return {}


def _bound(nodes: list[ast.AST]) -> Iterator[str]:
    yield from _bound_otherwise(nodes)
    yield from (node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))


def _bound_otherwise(nodes: list[ast.AST]) -> Iterator[str]:
    """Names that are bound by something else than an import or an assignment."""
    for node in nodes:
        match node:
            case ast.arg(arg=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.ClassDef(name=name) | ast.ExceptHandler(name=str(name)):
                yield name
            case ast.For(target=target) | ast.AsyncFor(target=target) | ast.comprehension(target=target):
                yield from _names(target)
            case ast.withitem(optional_vars=ast.expr() as target):
                yield from _names(target)


def _names(target: ast.expr) -> list[str]:
    return [node.id for node in ast.walk(target) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
