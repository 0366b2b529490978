"""Splits: decided by meaning, stable, the same everywhere."""

from __future__ import annotations

import subprocess
import sys

import pytest

from rlpt.domains.splits import Shares, choose, fingerprint, interleave, take, unit_interval
from rlpt.errors import UserError
from rlpt.records import Task

SHARES = Shares(validation=0.2, test=0.3)


def test_shares_are_kept_over_many_keys():
    splits = [SHARES.split_of(str(key), seed=0) for key in range(10_000)]
    assert splits.count("validation") == pytest.approx(2000, rel=0.1)
    assert splits.count("test") == pytest.approx(3000, rel=0.1)


def test_another_seed_splits_otherwise():
    first = [SHARES.split_of(str(key), seed=0) for key in range(100)]
    assert first != [SHARES.split_of(str(key), seed=1) for key in range(100)]


def test_the_order_does_not_depend_on_what_else_there_is():
    few = interleave(range(50), group=lambda n: "all", name=str, seed=0)
    many = interleave(range(100), group=lambda n: "all", name=str, seed=0)
    assert [n for n in many if n < 50] == few
    assert few != sorted(few)


def test_every_group_comes_once_before_any_comes_twice():
    items = [f"{group}{number}" for group in "abc" for number in range(4)]
    ordered = interleave(items, group=lambda item: item[0], name=str, seed=3)
    assert [sorted(item[0] for item in ordered[start : start + 3]) for start in (0, 3, 6, 9)] == [["a", "b", "c"]] * 4


def test_choices_cover_all_options():
    assert {choose(str(number), "abc") for number in range(50)} == set("abc")


def test_training_takes_what_there_is_and_evaluation_does_not():
    assert take([1, 2, 3], "train", 10, "sums", "add some") == [1, 2, 3]
    assert take([1, 2, 3], "test", 2, "sums", "add some") == [1, 2]
    with pytest.raises(UserError, match=r"domain.sums.test_tasks=10 is more than the 3 different tasks .* add some"):
        take([1, 2, 3], "test", 10, "sums", "add some")
    with pytest.raises(UserError, match="train_tasks=0"):
        take([1, 2, 3], "train", 0, "sums", "add some")


def a_task(answer: str, **reference: str) -> Task:
    return Task("sums", "1", [{"role": "user", "content": "1 + 1"}], {"answer": answer} | reference)


def test_fingerprints_tell_tasks_apart_and_nothing_else():
    assert fingerprint([a_task("2")]) == fingerprint([a_task("2")])
    assert fingerprint([a_task("2", unit="m")]) == fingerprint(
        [Task("sums", "1", a_task("2").messages, {"unit": "m", "answer": "2"})]
    )
    assert fingerprint([a_task("2")]) != fingerprint([a_task("3")])
    assert fingerprint([a_task("2"), a_task("3")]) != fingerprint([a_task("3"), a_task("2")])
    assert len(fingerprint([])) == 64


def test_hashing_is_the_same_in_every_process():
    program = "from rlpt.domains.splits import unit_interval; print(unit_interval('some key'))"
    printed = {
        subprocess.run(
            [sys.executable, "-c", program], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert printed == {str(unit_interval("some key"))}
