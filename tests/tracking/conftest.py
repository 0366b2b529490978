"""Groups with texts that are hard to store."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rlpt.records import Group, Rollout, Task, Verdict


@pytest.fixture
def make_group() -> Callable[..., Group]:
    def make(number: int = 0, domain: str = "arithmetic", rewards: tuple[float | None, ...] = (1.0, 0.0)) -> Group:
        group_id = f"{domain}/g{number}"
        task = Task(
            domain=domain,
            task_id=f"t{number}",
            messages=[{"role": "system", "content": "Think."}, {"role": "user", "content": "2 + 3 = ?"}],
            reference={"answer": "5", "tests": ["a", "b"]},
            difficulty=0.5,
        )
        rollouts = [
            Rollout(
                task_id=task.task_id,
                group_id=group_id,
                index=index,
                prompt_ids=[1, 2],
                token_ids=[3, 4, 5],
                logprobs=[-0.1, -1e-7, float("-inf")],
                action_mask=[1, 1, 1],
                versions=[7, 7, 7],
                finish_reason="length" if index else "stop",
                text="\x1b[31m lone \ud83d surrogate, \u2028 and \u4f60\n",
            )
            for index in range(len(rewards))
        ]
        verdicts = [
            Verdict(reward, "infra_error" if reward is None else "correct", "why", {"format": 1.0})
            for reward in rewards
        ]
        return Group(group_id, task, rollouts, verdicts)

    return make
