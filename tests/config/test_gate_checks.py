"""A gate that cannot decide is refused before the run."""

from __future__ import annotations

import pytest

from rlpt.config.preflight import compose_config
from rlpt.errors import UserError


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("evaluation.false_alarms=0", r"false_alarms=0 is no share"),
        ("evaluation.power=1", r"power=1 is no share"),
        ("evaluation.tolerance=0.1", r"below evaluation\.detects=0\.1"),
        ("+evaluation.tolerances.arithmetic=-0.1", r"tolerances\.arithmetic=-0\.1 must be 0 or more"),
        ("+evaluation.tolerances.chess=0.01", "names chess, which is not among the chosen domains"),
        ("evaluation.rollback.learning_rate=2", "between 0 and 1"),
        ("evaluation.rollback.share=1.5", "between 0 and 1"),
        ("evaluation.rollback.most=-1", "0 or more"),
        ("evaluation.probe.groups=1", r"probe\.groups=1 .* set 2 or more"),
        ("evaluation.probe.tokens=0", r"probe\.tokens=0 is too small"),
    ],
)
def test_numbers_without_meaning(override: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        compose_config("train", [override])


def test_going_back_needs_a_start() -> None:
    with pytest.raises(UserError, match=r"evaluation\.before=true"):
        compose_config("train", ["evaluation.on_regression=rollback", "evaluation.before=false"])
    compose_config(
        "train", ["evaluation.on_regression=rollback", "evaluation.before=false", "evaluation.reference=best"]
    )
