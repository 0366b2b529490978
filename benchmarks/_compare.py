"""Programs a second of the sandboxes, of a subprocess for every program, and of a `docker run` for every program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from statistics import median
from typing import Any

from _human_eval import Problem, problem, spread
from _peers import AT_ONCE, bare_python, docker_cli, docker_run_passes, in_turn, subprocess_passes

from rlpt.sandbox.protocol import Execution, Limits
from rlpt.sandbox.warm import WarmSandbox
from rlpt.verifiers.unit_tests import UnitTestsVerifier

Build = Callable[[Limits, int], WarmSandbox]
PEERS = ("docker_run", "subprocess")
PARTS = 4
OTHER = problem(
    {
        "task_id": "other",
        "entry_point": "f",
        "prompt": "def f(n):\n    '''Return n + 1.'''\n",
        "canonical_solution": "    return n + 1\n",
        "test": "def check(candidate):\n    assert candidate(1) == 2\n",
    }
)
"""Judged before anything is measured."""


class Recording:
    """A sandbox for a verifier, which keeps what the resets after programs took."""

    def __init__(self, sandbox: WarmSandbox) -> None:
        self.limits = sandbox.limits
        self.session = sandbox.session
        self.resets: list[float] = []
        self._sandbox = sandbox

    def close(self) -> None:
        """End the sandbox."""
        self._sandbox.close()

    def run_sync(self, *args: Any, **kwargs: Any) -> Execution:  # noqa: ANN401
        """See `Sandbox.run_sync`."""
        execution = self._sandbox.run_sync(*args, **kwargs)
        self.resets.append(execution.reset_s)
        return execution


@dataclass
class Round:
    """Sums over the parts of a round, by what was measured."""

    programs: Counter[str] = field(default_factory=Counter)
    passed: Counter[str] = field(default_factory=Counter)
    seconds: Counter[str] = field(default_factory=Counter)

    def add(self, name: str, passes: Callable[[Problem], bool], problems: Sequence[Problem]) -> None:
        """Measure some problems."""
        passed, seconds = in_turn(passes, problems)
        self.programs[name] += len(problems)
        self.passed[name] += passed.count(True)
        self.seconds[name] += seconds

    def per_s(self) -> dict[str, float]:
        """Programs a second."""
        return {name: count / self.seconds[name] for name, count in self.programs.items()}


def compare(builds: Mapping[str, Build], problems: Sequence[Problem], rounds: int, sample: int) -> dict[str, Any]:
    """Return the figures: `NAME_per_s`, `NAME_ratio_vs_PEER` (docker's without its name), and what resets take.

    Raises:
        AssertionError: where a right solution does not pass, wherever it runs.
    """
    sandboxes = {name: Recording(build(Limits(), AT_ONCE)) for name, build in builds.items()}
    try:
        with bare_python() as python:
            passes = {"subprocess": subprocess_passes(python)}
            if "docker" in sandboxes and docker_cli():
                passes["docker_run"] = docker_run_passes()
            done = [one_round(sandboxes, passes, problems, sample, number) for number in range(rounds)]
    finally:
        for sandbox in sandboxes.values():
            sandbox.close()
    for one in done:
        assert one.passed == one.programs, f"HumanEval's own solutions fail: {one.passed}, of {one.programs}"
    figures: dict[str, Any] = {"human_eval_correct": min(one.passed[name] for one in done for name in sandboxes)}
    figures |= {"rounds": rounds, "docker_run_programs_a_round": done[0].programs["docker_run"]}
    figures |= together([one.per_s() for one in done])
    for name, sandbox in sandboxes.items():
        ordered = sorted(sandbox.resets)
        prefix = prefix_of(name)
        figures[f"{prefix}reset_ms_median"] = round(median(ordered) * 1e3, 3)
        figures[f"{prefix}reset_ms_p95"] = round(ordered[int(0.95 * len(ordered))] * 1e3, 3)
    return figures


def one_round(
    sandboxes: Mapping[str, Recording],
    peers: Mapping[str, Callable[[str], bool]],
    problems: Sequence[Problem],
    sample: int,
    number: int,
) -> Round:
    """Measure everything once; the verifiers know nothing yet. `sample`: programs of the peer `docker_run`."""
    found = Round()
    verifiers = {name: UnitTestsVerifier(sandbox) for name, sandbox in sandboxes.items()}  # type: ignore[arg-type]
    for verifier in verifiers.values():
        in_turn(partial(accepts, verifier), [OTHER] * 2 * AT_ONCE)  # opens what stays open

    def ours(name: str, asked: Sequence[Problem]) -> None:
        for again in ("", "_seen"):
            found.add(f"{name}{again}", lambda one: accepts(verifiers[name], one), asked)

    def theirs(name: str, asked: Sequence[Problem]) -> None:
        found.add(name, lambda one: peers[name](one.script), asked)

    for part in range(PARTS):
        asked = problems[part::PARTS]
        steps = [partial(ours, name, asked) for name in verifiers]
        fewer = spread(asked, max(1, sample // PARTS), number)
        steps += [partial(theirs, name, fewer if name == "docker_run" else asked) for name in peers]
        for step in steps if (number + part) % 2 == 0 else reversed(steps):
            step()
    return found


def accepts(verifier: UnitTestsVerifier, problem: Problem) -> bool:
    """Whether the verifier pays for the right solution."""
    return verifier.verify(problem.task, problem.completion).reward == 1.0


def together(rounds: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The medians over rounds of programs a second, and of the ratio of each of ours to each peer."""
    figures = {f"{name}_per_s": round(median(one[name] for one in rounds), 1) for name in rounds[0]}
    for name in rounds[0]:
        for peer in PEERS:
            if name not in PEERS and peer in rounds[0]:
                key = f"{name}_ratio_vs_{peer}".removeprefix("docker_")
                figures[key] = round(median(one[name] / one[peer] for one in rounds), 2)
    return figures


def prefix_of(name: str) -> str:
    """What the figures of a sandbox begin with."""
    return "" if name == "docker" else f"{name}_"
