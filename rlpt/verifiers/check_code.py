"""Tests that are code: `check(candidate)` with asserts, as HumanEval has them.

The program and the check code never share a process, so that neither a program that exits, patches or lies about
equality nor anything it prints can reach the asserts, and the program can find no expected value. Rounds:

    1. The check code runs by itself. What fails in it is stepped over, so that the arguments of its calls are known.
       This depends on the reference alone and is remembered.
    2. The program runs on these arguments.
    3. The check code runs, its `candidate` doing what the program did. A call that was not foreseen (the result of one
       call is an argument of the next) leads back to 2, with more arguments.

Where the arguments can be read from the check code (`rlpt.verifiers.check_foresight`), 2 comes first. Where 3 then
passes or fails the program, on these calls, that is the outcome; else 1 tells whether they were read rightly.

Arguments and results are plain values (`rlpt.sandbox.protocol.CallResult`); a result that is not fails. The check does
not see what a program does to its arguments in place. An exception of the program is in the check the built-in one of
that name, else a plain `Exception`. The messages of asserts are not evaluated.
"""

from __future__ import annotations

import ast
import json
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from rlpt.errors import UserError
from rlpt.sandbox.inside.encode import decode, encode
from rlpt.sandbox.protocol import Call, CallResult, Calls, Execution
from rlpt.sandbox.warm import WarmSandbox
from rlpt.verifiers.check_foresight import foreseen
from rlpt.verifiers.check_hosts import CheckHosts
from rlpt.verifiers.check_stepping import stepping
from rlpt.verifiers.suspicion import signs_of

SAYS = ("passed", "failed", "unknown", "broken")
MOST_ROUNDS = 32
"""How often the program is run, each time on more calls."""

LEAST_TIME_S = 0.1
"""A program is not run again for less."""

REMEMBERED = 1024
"""References of which is remembered what does not depend on a program."""

PARSED = 16
"""Trees that are kept for those who look at them one after the other."""

_stepping = lru_cache(REMEMBERED)(stepping)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a program: `passed`, or why not; `execution` is of the program or of the check, whichever ended it.

    Only an execution with the status `ok` says anything of the check. `signs`: of cheating, in the program's runs.
    `settled`: the check came to its end or to an assert that fails, and made calls, all of them known.
    """

    execution: Execution
    passed: bool
    detail: str = ""
    signs: tuple[str, ...] = ()
    settled: bool = False


class _CheckStoppedError(Exception):
    """The check code did not come to its end; `execution` says how."""

    def __init__(self, execution: Execution) -> None:
        super().__init__(execution.status)
        self.execution = execution


class CheckCode:
    """Runs check code against programs, both in a sandbox, each execution with the sandbox's limits."""

    def __init__(self, sandbox: WarmSandbox, hosts: CheckHosts) -> None:
        self._sandbox = sandbox
        self._hosts = hosts
        self._first_calls = lru_cache(REMEMBERED)(self._find_calls)

    def run(self, program: str, reference: Mapping[str, Any], may_exit: Callable[[], bool] = lambda: False) -> Outcome:
        """Run a program against a reference that `problem` finds nothing wrong with.

        `may_exit`: whether the program names what ends it in an ordinary way (`rlpt.verifiers.cheating.may_exit`).

        Raises UserError for check code that does not load, calls nothing, whose first call has arguments that are not
        plain values, or that fails by itself: it names or imports what is not there.
        """
        test = _Test(reference["entry_point"], reference["check"], reference.get("prelude") or "")
        read = _foreseen(test)
        outcome = self._outcome(program, test, read, may_exit, steps=False) if read else None
        if outcome is not None and outcome.settled:
            return outcome
        try:
            calls = self._first_calls(test)
        except _CheckStoppedError as stopped:  # the check ends so without any program: it is not this one's fault
            detail = f"the check by itself ended with {stopped.execution.status}: {stopped.execution.detail}"
            return Outcome(Execution("infra_error", detail=detail.rstrip(": ")), False)
        if outcome is None or tuple(calls) != read:
            outcome = self._outcome(program, test, calls, may_exit)
        assert outcome is not None  # where steps are taken there is one
        return outcome

    def _outcome(
        self,
        program: str,
        test: _Test,
        calls: Sequence[str | None],
        may_exit: Callable[[], bool],
        steps: bool = True,
    ) -> Outcome | None:
        """What `_run` returns, with the signs of cheating, also where the check was stopped."""
        signs: list[str] = []
        try:
            outcome = self._run(program, test, calls, may_exit, signs, steps)
        except _CheckStoppedError as stopped:
            outcome = Outcome(stopped.execution, False, f"the check ended with {stopped.execution.status}")
        return outcome and replace(outcome, signs=tuple(signs))

    def _run(
        self,
        program: str,
        test: _Test,
        calls: Sequence[str | None],
        may_exit: Callable[[], bool],
        signs: list[str],
        steps: bool,
    ) -> Outcome | None:
        """Run program and check in turns; signs of cheating in the program's runs are added to `signs`.

        Without `steps`, the check's other calls are not asked for: None where it makes one that is not in `calls`.
        """
        left_s = self._sandbox.limits.wall_s
        for _ in range(MOST_ROUNDS):
            asked = [Call(*decode(json.loads(arguments))) for arguments in calls if arguments is not None]
            execution = self._sandbox.run_sync(
                program,
                calls=Calls(test.entry_point, asked, test.prelude),
                limits=replace(self._sandbox.limits, wall_s=left_s),
            )
            left_s -= execution.seconds
            signs += signs_of(execution, len(asked), may_exit)
            done = len(execution.results)
            if execution.status != "ok":
                return Outcome(execution, False, f"in call {done + 1} of {len(asked)}" if done else "")
            if done < len(asked):
                return Outcome(execution, False, f"it ended before call {done + 1} of {len(asked)} had returned")
            says, detail, wanted = self._ask(test, _known(calls, execution.results), steps)
            if says == "broken":
                raise _broken(detail)
            if says != "unknown":
                return Outcome(execution, says == "passed", detail, settled=bool(wanted))
            if not steps:
                return None
            if wanted == calls:
                return Outcome(execution, False, f"the check makes more calls of {test.entry_point} than can be made")
            if left_s < LEAST_TIME_S:
                late = replace(execution, status="timeout")
                return Outcome(late, False, "the time of all its runs together, which the check asked for in turn")
            calls = wanted
        return Outcome(execution, False, f"each of {MOST_ROUNDS} runs led the check to other calls")

    def _find_calls(self, test: _Test) -> Sequence[str | None]:
        says, detail, calls = self._ask(test, [])
        if says == "broken":
            raise _broken(detail)
        if not calls:
            raise UserError(f'unit_tests: the "check" of a reference never calls {test.entry_point}: {detail or says}.')
        if calls[0] is None:
            raise UserError('unit_tests: the "check" of a reference passes an argument that is no plain value.')
        return calls

    def _ask(self, test: _Test, known: Sequence[object], steps: bool = True) -> tuple[str, str, list[str | None]]:
        """Run the check code; return what `run_check` returns. Raises _CheckStoppedError where it returns nothing."""
        question = {
            "check": test.check,
            "stepping": _stepping(test.check) if steps else None,
            "prelude": test.prelude,
            "entry_point": test.entry_point,
            "known": known,
        }
        execution = self._hosts.ask(json.dumps(question).encode())
        if execution.status not in ("ok", "crash"):
            raise _CheckStoppedError(execution)
        match _answer(execution) if execution.status == "ok" else None:
            case [str(says), str(detail), list(calls)] if says in SAYS and all(map(_is_call, calls)):
                return says, detail, calls
            case "out_of_memory" | "timeout" as limit:
                raise _CheckStoppedError(replace(execution, status=limit))
        raise _CheckStoppedError(Execution("infra_error", detail=f"the check gave no answer: {_reason(execution)}"))


@dataclass(frozen=True, slots=True)
class _Test:
    entry_point: str
    check: str
    prelude: str


@lru_cache(REMEMBERED)
def _foreseen(test: _Test) -> tuple[str, ...]:
    tree = _parsed(test.check)
    return foreseen(tree, test.entry_point) if tree is not None else ()


def _broken(detail: str) -> UserError:
    return UserError(f'unit_tests: the "check" of a reference fails by itself: {detail}.')


def _known(calls: Sequence[str | None], results: Sequence[CallResult]) -> list[object]:
    """What `Candidate` is told: for each call that was made what it did, None for the others."""
    made = iter(results)
    return [arguments if arguments is None else _did(arguments, next(made)) for arguments in calls]


def _did(arguments: str, result: CallResult) -> list[object]:
    return [arguments, "returned", encode(result.value)] if result.returned else [arguments, "raised", result.error]


def _is_call(call: object) -> bool:
    return call is None or isinstance(call, str)


def _answer(execution: Execution) -> object:
    try:
        return json.loads(execution.stdout)
    except ValueError:
        return None


def _reason(execution: Execution) -> str:
    lines = execution.stderr.decode("utf-8", "replace").splitlines()
    return (lines or [f"exit code {execution.exit_code}"])[-1][:200]


@lru_cache(REMEMBERED)
def problem(check: str, prelude: str) -> str | None:
    """What is wrong with check code and prelude; None where nothing is."""
    tree = _parsed(check)
    if tree is None:
        return '"check" is no Python'
    if _parsed(prelude) is None:
        return '"prelude" is no Python'
    evaluates = not check.isascii() or "eval" in check or "exec" in check  # a name may be written with other letters
    if evaluates and any(isinstance(node, ast.Name) and node.id in ("eval", "exec") for node in ast.walk(tree)):
        return '"check" calls eval or exec, where a result that is evaluated could answer in its place'
    functions = [one for one in tree.body if isinstance(one, ast.FunctionDef) and one.name == "check"]
    if not functions or not _takes_one(functions[-1].args):
        return '"check" must define check(candidate) at its top level, with that one parameter'
    return None


def _takes_one(parameters: ast.arguments) -> bool:
    return len(parameters.posonlyargs + parameters.args) == 1 and not parameters.kwonlyargs


@lru_cache(PARSED)
def _parsed(text: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
