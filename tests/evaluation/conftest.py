"""Samples, and a run directory with rollouts and two evaluations."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rlpt.evaluation.sample import Sample
from rlpt.evaluation.statistics import compare_samples
from rlpt.evaluation.store import record_suite
from rlpt.evaluation.suite import domain_suite
from rlpt.evaluation.summary import training_summary
from rlpt.records import Group, Rollout, Task, Verdict
from rlpt.run_dir import RunDir
from rlpt.tracking.local import LocalRecord


@pytest.fixture
def sample() -> Callable[..., Sample]:
    def make(task_id: str = "t0", reward: float | None = 1.0, form: float | None = 1.0, **changes: Any) -> Sample:
        values: dict[str, Any] = {
            "domain": "arithmetic",
            "task_id": task_id,
            "index": 0,
            "prompt": "user: 1 + 1 = ?",
            "text": "2",
            "reward": reward,
            "status": "infra_error" if reward is None else "correct" if reward else "wrong",
            "parts": {} if form is None else {"format": form},
            "tokens": 3,
        }
        return Sample(**(values | changes))

    return make


@pytest.fixture
def make_task() -> Callable[..., Task]:
    def make(number: int = 0, domain: str = "arithmetic", **changes: Any) -> Task:
        values: dict[str, Any] = {
            "domain": domain,
            "task_id": f"t{number}",
            "messages": [{"role": "user", "content": f"{number} + 1 = ?"}],
            "reference": {"answer": number + 1},
        }
        return Task(**(values | changes))

    return make


@pytest.fixture
def run(tmp_path: Path, sample: Callable[..., Sample], make_task: Callable[..., Task]) -> Path:
    """A finished run: 40 tasks of two domains; arithmetic rises, code does not."""
    folder = tmp_path / "run"
    directory = RunDir(folder)
    record = LocalRecord(directory)
    directory.config.write_text("name: test\n")
    tasks = {domain: [make_task(number, domain) for number in range(40)] for domain in ("arithmetic", "code")}
    record_suite(directory, {domain: domain_suite("test", mine) for domain, mine in tasks.items()})
    before = [sample(task.task_id, float(i % 4 == 0), 1.0, domain=d) for d in tasks for i, task in enumerate(tasks[d])]
    after = [
        sample(task.task_id, float(i % 4 != 1 if d == "arithmetic" else i % 4 == 0), 1.0, domain=d)
        for d in tasks
        for i, task in enumerate(tasks[d])
    ]
    record.evaluation(0, [item.to_json() for item in before])
    record.evaluation(2, [item.to_json() for item in after])
    for step in (1, 2):
        record.log(step, {f"train/{domain}/reward": step / 4 for domain in tasks})
        groups = [_group(step, tasks[domain][number]) for domain in tasks for number in range(3)]
        record.rollouts(step, groups, [[0.5, -0.5, 0.0]] * len(groups))
    record.summary(training_summary(compare_samples(before, after), steps=2, wall_s=1.5))
    record.close()
    return folder


def _group(step: int, task: Task) -> Group:
    group_id = f"{step}/{task.domain}/{task.task_id}"
    texts = ("right", "\x1b]0;owned\x07\x1b[31mred \u202e [bold]b[/bold] \ud83d\r\nsecond line", "")
    rollouts = [
        Rollout(
            task_id=task.task_id,
            group_id=group_id,
            index=index,
            prompt_ids=[1],
            token_ids=[2] * (index + 1),
            logprobs=[-0.5] * (index + 1),
            action_mask=[1] * (index + 1),
            versions=[step] * (index + 1),
            finish_reason="length" if index == 1 else "stop",
            text=text,
        )
        for index, text in enumerate(texts)
    ]
    verdicts = [
        Verdict(1.0, "correct", "", {"format": 1.0}),
        Verdict(0.0, "wrong", "no \x1b[1m number\nhere", {"format": 0.0}),
        Verdict(None, "infra_error", "worker died"),
    ]
    return Group(group_id, task, rollouts, verdicts)
