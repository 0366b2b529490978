"""How fast the sandboxes are, beside a process and a `docker run` for every program, and what they leave behind.

    python benchmarks/sandbox.py [--json FILE] [--rounds 3] [--docker-runs 40] [--soak 500] [--seed 0]
        [--human-eval FILE]

It starts a Docker engine of its own where it may (as root, with dockerd installed), else it uses the one that
answers; without one only `sandbox=process` is measured. HumanEval's 164 problems come from `--human-eval FILE`
(HumanEval.jsonl.gz), else from the package human-eval, of the extra `dev`. Everything runs two
at once, on two cores or more, and nothing else should run meanwhile.

A round judges the right solutions of all problems by the verifier `unit_tests`, in docker and in process, and runs
solution and test as one program in a subprocess each, and, a sample of them (`--docker-runs`), in a `docker run`
each, with all the limits that the sandbox has. It takes a quarter of the problems at a time, so that whatever else
the machine does hits all of them, and quarters alternate the order. Each figure is the median of the rounds; ratios
are taken within a round. The verifier has never seen the tests before; in the `seen` figures it has judged each
once, as when a group of samples is judged.

Then, in each sandbox: four places from nothing; programs that do little; and `--soak` programs of which a tenth are
hostile: every verdict, and what is left of containers, processes, descriptors, files and memory after closing.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # for what the tests have: hostile programs

from _compare import Build, compare, prefix_of
from _docker_engine import engine_of_its_own, startable
from _human_eval import load
from _peers import AT_ONCE
from _sandbox_table import table
from _soak import LIMITS, soak

from rlpt.sandbox.engine import missing_engine
from rlpt.sandbox.measuring import PROGRAMS, measure
from rlpt.sandbox.process import process_sandbox
from rlpt.sandbox.protocol import Limits
from rlpt.sandbox.warm import WarmSandbox

COLD_PLACES = 4
COLD_SLEEP_S = 4.0
TURNS = 100
TRIVIAL_S = 3.0


def main() -> None:
    """Measure, print the table, and write the figures where `--json` says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, default=None)
    parser.add_argument("--human-eval", type=Path, default=None)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--docker-runs", type=int, default=40)
    parser.add_argument("--soak", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    problems = load(options.human_eval)
    with engine() as missing:
        figures: dict[str, Any] = {"docker_missing": missing, "at_once": AT_ONCE, "human_eval_problems": len(problems)}
        builds: dict[str, Build] = {"process": process_sandbox}
        if missing is None:
            from rlpt.sandbox.docker import docker_sandbox

            builds = {"docker": docker_sandbox, **builds}
            figures["image_and_first_container_s"] = round(opening(docker_sandbox), 2)
        figures |= compare(builds, problems, options.rounds, options.docker_runs)
        for name, build in builds.items():
            found: dict[str, Any] = {f"cold_pool_of_{COLD_PLACES}_s": round(cold_pool(build), 2), **small(build)}
            soaked = soak(partial(build, LIMITS, AT_ONCE), problems, options.soak, options.seed)
            found |= {f"soak_{key}": value for key, value in soaked.items()}
            figures |= {f"{prefix_of(name)}{key}": value for key, value in found.items()}
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n")
    print(table(figures))


@contextmanager
def engine() -> Iterator[str | None]:
    """Have a Docker engine, and yield None; where there is none, yield why."""
    dockerd = startable()
    if dockerd is None:
        yield missing_engine()
        return
    with engine_of_its_own(dockerd):
        yield None


def opening(build: Build) -> float:
    """Seconds for a sandbox with one place, from nothing."""
    start = time.perf_counter()
    build(Limits(), 1).close()
    return time.perf_counter() - start


def cold_pool(build: Build) -> float:
    """Seconds from asking for a sandbox with four places to the moment when four programs run at once in it."""
    start = time.time()
    sandbox = build(Limits(wall_s=60.0), COLD_PLACES)
    program = f"import time\nprint(time.time())\ntime.sleep({COLD_SLEEP_S})"
    try:
        with ThreadPoolExecutor(COLD_PLACES) as threads:
            runs = [threads.submit(sandbox.run_sync, program) for _ in range(COLD_PLACES)]
            return max(float(run.result().stdout) for run in runs) - start
    finally:
        sandbox.close()


def small(build: Build) -> dict[str, Any]:
    """Programs a second of programs that do little, and what a turn of a session takes."""
    sandbox = build(Limits(), AT_ONCE)
    try:
        measure(sandbox, "pass", 0.5)
        names = {"does nothing": "trivial_per_s", "imports": "importing_per_s", "crashes": "crashing_per_s"}
        figures = {key: round(measure(sandbox, PROGRAMS[name], TRIVIAL_S).per_s, 1) for name, key in names.items()}
        return figures | {"session_turn_ms_median": round(turn_s(sandbox) * 1e3, 3)}
    finally:
        sandbox.close()


def turn_s(sandbox: WarmSandbox) -> float:
    """The median of a session's turns."""
    session = sandbox.session()
    try:
        session.run_sync("total = 0")
        taken = []
        for number in range(TURNS):
            start = time.perf_counter()
            execution = session.run_sync(f"total += {number}\ntotal")
            taken.append(time.perf_counter() - start)
        assert execution.stdout.decode().strip() == str(sum(range(TURNS))), execution
        return median(taken)
    finally:
        session.close()


if __name__ == "__main__":
    main()
