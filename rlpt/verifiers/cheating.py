"""Signs of cheating in a program: what has no honest reason where hidden tests judge it. Read from its syntax tree.

A program can only be read so far: who hides well leaves no sign, so nothing is paid for the lack of one. What honest
programs do gives none: `sys.exit`, a signal of one's own, processes of one's own and their `os._exit`, standard streams
put in another's place, an attribute that old Pythons had, `__lt__` that is always true to break ties in a heap.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from rlpt.verifiers.cheating_classes import in_classes
from rlpt.verifiers.cheating_machine import in_machine
from rlpt.verifiers.cheating_patches import in_patches
from rlpt.verifiers.naming import Names

MOST = 8
"""Signs that are returned; a program that has more needs no more."""

_FRAMES, _OBJECTS, _HOOKS, _MEMORY = "reads frames", "searches all objects", "hooks the interpreter", "reaches memory"
_CRASHES, _ENDS, _HOST = "crashes the process", "ends the process", "reaches for what runs it"
MENTIONED: Mapping[str, str] = {
    **dict.fromkeys(
        ["sys._getframe", "sys._getframemodulename", "sys._current_frames", "sys._current_exceptions"], _FRAMES
    ),
    **{f"inspect.{name}": _FRAMES for name in ("currentframe", "stack", "trace", "getouterframes", "getinnerframes")},
    **{f"traceback.walk_{name}": _FRAMES for name in ("stack", "tb")},
    **{f"gc.get_{name}": _OBJECTS for name in ("objects", "referrers", "referents")},
    **{f"{module}.set{name}": _HOOKS for module in ("sys", "threading") for name in ("trace", "profile")},
    **{f"threading.set{name}_all_threads": _HOOKS for name in ("trace", "profile")},
    **dict.fromkeys(["sys.addaudithook", "sys.monitoring", "sys.meta_path", "sys.path_hooks"], _HOOKS),
    **{
        f"ctypes.{name}": _MEMORY
        for name in ("CDLL", "PyDLL", "cdll", "pydll", "pythonapi", "string_at", "wstring_at", "memmove", "memset")
    },
    "ctypes.py_object": _MEMORY,
    "os.abort": _CRASHES,
    **{f"faulthandler.{name}": _CRASHES for name in ("_sigsegv", "_sigabrt", "_sigfpe", "_read_null")},
    **{f"faulthandler.{name}": _CRASHES for name in ("_fatal_error_c_thread", "_stack_overflow")},
    "faulthandler.dump_traceback_later": _ENDS,
    **dict.fromkeys(["atexit._clear", "atexit._run_exitfuncs"], _HOOKS),
    **{f"os.exec{kind}": "puts another program in its place" for kind in ("l", "le", "lp", "lpe")},
    **{f"os.exec{kind}": "puts another program in its place" for kind in ("v", "ve", "vp", "vpe")},
    "os._exit": _ENDS,
    "unittest.mock.ANY": "makes what equals everything",
}
FORKS = frozenset({"os.fork", "os.forkpty", "pty.fork"})
IN_A_CHILD = ("os._exit", "os.exec")
"""What a child of a fork does honestly."""

FRAME_ATTRIBUTES = frozenset(
    {"f_back", "f_locals", "f_globals", "f_builtins", "f_trace", "tb_frame", "gi_frame", "cr_frame", "ag_frame"}
)
EXITS = frozenset({"sys.exit", "builtins.exit", "builtins.quit", "builtins.SystemExit"})


def signs(tree: ast.Module) -> tuple[str, ...]:
    """Return what a program does that has no honest reason: a few words each, with the line, in order of lines.

    Pure; linear in the size of the tree, whatever its depth.
    """
    names, nodes = Names(tree), list(ast.walk(tree))
    found = chain(
        _mentioned(nodes, names),
        _attributes(nodes, names),
        _ends_early(tree, names),
        in_patches(nodes, names),
        in_classes(nodes, names),
        in_machine(nodes, names),
    )
    return tuple(f"{what} in line {line}" for line, what in sorted(set(found))[:MOST])


def may_exit(tree: ast.Module) -> bool:
    """Whether a program names what ends it in an ordinary way, such as `sys.exit` or `unittest.main`."""
    names = Names(tree)
    named = (names.of(node) for node in ast.walk(tree) if isinstance(node, ast.Name | ast.Attribute))
    return any(name in EXITS or name == "unittest.main" for name in named)


def _mentioned(nodes: Sequence[ast.AST], names: Names) -> Iterator[tuple[int, str]]:
    named = [
        (node.lineno, meaning)
        for node in nodes
        if isinstance(node, ast.Name | ast.Attribute | ast.Subscript | ast.Call)
        and not isinstance(getattr(node, "ctx", None), ast.Store | ast.Del)
        and (meaning := names.of(node)) is not None
    ]
    forks = any(meaning in FORKS for _, meaning in named)
    for line, meaning in named:
        if meaning in MENTIONED and not (forks and meaning.startswith(IN_A_CHILD)):
            yield line, f"{MENTIONED[meaning]} ({meaning})"
        if meaning.partition(".")[0] in ("rlpt", "__main__"):
            yield line, f"{_HOST} ({meaning})"
        if meaning.endswith(".from_address") and meaning.startswith("ctypes."):
            yield line, f"{_MEMORY} (from_address)"


def _attributes(nodes: Sequence[ast.AST], names: Names) -> Iterator[tuple[int, str]]:
    for node in nodes:
        match node:
            case ast.Attribute(value=ast.Name(id="self" | "cls")):
                continue
            case ast.Attribute(attr=attribute) if attribute in FRAME_ATTRIBUTES:
                yield node.lineno, f"{_FRAMES} ({attribute})"
            case ast.Attribute(attr="__globals__"):
                yield node.lineno, "reads the globals of others (__globals__)"
            case ast.Attribute(attr="__subclasses__", value=owner) if _is_root(owner, names):
                yield node.lineno, "searches all classes (__subclasses__)"
            case ast.Call(args=[_, name, *_]) if (attribute := names.text(name) or "") in FRAME_ATTRIBUTES:
                if names.of(node.func) == "builtins.getattr":
                    yield node.lineno, f"{_FRAMES} ({attribute})"


def _is_root(node: ast.expr, names: Names) -> bool:
    """Whether an expression is `object`, also as the base of another class."""
    match node:
        case ast.Attribute(attr="__base__") | ast.Subscript(value=ast.Attribute(attr="__bases__" | "__mro__")):
            return True
        case ast.Subscript(value=ast.Call(func=ast.Attribute(attr="mro"))):
            return True
        case _:
            return names.of(node) == "builtins.object"


def _ends_early(tree: ast.Module, names: Names) -> Iterator[tuple[int, str]]:
    """An end of the whole program before what it defines; handlers that run at its end and change how it ended."""
    definitions = [place for place, one in enumerate(tree.body) if isinstance(one, ast.FunctionDef | ast.ClassDef)]
    for place, statement in enumerate(tree.body):
        if place < max(definitions, default=0) and _is_exit(statement, names):
            yield statement.lineno, "ends before what it defines"
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=function, args=[handler, *_]) if names.of(function) == "atexit.register":
                if names.of(handler) in EXITS:
                    yield node.lineno, "changes how it ends (atexit)"


def _is_exit(statement: ast.stmt, names: Names) -> bool:
    match statement:
        case ast.Expr(value=ast.Call(func=function, args=args)):
            pass
        case ast.Raise(exc=ast.Call(func=function, args=args)):
            pass
        case ast.Raise(exc=ast.expr() as function):
            args = []
        case _:
            return False
    succeeds = not args or (isinstance(args[0], ast.Constant) and args[0].value in (0, None))
    return succeeds and names.of(function) in EXITS
