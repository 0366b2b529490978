"""The verifier `unit_tests`: does the program in a completion pass hidden tests?

`Task.reference` is one of
    {"entry_point": name, "calls": [{"args": [...], "kwargs": {...}, "expected": value}, ...]}: a function is called,
        and what it returns is compared (`rlpt.verifiers.results.matches`); `kwargs` may be left out;
    {"stdin_cases": [{"stdin": text, "stdout": text}, ...]}: the program runs once for each case, and what it prints is
        compared (`rlpt.verifiers.results.same_output`);
    {"entry_point": name, "check": text, "prelude": text}: Python text that defines `check(candidate)`, whose asserts
        hold where the program is right (`rlpt.verifiers.check_code`); `prelude` is source that the task's prompt gave
        (imports, functions that program or check use), and may be left out.

The program runs in a sandbox. Arguments and inputs go in; expected values never do: they are compared out here, with
what came back, and check code runs in an execution of its own. The time limit of the sandbox is for all tests of one
program together; with check code, for all runs of the program together, and for each of the check.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from rlpt.config.build import build
from rlpt.errors import UserError
from rlpt.records import Task, Verdict
from rlpt.sandbox.protocol import Call, CallResult, Calls, Execution
from rlpt.sandbox.warm import WarmSandbox
from rlpt.verifiers.cheating import may_exit, signs
from rlpt.verifiers.check_code import CheckCode, problem
from rlpt.verifiers.check_hosts import CheckHosts
from rlpt.verifiers.programs import defines, extract_program, parse
from rlpt.verifiers.results import matches, same_output
from rlpt.verifiers.suspicion import IN_PLACE_OF, signs_of, suspected

FORMS = ("calls", "stdin_cases", "check")
LEAST_TIME_S = 0.1


class UnitTestsVerifier:
    """Reward 1.0 where every test passes, else 0.0; None where the sandbox failed.

    A program that does not pass and shows signs of cheating (`rlpt.verifiers.cheating`, `Execution.signs`) has the
    status `suspicious`.

    `sandbox`: one that is ready, or a node of the group `sandbox`, from which it is built; it is closed with the
    verifier. `tolerance`: of floats that a function returns, relative to the larger one.

    Parts of a verdict:
        format: 1.0 where there is a program, which, where a function is asked for, defines it; whatever it does.
        tests: share of the tests that it passes; check code is one test.
    """

    def __init__(self, sandbox: WarmSandbox | Mapping[str, Any], tolerance: float = 1e-6) -> None:
        """Raises UserError where the sandbox does not work on this machine."""
        self._sandbox: WarmSandbox = build(sandbox) if isinstance(sandbox, Mapping) else sandbox
        self._tolerance = tolerance
        self._check_code = CheckCode(self._sandbox, CheckHosts(self._sandbox))

    def verify(self, task: Task, completion: str) -> Verdict:
        """Judge a completion. Raises UserError for a reference without tests, or whose check code fails by itself."""
        self.check_reference(task.reference)
        program = extract_program(completion)
        if program is None:
            return _no_program("there is no program in the answer")
        tree = parse(program)
        if tree is None:
            return _no_program("the program is no Python, or too long to be looked at")
        verdict, of_runs = self._run(program, tree, task.reference)
        if not of_runs and verdict.status not in IN_PLACE_OF:
            return verdict  # whatever it looks like
        return suspected(verdict, signs(tree), of_runs)

    def check_reference(self, reference: Mapping[str, Any]) -> None:
        """Raise UserError where a reference has no tests of a known kind."""
        check_reference(reference)

    def counters(self) -> dict[str, float]:
        """What the sandbox has counted; see `WarmSandbox.counters`."""
        return self._sandbox.counters()

    def close(self) -> None:
        """End the sandbox."""
        self._sandbox.close()

    def _run(self, program: str, tree: ast.Module, reference: Mapping[str, Any]) -> tuple[Verdict, tuple[str, ...]]:
        """The verdict by the tests alone, and the signs of cheating in the program's runs."""
        if "stdin_cases" in reference:
            return self._run_cases(program, reference["stdin_cases"])
        name = reference["entry_point"]
        if not defines(tree, name):
            return _no_program(f"the program does not define {name}"), ()
        if "check" in reference:
            outcome = self._check_code.run(program, reference, partial(may_exit, tree))
            return _verdict(outcome.execution, int(outcome.passed), 1, _short(outcome.detail)), outcome.signs
        tests = reference["calls"]
        calls = Calls(name, [Call(test["args"], test.get("kwargs") or {}) for test in tests])
        execution = self._sandbox.run_sync(program, calls=calls)
        return self._compared(execution, tests), signs_of(execution, len(tests), partial(may_exit, tree))

    def _compared(self, execution: Execution, tests: Sequence[Mapping[str, Any]]) -> Verdict:
        problems = [
            _problem(number, test, result, self._tolerance)
            for number, (test, result) in enumerate(zip(tests, execution.results, strict=False), 1)
        ]
        passed = problems.count(None)
        detail = next((problem for problem in problems if problem is not None), "")
        if not detail and len(problems) < len(tests):
            detail = f"it ended before call {len(problems) + 1} of {len(tests)} had returned"
        return _verdict(execution, passed, len(tests), detail)

    def _run_cases(self, program: str, cases: Sequence[Mapping[str, str]]) -> tuple[Verdict, tuple[str, ...]]:
        passed, detail, left_s = 0, "", self._sandbox.limits.wall_s
        found: list[str] = []
        for number, case in enumerate(cases, 1):
            limits = replace(self._sandbox.limits, wall_s=max(left_s, LEAST_TIME_S))
            execution = self._sandbox.run_sync(program, stdin=case["stdin"].encode(), limits=limits)
            found += execution.signs
            if execution.status != "ok":
                return _verdict(execution, passed, len(cases), detail or f"case {number} of {len(cases)}"), tuple(found)
            left_s -= execution.seconds
            if same_output(execution.stdout, case["stdout"]):
                passed += 1
            else:
                printed = _short(execution.stdout.decode("utf-8", "replace").strip())
                detail = detail or f"case {number} of {len(cases)} printed {printed!r}"
        return _verdict(Execution("ok"), passed, len(cases), detail), tuple(found)


def check_reference(reference: Mapping[str, Any]) -> None:
    """Raise UserError where `UnitTestsVerifier` cannot judge by a reference."""
    forms = [form for form in FORMS if form in reference]
    if len(forms) > 1:
        raise UserError(f"unit_tests: a reference holds one form of tests; keep one of {', '.join(forms)}.")
    if "stdin_cases" in reference:
        cases = reference["stdin_cases"]
        if not _is_list(cases) or not all(
            isinstance(case, Mapping) and all(isinstance(case.get(key), str) for key in ("stdin", "stdout"))
            for case in cases
        ):
            raise UserError('unit_tests: "stdin_cases" must be at least one {"stdin": text, "stdout": text}.')
        return
    name, calls = reference.get("entry_point"), reference.get("calls")
    if not isinstance(name, str) or not name.isidentifier():
        raise UserError(f'unit_tests: a reference needs "entry_point", the name of a function; got {name!r}.')
    if "check" in reference:
        check, prelude = reference["check"], reference.get("prelude") or ""
        if not isinstance(check, str) or not isinstance(prelude, str):
            raise UserError('unit_tests: "check" and "prelude" must be Python text.')
        if (wrong := problem(check, prelude)) is not None:
            raise UserError(f"unit_tests: {wrong}.")
        return
    if not _is_list(calls) or not all(map(_is_call, calls or ())):
        raise UserError(
            'unit_tests: a reference needs "calls": at least one {"args": [...], "expected": value}, '
            '"stdin_cases", or "check".'
        )


def _is_call(call: object) -> bool:
    return (
        isinstance(call, Mapping)
        and isinstance(call.get("args"), list | tuple)
        and isinstance(call.get("kwargs") or {}, Mapping)
        and "expected" in call
    )


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str) and len(value) > 0


def _problem(number: int, test: Mapping[str, Any], result: CallResult, tolerance: float) -> str | None:
    """What is wrong with a call's result; None where nothing is."""
    if not result.returned:
        return f"call {number} raised {result.error}"
    if not matches(test["expected"], result.value, tolerance):
        return f"call {number} returned {_shown(result.value)}, expected {_shown(test['expected'])}"
    return None


def _verdict(execution: Execution, passed: int, total: int, detail: str) -> Verdict:
    parts = {"format": 1.0, "tests": passed / total}
    if execution.status == "infra_error":
        return Verdict(None, "infra_error", execution.detail, {"format": 1.0})
    if execution.status != "ok":
        last = execution.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        return Verdict(0.0, execution.status, _short("; ".join([*last, detail]).strip("; ")), parts)
    if passed < total:
        return Verdict(0.0, "wrong", detail, parts)
    return Verdict(1.0, "correct", f"passed {total} of {total}", parts)


def _no_program(detail: str) -> Verdict:
    return Verdict(0.0, "wrong", detail, {"format": 0.0, "tests": 0.0})


def _shown(value: object) -> str:
    try:
        return _short(repr(value))
    except ValueError:  # Python writes no number of more than 4,300 digits
        return "a number too long to be shown"


def _short(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:200]}..."
