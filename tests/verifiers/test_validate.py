"""A domain's known right answers are judged by its own verifier."""

import pytest

from rlpt.records import Task
from rlpt.verifiers.pool import VerifierPool
from rlpt.verifiers.validate import validate


@pytest.fixture(scope="module")
def pool():
    with VerifierPool({"sums": {"_target_": "rlpt.verifiers.math.MathVerifier"}}, workers=1) as pool:
        yield pool


def task(name, answer):
    return Task("sums", name, [], {"answer": answer})


def test_the_rows_that_do_not_pass_are_named(pool):
    tasks = [task("a", "1"), task("b", "2"), task("c", "\\frac{1}{"), task("d", "4")]
    wrong, unreadable = validate(tasks, ["\\boxed{1}", "\\boxed{3}", "\\boxed{5}", "\\boxed{4}"], pool)
    assert (wrong.row, wrong.task_id, wrong.demonstration) == (1, "b", "\\boxed{3}")
    assert str(unreadable).startswith("row 2 (c): ")
    assert (wrong.judged, unreadable.judged) == (True, False)
    assert "cannot be read" in unreadable.detail


def test_nothing_fails_where_all_is_right(pool):
    assert validate([task("a", "1")], ["\\boxed{1}"], pool) == []


def test_each_task_needs_a_demonstration(pool):
    with pytest.raises(ValueError, match="1 demonstrations for 2 tasks"):
        validate([task("a", "1"), task("b", "2")], ["\\boxed{1}"], pool)
