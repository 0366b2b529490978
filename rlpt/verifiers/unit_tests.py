"""Code: the program of a completion is run in the sandbox, and what came back is compared out here.

Two kinds of references:
`{"entry_point": name, "calls": [{"args": [...], "kwargs": {...}, "expected": value}, ...]}` calls a function;
`{"stdin_cases": [{"stdin": text, "stdout": text}, ...]}` runs the program once for each case.
Expected values never enter the sandbox.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hydra.utils import instantiate

from rlpt.errors import UserError
from rlpt.records import Status, Task, Verdict
from rlpt.sandbox.protocol import Call, Execution, Program, Sandbox
from rlpt.sandbox.values import matches
from rlpt.verifiers.programs import defines, extract_program
from rlpt.verifiers.stdout import same_output

_STATUS: Mapping[str, Status] = {
    "timeout": "timeout",
    "out_of_memory": "out_of_memory",
    "output_limit": "output_limit",
    "crash": "crash",
    "infra_error": "infra_error",
}


class UnitTestsVerifier:
    """1.0 where the program passes every test, else 0.0; None where the sandbox failed. `parts["tests"]` is the share.

    `sandbox` is the node of the group `sandbox`; the sandbox is made at the first verdict.
    """

    def __init__(self, sandbox: Mapping[str, Any]) -> None:
        self._config = sandbox
        self._sandbox: Sandbox | None = None

    def verify(self, task: Task, completion: str) -> Verdict:
        """See Verifier."""
        reference = task.reference
        source = extract_program(completion)
        if source is None:
            return Verdict(0.0, "wrong", "no program in the answer", {"format": 0.0, "tests": 0.0})
        if "stdin_cases" in reference:
            return self._stdin_cases(source, reference["stdin_cases"])
        name = reference["entry_point"]
        if not defines(source, name):
            return Verdict(0.0, "wrong", f"the program does not define {name}", {"format": 0.0, "tests": 0.0})
        return self._calls(source, name, reference["calls"])

    def check_reference(self, reference: Mapping[str, Any]) -> None:
        """Raise UserError for a reference without tests."""
        tests = reference.get("stdin_cases") or (reference.get("entry_point") and reference.get("calls"))
        if not tests:
            raise UserError(
                "unit_tests needs a reference with entry_point and calls, or with stdin_cases, and at least one test; "
                f"this one has {', '.join(sorted(reference)) or 'nothing'}."
            )

    def close(self) -> None:
        """End the sandbox."""
        if self._sandbox is not None:
            self._sandbox.close()
            self._sandbox = None

    def _run(self, program: Program) -> Execution:
        if self._sandbox is None:
            self._sandbox = instantiate(self._config)
        return self._sandbox.run(program)

    def _calls(self, source: str, name: str, tests: list[Mapping[str, Any]]) -> Verdict:
        calls = [Call(name, test["args"], test.get("kwargs", {})) for test in tests]
        execution = self._run(Program(source, calls=calls))
        passed = [matches(got, test["expected"]) for got, test in zip(execution.results, tests, strict=False)]
        if execution.status == "ok" and len(execution.results) < len(tests):
            return _verdict(execution, sum(passed), len(tests), "crash", "the program ended before its calls were made")
        first_wrong = passed.index(False) if False in passed else None
        detail = "" if first_wrong is None else f"wrong value for call {first_wrong + 1} of {len(tests)}"
        return _verdict(execution, sum(passed), len(tests), "wrong", detail)

    def _stdin_cases(self, source: str, cases: list[Mapping[str, str]]) -> Verdict:
        for number, case in enumerate(cases):
            execution = self._run(Program(source, stdin=case["stdin"].encode()))
            if execution.status != "ok" or not same_output(execution.stdout, case["stdout"]):
                return _verdict(execution, number, len(cases), "wrong", f"wrong output for case {number + 1}")
        return Verdict(1.0, "correct", "", {"format": 1.0, "tests": 1.0})


def _verdict(execution: Execution, passed: int, total: int, otherwise: Status, detail: str) -> Verdict:
    parts = {"format": 1.0, "tests": passed / total}
    if execution.status == "infra_error":
        return Verdict(None, "infra_error", execution.detail, {"format": 1.0})
    if execution.status != "ok":
        last = execution.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        return Verdict(0.0, _STATUS[execution.status], " ".join(last)[:200] or detail, parts)
    if passed == total:
        return Verdict(1.0, "correct", "", parts)
    return Verdict(0.0, otherwise, detail, parts)
