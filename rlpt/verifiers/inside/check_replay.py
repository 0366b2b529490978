"""The host of check code, as the first piece of a session; nothing of the program is there, only what its calls did.

Values come and go as `rlpt.sandbox.inside.encode`, which is there in every sandbox, writes and reads them.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import json
import os
import signal
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from rlpt.sandbox.inside.encode import decode, encode
from rlpt.sandbox.inside.reset import SCRATCH, kill_all, wipe

CHECK_FILE, PRELUDE_FILE = "check.py", "prelude.py"
KILLED: dict[int | None, str] = {signal.SIGXCPU: "timeout", signal.SIGKILL: "out_of_memory"}
sys.path.remove("/tmp")  # nothing that is written there is imported
MOST_CALLS = 10_000
MOST_FAILURES = 100_000
"""Statements that are stepped over, so that a loop that goes on for ever ends."""


class Halt(BaseException):
    """Ends the check. No `except Exception` of its own stops this."""


class Placeholder:
    """A result that is not known yet. It equals everything, so that the rest of a condition is looked at as well."""

    def __eq__(self, other: object) -> bool:
        return True

    def __iter__(self) -> Iterator[object]:
        return iter(())

    __hash__ = None  # type: ignore[assignment]


class Candidate:
    """Does in the check what the program did.

    `known` has for each call, in order, None or what it did: [arguments, "returned" or "raised", value or error]. A
    call that is not the known one ends the check, or returns a placeholder where the check shall go on.
    """

    def __init__(self, known: Sequence[Sequence[Any] | None], goes_on: bool) -> None:
        self.calls: list[str | None] = []
        """Arguments of the calls so far, None where they are not plain."""
        self.unknown = False
        """Whether a call was not known; what the check says then counts for nothing."""
        self.fault = ""
        """Why the program has failed, whatever the check catches."""
        self._known = known
        self._goes_on = goes_on
        self._failures = 0

    def __call__(self, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
        if len(self.calls) >= MOST_CALLS:
            self.unknown = True
            raise Halt
        self.calls.append(written(args, kwargs))
        number = len(self.calls)
        known = self._known[number - 1] if number <= len(self._known) else None
        if known is None or known[0] != self.calls[-1]:
            self.unknown = True
            if self._goes_on:
                return Placeholder()
            raise Halt
        _, kind, content = known
        if kind == "raised":
            self._raise(number, content)
        try:
            return decode(content)
        except ValueError:
            self._fail(f"call {number} returned what is no plain value")

    def step_over(self) -> None:
        """Go on behind a statement that failed; while every call was known it is left to the check to handle that."""
        if not self.unknown:
            raise  # what the calling handler has caught
        self._failures += 1
        if self._failures > MOST_FAILURES:
            raise Halt

    def _raise(self, number: int, description: str) -> None:
        """Raise the built-in exception of the name that the program's has, else a plain one."""
        name, _, message = description.partition(":")
        kind = getattr(builtins, name, None)
        if not (isinstance(kind, type) and issubclass(kind, BaseException)):
            raise Exception(description)
        if not issubclass(kind, Exception) or issubclass(kind, StopIteration | StopAsyncIteration):
            # The latter would end a loop of the check over `map(candidate, ...)`, and with it the asserts.
            self._fail(f"call {number} ended with {name}")
        try:
            error = kind(message.strip())
        except TypeError:  # it wants other arguments
            error = Exception(description)
        raise error

    def _fail(self, fault: str) -> None:
        self.fault = self.fault or fault
        raise Halt


def written(args: Sequence[Any], kwargs: Mapping[str, Any]) -> str | None:
    """Return the arguments of a call as text, equal for equal values of the same types; None where one is not plain."""
    encoded = encode([list(args), dict(kwargs)])
    try:
        decode(encoded)
    except ValueError:
        return None
    return json.dumps(encoded)


def answer(question: str) -> None:
    """Print what `run_check` returns for the arguments in a file; a word for the limit where one was met.

    A copy of this process does the work, and all that it started and wrote is removed, so that nothing that a check
    does is there for the next.
    """
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            result: object = "out_of_memory"
            with contextlib.suppress(MemoryError):
                with open(question, "rb") as file:  # noqa: PTH123
                    asked = file.read()
                result = run_check(**json.loads(asked))
            with os.fdopen(theirs, "wb") as answers:
                answers.write(json.dumps(result).encode())
        finally:
            os._exit(0)
    os.close(theirs)
    with os.fdopen(ours) as file:
        text = file.read()
    _, status = os.waitpid(child, 0)
    kill_all()
    for folder in SCRATCH:
        wipe(folder)
    number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
    print(text if number is None else json.dumps(KILLED.get(number, "killed")))


def run_check(
    check: str, stepping: str | None, prelude: str, entry_point: str, known: Sequence[Sequence[Any] | None]
) -> list[Any]:
    """Run check code against what a program did, and return [what it says, detail, arguments of the calls it made].

    It says `passed`, `failed`, `broken` (it cannot run, whatever a program does) or `unknown`: it made a call that is
    not in `known`. Then `stepping` has run too, the same code with what fails stepped over, and the calls are those
    that it made. Where `stepping` is None the calls are those of the check itself.
    """
    if not known and stepping is not None:
        # The first call would end the check at once; only where there is none, it says more than the stepping one.
        candidate = Candidate(known, goes_on=True)
        follow(ast.parse(stepping), stepping, prelude, entry_point, candidate, prelude + check)
        if candidate.calls:
            return ["unknown", "", candidate.calls]
    tree = ast.parse(check)
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert):
            node.msg = None  # it often calls the function once more, which then would have to be run
    candidate = Candidate(known, goes_on=False)
    says, detail = follow(tree, check, prelude, entry_point, candidate, prelude + check)
    if says == "unknown" and stepping is not None:
        candidate = Candidate(known, goes_on=True)
        follow(ast.parse(stepping), stepping, prelude, entry_point, candidate, prelude + check)
    return [says, detail, candidate.calls]


def follow(
    tree: ast.Module, text: str, prelude: str, entry_point: str, candidate: Candidate, seed: str
) -> tuple[str, str]:
    """Run check code with a candidate; return what it says, and why."""
    seed_random(seed)
    names: dict[str, Any] = {"__name__": "check", "_step_over": candidate.step_over}
    loaded, error = False, None
    try:
        exec(compile(prelude, PRELUDE_FILE, "exec", dont_inherit=True), names)
        names[entry_point] = candidate  # checks call the function by its name too
        exec(compile(tree, CHECK_FILE, "exec", dont_inherit=True), names)
        loaded = True
        names["check"](candidate)
    except MemoryError:
        raise
    except BaseException as raised:
        error = raised
    if candidate.fault:
        return "failed", candidate.fault
    if candidate.unknown:
        return "unknown", ""
    if error is None:
        return "passed", ""
    fault = own_fault(error, bound(tree, prelude))
    if fault is not None:
        return "broken", place(fault, text)
    return "failed" if loaded or candidate.calls else "broken", place(error, text)


def seed_random(seed: str) -> None:
    """What a check draws, it draws again the next time; one that draws nothing need not wait for the import.

    The seed is the check's own text, which no program sees: who knows the seed knows what is drawn.
    """
    if "random" in seed:
        import random

        random.seed(seed)


def own_fault(error: BaseException, known: Collection[str]) -> BaseException | None:
    """Return what shows that check or prelude cannot run, whatever a program does; None where nothing shows that.

    That is an import of what is not there, unless it was caught, and a name that nothing binds, also where an assert in
    its handler hides it. Such an error of the program's has no `name`, since it is built anew here; one in a text that
    the check evaluates, which may be a result, does not end in a frame of the check. A name that is bound somewhere may
    be missing because of a result: that of a loop over nothing.
    """
    seen: BaseException | None = error
    while seen is not None:
        if in_reference(seen):
            if isinstance(seen, ImportError) and seen.name is not None and seen is error:
                return seen
            if type(seen) is NameError and seen.name is not None and seen.name not in known:
                return seen
        seen = seen.__cause__ or seen.__context__
    return None


def in_reference(error: BaseException) -> bool:
    """Whether a line of check or prelude raised an error itself."""
    trace, file = error.__traceback__, ""
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        trace = trace.tb_next
    return file in (CHECK_FILE, PRELUDE_FILE)


def bound(tree: ast.Module, prelude: str) -> set[str]:
    """Every name that check or prelude bind in any way, in any scope."""
    found: set[str] = set()
    for node in chain(ast.walk(tree), ast.walk(ast.parse(prelude))):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name) | ast.ExceptHandler(name=str(name)):
                found.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.alias(name=name, asname=other):
                found.add(other or name.partition(".")[0])
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                found.add(name)
    return found


def place(error: BaseException, text: str) -> str:
    """Where the check failed, and how."""
    number, trace = 0, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == CHECK_FILE:
            number = trace.tb_lineno
        trace = trace.tb_next
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if not number:
        return what[:100]
    return f"{what[:100]} in line {number} of the check: {text.splitlines()[number - 1].strip()[:200]}"
