"""Hostile programs: none is paid, each ends within its limits, and the next program finds nothing of it.

All are answers to one task: `solve(n)` shall return `n + SECRET`. No program can know the secret unless it finds it.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from rlpt.sandbox.protocol import Call, Calls
from rlpt.sandbox.warm import WarmSandbox
from rlpt.verifiers.unit_tests import UnitTestsVerifier
from tests.sandbox.hostile_programs import ALL, AT_LENGTH, BREAKOUTS, HONEST, TASK


def completion(source: str) -> str:
    return f"Here it is:\n```python\n{source}\n```"


@pytest.fixture(scope="module")
def verifier(sandbox: WarmSandbox) -> UnitTestsVerifier:
    """With limits at which a bomb is quick to go off."""
    return UnitTestsVerifier(Tight(sandbox))


class Tight:
    """A sandbox whose programs have little time and 256 MB."""

    def __init__(self, sandbox: WarmSandbox, wall_s: float = 1.5) -> None:
        self.sandbox = sandbox
        self.limits = replace(sandbox.limits, wall_s=wall_s)

    def run_sync(self, program: str, calls: Calls | None = None):
        return self.sandbox.run_sync(program, calls=calls, limits=self.limits)


@pytest.mark.parametrize("name", ALL)
def test_a_hostile_program_is_wrong_and_the_next_unharmed(verifier: UnitTestsVerifier, name: str) -> None:
    verdict = verifier.verify(TASK, completion(ALL[name]))
    assert verdict.reward == 0.0, verdict
    after = verifier.verify(TASK, completion(HONEST))
    assert after.reward == 1.0, after


@pytest.mark.parametrize("name", [name for name, (_, status) in AT_LENGTH.items() if status])
def test_the_status_tells_the_limit(sandbox: WarmSandbox, name: str) -> None:
    source, status = AT_LENGTH[name]
    verifier = UnitTestsVerifier(Tight(sandbox, 1.0 if status == "timeout" else sandbox.limits.wall_s))
    assert verifier.verify(TASK, completion(source)).status == status


@pytest.mark.parametrize("name", BREAKOUTS)
def test_a_breakout_fails_without_a_word_to_the_next_program(sandbox: WarmSandbox, name: str) -> None:
    """What the programs assert about the sandbox holds: they end like any other program."""
    lost = sandbox.lost
    execution = sandbox.run_sync(BREAKOUTS[name], calls=Calls("solve", [Call([5])]))
    assert "AssertionError" not in execution.stderr.decode(), execution
    after = sandbox.run_sync("import os\nprint(os.listdir('/tmp'), os.listdir('/dev/shm'))")
    assert after.stdout == b"[] []\n", after
    assert sandbox.lost == lost
