"""Signs of cheating: reaching for descriptors, processes and files that are not the program's own."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence

from rlpt.verifiers.naming import Names

LAST_STANDARD = 2
"""Descriptor of standard error; a program knows the number of no other but from what opened it."""

DESCRIPTORS: Mapping[str, tuple[int, ...]] = {
    **dict.fromkeys([f"os.{name}" for name in ("write", "read", "pread", "pwrite", "writev", "readv")], (0,)),
    **dict.fromkeys([f"os.{name}" for name in ("lseek", "fdopen", "dup", "set_blocking", "ftruncate")], (0,)),
    **dict.fromkeys(["os.dup2", "os.sendfile"], (0, 1)),
    **dict.fromkeys(["builtins.open", "io.open", "io.FileIO"], (0,)),
}
PROCESSES: Mapping[str, int] = {
    **dict.fromkeys(["os.kill", "os.killpg", "os.sched_setscheduler", "os.sched_setaffinity", "resource.prlimit"], 0),
    "os.setpriority": 1,
}
"""Which argument of what changes another process is that process."""

SIGNALS = ("os.kill", "os.killpg")
ITSELF = frozenset({"os.getpid()", "os.getpgrp()", "os.getpgid()"})
OWN_SIGNALS = frozenset({"signal.SIGALRM", "signal.SIGUSR1", "signal.SIGUSR2"})
"""Signals that a program has a handler for, or would not send."""

OPENS = (
    *("builtins.open", "io.open", "os.open", "os.listdir", "os.walk", "os.scandir", "os.readlink", "os.path."),
    *("pathlib.", "glob.", "codecs.open", "fileinput."),
)
COPIES = ("os.rename", "os.replace", "os.link", "os.symlink", "shutil.")
_KERNEL = re.compile(r"/(?:proc|dev/fd)(?:/\S*)?")
_ORDINARY = re.compile(
    r"/proc/(?:(?:cpuinfo|meminfo|stat|loadavg|uptime|version)|self/(?:status|statm|stat|fd/[012]))|/dev/fd/[012]"
)
_STARTS = re.compile(r"(?:\S*/)?(?:sitecustomize|usercustomize|conftest|json|ast|unittest|pytest)\.py|\S*/?pytest\.ini")
_PATHS = re.compile(r"\S*\.pth")
_DELETES = re.compile(r"\brm\s+-\w*[rf]\w*\s+/(?:\*|\s|$)")


def in_machine(nodes: Sequence[ast.AST], names: Names) -> Iterator[tuple[int, str]]:
    """Lines and what is reached for there."""
    numbered = _numbered(nodes, names)
    for node in nodes:
        if isinstance(node, ast.Call):
            function = names.of(node.func) or ""
            yield from _descriptors(node, function, numbered)
            yield from _processes(node, function, names)
            yield from _deletes(node, function, names)
    yield from _files(nodes, names)


def _numbered(nodes: Sequence[ast.AST], names: Names) -> frozenset[str]:
    """Names that stand for a number of the program's choice above that of standard error."""
    found: set[str] = set()
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if _is_numbered(value):
                found.add(name)
            case ast.For(target=ast.Name(id=name), iter=many) | ast.comprehension(target=ast.Name(id=name), iter=many):
                match many:
                    case ast.Call(func=function, args=args) if names.of(function) == "builtins.range":
                        numbers = args
                    case ast.Tuple(elts=elements) | ast.List(elts=elements):
                        numbers = elements
                    case _:
                        numbers = []
                if any(map(_is_numbered, numbers)):
                    found.add(name)
    return frozenset(found)


def _is_numbered(node: ast.expr, numbered: frozenset[str] = frozenset()) -> bool:
    if isinstance(node, ast.Name):
        return node.id in numbered
    number = _number(node)
    return number is not None and number > LAST_STANDARD


def _descriptors(node: ast.Call, function: str, numbered: frozenset[str]) -> Iterator[tuple[int, str]]:
    places = DESCRIPTORS.get(function, ())
    if any(_is_numbered(argument, numbered) for place, argument in enumerate(node.args) if place in places):
        yield node.lineno, f"uses a descriptor that it did not open ({function.removeprefix('builtins.')})"


def _processes(node: ast.Call, function: str, names: Names) -> Iterator[tuple[int, str]]:
    signal = names.of(node.args[-1]) if node.args else None
    if signal in OWN_SIGNALS:
        return
    if function == "signal.raise_signal":
        yield node.lineno, f"sends itself a signal ({function})"
    if function not in PROCESSES or len(node.args) <= PROCESSES[function]:
        return
    target = node.args[PROCESSES[function]]
    number, name = _number(target), names.of(target)
    if function in SIGNALS and (name in ITSELF or number == 0):
        yield node.lineno, f"sends itself a signal ({function})"
    elif name == "os.getppid()" or number == 1 or (function in SIGNALS and number == -1):
        yield node.lineno, f"reaches for processes that are not its own ({function})"


def _deletes(node: ast.Call, function: str, names: Names) -> Iterator[tuple[int, str]]:
    first = names.text(node.args[0]) if node.args else None
    if first is None:
        return
    is_command = function == "os.system" or function.startswith("subprocess.")
    if (function == "shutil.rmtree" and first == "/") or (is_command and _DELETES.search(first)):
        yield node.lineno, f"deletes the machine's files ({function})"


def _files(nodes: Sequence[ast.AST], names: Names) -> Iterator[tuple[int, str]]:
    """Texts that are paths of the kernel's, or of files that an interpreter or a test runner starts with."""
    named = {names.of(node) or "" for node in nodes if isinstance(node, ast.Name | ast.Attribute)}
    opens = any(meaning.startswith(OPENS) for meaning in named)
    modes = [_mode(node, names) for node in nodes if isinstance(node, ast.Call)]
    writes = any(mode for mode in modes) or any(meaning.startswith(COPIES) for meaning in named)
    for node in nodes:
        if not isinstance(node, ast.Constant) or not isinstance(text := node.value, str):
            continue
        if opens and _KERNEL.fullmatch(text) and not _ORDINARY.fullmatch(text):
            yield node.lineno, f"reads {text[:40]}"
        if (writes and _STARTS.fullmatch(text)) or ("text" in modes and _PATHS.fullmatch(text)):
            yield node.lineno, f"writes {text[-40:]}"


def _mode(node: ast.Call, names: Names) -> str:
    """`text` or `bytes` where a call opens a file to write that into it; empty for any other call."""
    if isinstance(node.func, ast.Attribute) and node.func.attr in ("write_text", "write_bytes"):
        return node.func.attr.removeprefix("write_")
    if names.of(node.func) not in ("builtins.open", "io.open", "codecs.open"):
        return ""
    given = [*node.args[1:2], *(keyword.value for keyword in node.keywords if keyword.arg == "mode")]
    mode = (names.text(given[0]) or "") if given else ""
    if not set(mode) & set("wax+"):
        return ""
    return "bytes" if "b" in mode else "text"


def _number(node: ast.expr) -> int | None:
    match node:
        case ast.Constant(value=int(number)) if not isinstance(number, bool):
            return number
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(number))):
            return -number
        case _:
            return None
