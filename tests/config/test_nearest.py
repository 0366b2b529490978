from __future__ import annotations

import pytest

from rlpt.config.nearest import nearest, one_of

KEYS = ["learning_rate", "betas", "eps", "weight_decay", "warmup_steps", "max_grad_norm"]


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("lr", "learning_rate"),
        ("lrr", "learning_rate"),
        ("learningrate", "learning_rate"),
        ("Learning_Rate", "learning_rate"),
        ("beta", "betas"),
        ("wd", "weight_decay"),
        ("warmup", "warmup_steps"),
        ("grad_norm", "max_grad_norm"),
    ],
)
def test_a_misspelling_or_the_initials_find_the_name(word: str, meant: str) -> None:
    assert nearest(word, KEYS) == [meant]


def test_nothing_is_suggested_for_what_resembles_nothing() -> None:
    assert nearest("zzz", KEYS) == []
    assert nearest("zzz", []) == []


def test_a_full_name_wins_over_the_initials_of_another() -> None:
    assert nearest("lr", ["learning_rate", "lr"]) == ["lr"]


def test_names_in_a_sentence() -> None:
    assert one_of(["a"]) == "a"
    assert one_of(["a", "b", "c"]) == "a, b or c"
    assert one_of([str(number) for number in range(30)], limit=2) == "0, 1 or one of 28 more"
