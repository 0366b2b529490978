"""Rewards for turns, from the verifier to the token, through the real pool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from rlpt.errors import UserError
from rlpt.records import Credit, Task, Verdict
from rlpt.verifiers.pool import VerifierPool
from rlpt.verifiers.tool_errors import ToolErrorsVerifier

MATH = {"_target_": "rlpt.verifiers.math.MathVerifier"}
NODE = {"_target_": "rlpt.verifiers.tool_errors.ToolErrorsVerifier", "verifiers": {"answer": MATH}, "penalty": 0.25}
TASK = Task("d", "t", [], {"answer": "5"})
SAID = [
    {"role": "assistant", "content": "call"},
    {"role": "tool", "name": "python", "content": "ok", "status": "ok"},
    {"role": "assistant", "content": "two calls"},
    {"role": "tool", "name": "python", "content": "no", "status": "error"},
    {"role": "tool", "name": "python", "content": "no", "status": "ok"},
    {"role": "assistant", "content": "\\boxed{5}"},
]


class Wild:
    """Gives whatever credit the reference asks for."""

    def verify(self, task: Task, completion: str) -> Verdict:
        return self.verify_turns(task, completion, [])

    def verify_turns(self, task: Task, completion: str, messages: Sequence[Mapping[str, str]]) -> Verdict:
        return Verdict(1.0, "correct", str(len(messages)), {}, [Credit(**task.reference)])


def test_each_turn_pays_for_its_failed_calls_and_the_answer_is_judged_as_ever() -> None:
    with VerifierPool({"d": NODE}, workers=1) as pool:
        with_tools, alone, wrong = pool.score([(TASK, "\\boxed{5}", SAID), (TASK, "\\boxed{5}"), (TASK, "6", SAID)])
    assert (with_tools.reward, with_tools.status) == (1.0, "correct")
    assert with_tools.credits == (Credit(0, 0.0), Credit(1, -0.25), Credit(2, 0.0))
    assert alone.credits == (Credit(0, 0.0),)
    assert wrong.reward == 0.0
    assert wrong.credits == with_tools.credits


@pytest.mark.parametrize(
    "credit",
    [{"turn": 3, "reward": 1.0}, {"turn": -1, "reward": 1.0}, {"turn": 0, "reward": float("inf")}]
    + [{"turn": 0, "reward": 1.0, "end": end} for end in (0, 5)],
)
def test_a_credit_for_what_is_not_there_is_no_verdict(credit: dict[str, float]) -> None:
    node = {"_target_": "tests.verifiers.test_tool_errors.Wild"}
    with VerifierPool({"d": node}, workers=1) as pool:
        (verdict,) = pool.score([(Task("d", "t", [], credit), "5", SAID)])
    assert (verdict.reward, verdict.status) == (None, "infra_error")
    assert "credit" in verdict.detail


@pytest.mark.parametrize(
    "arguments",
    [{"verifiers": {"other": MATH}}, {"verifiers": {"answer": MATH}, "penalty": -1}, {"verifiers": {"answer": NODE}}],
)
def test_what_it_cannot_be_built_from_is_one_sentence(arguments: dict[str, object]) -> None:
    with pytest.raises(UserError, match=r"^tool_errors"):
        ToolErrorsVerifier(**arguments)  # type: ignore[arg-type]
