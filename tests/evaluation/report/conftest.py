"""Two finished runs of the same suite whose rewards are known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from rlpt.evaluation.sample import Sample
from rlpt.evaluation.statistics import summarise
from rlpt.evaluation.store import record_suite
from rlpt.evaluation.suite import domain_suite
from rlpt.evaluation.summary import evaluation_metrics
from rlpt.records import Task
from rlpt.run_dir import RunDir
from rlpt.tracking.local import LocalRecord

TASKS = 40
HOSTILE = '</pre><script>alert("owned")</script> & \0 \u202eevil\u202c \x1b]0;owned\x07 \ud83d '

MakeRun = Callable[..., Path]


@pytest.fixture
def make_run(tmp_path: Path, make_task: Callable[..., Task], sample: Callable[..., Sample]) -> MakeRun:
    """`make_run("a", {"code": 10})`: a run whose evaluation at step 2 solves the first 10 of 40 tasks of `code`.

    Before training none is solved. `texts` are put in the place of answers, by domain and number of the task.
    """

    def make(
        name: str,
        solved: Mapping[str, int],
        config: Mapping[str, Any] | None = None,
        overrides: Sequence[str] = (),
        texts: Mapping[tuple[str, int], str] | None = None,
        tasks: int = TASKS,
        steps: Sequence[int] = (0, 2),
    ) -> Path:
        run = RunDir(tmp_path / name)
        record = LocalRecord(run)
        run.config.write_text(yaml.safe_dump({"name": name, **(config or {})}))
        run.overrides.write_text(yaml.safe_dump(list(overrides)))
        suite = {domain: [make_task(number, domain) for number in range(tasks)] for domain in solved}
        record_suite(run, {domain: domain_suite("test", mine) for domain, mine in suite.items()})
        for step in range(max(steps) + 1):
            if step:
                record.log(step, {f"train/{domain}/reward": step / 4 for domain in solved})
                record.log(step, {"budget/sampled_tokens": 1500 * step, "budget/trained_tokens": 100 * step})
                record.log(step, {"budget/flops": 2e12 * step, "budget/wall_s": 100.0 * step})
            if step in steps:
                samples = [
                    sample(
                        f"t{number}",
                        float(number < count and step > 0),
                        domain=domain,
                        text=(texts or {}).get((domain, number), f"{name} says {number + (number >= count)}"),
                        detail=f"judged {name}",
                    )
                    for domain, count in solved.items()
                    for number in range(tasks)
                ]
                record.evaluation(step, [item.to_json() for item in samples])
                record.log(step, evaluation_metrics(summarise(samples)))
        record.close()
        return run.root

    return make


@pytest.fixture
def lost(make_run: MakeRun) -> tuple[Path, Path]:
    """Candidate and reference: the candidate lost 20 tasks of `code` and won 15 of `arithmetic`."""
    candidate = make_run(
        "candidate",
        {"arithmetic": 30, "code": 10},
        {"seed": 0, "algorithm": {"group_size": 16, "loss": {"clip": 0.2}}, "sampler": {"dtype": "float32"}},
        ["algorithm.group_size=16"],
        {("code", 15): HOSTILE, ("code", 16): "x" * 1_000_000},
    )
    reference = make_run(
        "reference",
        {"arithmetic": 15, "code": 30},
        {"seed": 0, "algorithm": {"group_size": 8}, "sampler": {"dtype": "float32"}},
    )
    return candidate, reference
