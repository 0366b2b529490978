"""Before a run: the domains' own answers must pass their verifiers."""

from __future__ import annotations

import logging

import pytest
from omegaconf import OmegaConf

from rlpt.errors import UserError
from rlpt.evaluation.gold import check_gold
from rlpt.records import Task
from rlpt.verifiers.pool import VerifierPool

MATH = {"_target_": "rlpt.verifiers.math.MathVerifier"}


class Answers:
    """A domain whose own answers are those that a test gives; `gold` is task id -> (reference's answer, own answer)."""

    def __init__(self, gold):
        self._gold = gold

    def tasks(self):
        return [Task("sums", name, [], {"answer": answer}) for name, (answer, _) in self._gold.items()]

    def demonstration(self, task):
        return self._gold[task.task_id][1]


class CountingPool:
    """The real pool, which also counts what it was asked for."""

    def __init__(self, pool):
        self._pool = pool
        self.asked = 0

    def score(self, items):
        self.asked += len(items)
        return self._pool.score(items)


@pytest.fixture(scope="module")
def real_pool():
    with VerifierPool({"sums": MATH}, workers=1) as pool:
        yield pool


@pytest.fixture
def pool(real_pool):
    return CountingPool(real_pool)


def config(folder, share=0.0, verifier=MATH):
    return OmegaConf.create(
        {
            "cache_dir": str(folder),
            "verification": {"max_failing_share": share},
            "domain": {"sums": {"verifier": verifier}},
        }
    )


def check(cfg, domain, pool, split="train"):
    check_gold(cfg, {"sums": domain}, {split: {"sums": domain.tasks()}}, pool)


def good(count):
    return {f"task {i}": (str(i), f"\\boxed{{{i}}}") for i in range(count)}


def test_answers_that_pass_are_judged_once(tmp_path, pool):
    for _ in range(2):
        check(config(tmp_path), Answers(good(3)), pool)
    assert pool.asked == 3


@pytest.mark.parametrize(
    ("gold", "verifier"),
    [
        (good(4), MATH),  # another task
        ({**good(2), "task 2": ("2", "2, that is \\boxed{2}")}, MATH),  # another answer
        ({**good(2), "task 2": ("02", "\\boxed{2}")}, MATH),  # another reference
        (good(3), {**MATH, "anywhere": True}),  # another setting of the verifier
        (good(3), {**MATH, "member": {"_target_": "json.decoder.JSONDecoder"}}),  # other code
    ],
)
def test_what_differs_is_judged_anew(tmp_path, pool, gold, verifier):
    check(config(tmp_path), Answers(good(3)), pool)
    check(config(tmp_path, verifier=verifier), Answers(gold), pool)
    assert pool.asked == 3 + len(gold)


def test_where_programs_run_makes_no_difference(tmp_path, pool):
    for runtime in ("docker", "process"):
        check(config(tmp_path, verifier={**MATH, "sandbox": {"name": runtime}}), Answers(good(3)), pool)
    assert pool.asked == 3


def test_a_failing_row_stops_the_run_and_is_named_each_time(tmp_path, pool):
    gold = {**good(3), "odd": ("5", "\\boxed{6}")}
    for _ in range(2):
        with pytest.raises(UserError, match=r"sums .* 1 of its 4 train tasks: row 3 \(odd\): .*max_failing_share"):
            check(config(tmp_path), Answers(gold), pool)


def test_a_failure_is_not_kept(tmp_path, pool):
    slow = Answers({**good(3), "odd": ("5", "\\boxed{6}")})
    for _ in range(2):
        with pytest.raises(UserError):
            check(config(tmp_path), slow, pool)
    assert pool.asked == 8


def test_a_cache_that_cannot_be_written_stops_nothing(tmp_path, pool, caplog):
    (tmp_path / "gold").write_text("in the way")
    with caplog.at_level(logging.WARNING):
        check(config(tmp_path), Answers(good(3)), pool)
    assert "is not kept" in caplog.text


def test_a_share_that_is_allowed_is_named_and_goes_on(tmp_path, pool, caplog):
    gold = {**good(3), "odd": ("5", "\\boxed{6}")}
    with caplog.at_level(logging.WARNING):
        check(config(tmp_path, share=0.25), Answers(gold), pool, split="test")
    assert "1 of its 4 test tasks: row 3 (odd)" in caplog.text
    with pytest.raises(UserError):
        check(config(tmp_path, share=0.24), Answers(gold), pool, split="test")


@pytest.mark.parametrize("answer", ["", "\\frac{1}{", None])
def test_a_gold_that_cannot_be_read_stops_the_run_whatever_the_share(tmp_path, pool, answer):
    gold = {**good(9), "broken": (answer, "\\boxed{1}")}
    for _ in range(2):  # and is not taken for judged the second time
        with pytest.raises(UserError, match=r"domain sums cannot judge 1 of its 10 train tasks: row 9 \(broken\)"):
            check(config(tmp_path, share=0.9), Answers(gold), pool)


def test_a_share_of_one_leaves_the_check_out(tmp_path, pool):
    check(config(tmp_path, share=1.0), Answers({"broken": ("", "")}), pool)
    assert pool.asked == 0


def test_many_failing_rows_are_not_all_printed(tmp_path, pool):
    gold = {f"task {i}": ("1", "\\boxed{2}") for i in range(30)}
    with pytest.raises(UserError) as caught:
        check(config(tmp_path), Answers(gold), pool)
    assert "and 25 more" in str(caught.value)
    assert len(str(caught.value)) < 1000


def test_an_own_class_that_changes_is_judged_anew(tmp_path, pool, monkeypatch):
    package = tmp_path / "changing_verifier"
    package.mkdir()
    (package / "__init__.py").write_text("from changing_verifier.inner import Mine\n")
    monkeypatch.syspath_prepend(tmp_path)
    for text in ("A = 1\n", "A = 2\n", "A = 2\n"):
        (package / "inner.py").write_text(text)
        check(config(tmp_path, verifier={"_target_": "changing_verifier.Mine.made"}), Answers(good(3)), pool)
    assert pool.asked == 6


def test_a_domain_that_stumbles_over_a_row_is_named_with_it(tmp_path, pool):
    domain = Answers({**good(2), "short": ("1",)})
    tasks = [Task("sums", name, [], {}) for name in ("task 0", "task 1", "short")]
    with pytest.raises(UserError, match=r"Domain sums has no own answer to row 2 \(short\): IndexError"):
        check_gold(config(tmp_path), {"sums": domain}, {"train": {"sums": tasks}}, pool)
