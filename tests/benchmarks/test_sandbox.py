"""The benchmark of the sandboxes, on eight problems in HumanEval's form: it ends, and its figures say what is so."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from rlpt.sandbox.process import why_not

PROBLEMS = [
    {
        "task_id": f"Own/{number}",
        "prompt": f'def add_{number}(n):\n    """Add {number}."""\n',
        "canonical_solution": f"    return n + {number}\n",
        "test": f"def check(candidate):\n    for n in (1, 5):\n        assert candidate(n) == n + {number}\n",
        "entry_point": f"add_{number}",
    }
    for number in range(8)
]


def write(path: Path, problems: list[dict[str, str]]) -> Path:
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, problems)).encode()))
    return path


def run(root: Path, file: Path, out: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, root / "benchmarks" / "sandbox.py", "--human-eval", file, "--json", out]
    command += ["--rounds", "1", "--docker-runs", "4", "--soak", "20"]
    return subprocess.run(command, cwd=out.parent, capture_output=True, text=True, check=False, timeout=500)


@pytest.fixture(autouse=True)
def _namespaces(need: Callable[[str | None], None]) -> None:
    need(why_not())


def test_it_measures_everything_that_is_there(root: Path, tmp_path: Path) -> None:
    ended = run(root, write(tmp_path / "problems.jsonl.gz", PROBLEMS), tmp_path / "figures.json")
    assert ended.returncode == 0, ended.stderr
    figures = json.loads((tmp_path / "figures.json").read_text())
    assert figures["human_eval_correct"] == figures["human_eval_problems"] == len(PROBLEMS)
    for prefix in ["process_"] if figures["docker_missing"] else ["", "process_"]:
        assert figures[f"{prefix}ratio_vs_subprocess"] > 0
        assert 0 < figures[f"{prefix}reset_ms_median"] <= figures[f"{prefix}reset_ms_p95"]
        assert figures[f"{prefix}cold_pool_of_4_s"] > 0
        assert figures[f"{prefix}trivial_per_s"] > 0
        assert figures[f"{prefix}session_turn_ms_median"] > 0
        assert figures[f"{prefix}soak_hostile"] == 2
        assert figures[f"{prefix}soak_verdicts_right"] == figures[f"{prefix}soak_programs"] == 20
        assert figures[f"{prefix}soak_left_containers"] == figures[f"{prefix}soak_left_processes"] == 0
        assert figures[f"{prefix}soak_left_descriptors"] == 0
    assert "ratio_vs_subprocess" in ended.stdout
    assert "= 8" in next(line for line in ended.stdout.splitlines() if line.startswith("human_eval_correct"))


def test_a_right_solution_that_fails_is_an_error(root: Path, tmp_path: Path) -> None:
    broken = {**PROBLEMS[0], "canonical_solution": "    return n - 1\n"}
    ended = run(root, write(tmp_path / "problems.jsonl.gz", [broken, *PROBLEMS[1:]]), tmp_path / "figures.json")
    assert ended.returncode != 0
    assert "own solutions fail" in ended.stderr
    assert not (tmp_path / "figures.json").exists()
