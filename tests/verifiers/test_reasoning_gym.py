"""Every generator of reasoning-gym that may be used: right answers are paid, cheap and hostile ones are not."""

from __future__ import annotations

import builtins
import json
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlpt.errors import UserError
from rlpt.gym import package
from rlpt.gym.comparisons import caseless, number
from rlpt.gym.items import Item, draw
from rlpt.gym.package import scorer
from rlpt.gym.rules import RULES
from rlpt.gym.unsafe import UNSAFE
from rlpt.records import Task
from rlpt.verifiers.pool import VerifierPool
from rlpt.verifiers.reasoning_gym import ReasoningGymVerifier

SEVERAL = {"graph_color", "jugs", "n_queens", "palindrome_generation", "quantum_lock", "shortest_path", "sokoban"}
"""Generators whose tasks have more right answers than one, so that another task's may be right by chance."""

GARBAGE = (
    "x",
    "I do not know.",
    "nan",
    "inf",
    "-inf",
    "null",
    "None",
    "{}",
    "[]",
    "[[]]",
    "()",
    '""',
    "[null]",
    "1e999999999",
    "1/0",
    "0x",
    "9" * 5000,
    "[" * 10_000,
    "(" * 10_000 + ")" * 10_000,
    "R999999999",
    "Move disk 1 from Peg 1 to Peg 99",
    '{"0": 1, "0": 2}',
    "\\frac{1}{0}",
    "\x00",
    "\ud800",
)


@cache
def items(name: str) -> Sequence[Item]:
    """Some items with an answer; a few of the slow generators'."""
    some = islice(draw(name, {}, seed=20_240_229), 6)
    return [item for item in some if item.answer]


def task_of(name: str, item: Item) -> Task:
    return Task("gym", name, [], {"dataset": name, "answer": item.answer, "entry": dict(item.entry)})


def paid(name: str, item: Item, answer: str) -> bool:
    task = task_of(name, item)
    before = json.dumps(task.reference)
    verdict = ReasoningGymVerifier().verify(task, f"<answer>{answer}</answer>")
    assert verdict.reward in (0.0, 1.0)
    assert verdict.status == ("correct" if verdict.reward else "wrong")
    assert 0.0 <= verdict.parts["score"] <= 1.0
    assert "format" in verdict.parts
    assert "\n" not in verdict.detail
    assert json.dumps(task.reference) == before
    return verdict.reward == 1.0


def test_every_generator_of_the_package_is_known():
    package.load()
    assert set(import_module("reasoning_gym.factory").DATASETS) == set(RULES) | set(UNSAFE)
    assert not set(RULES) & set(UNSAFE)


@pytest.mark.parametrize("name", RULES)
def test_its_own_answers_are_paid_and_its_references_are_plain(name):
    assert items(name)
    for item in items(name):
        assert paid(name, item, item.answer), item
        assert paid(name, item, f"\n{item.answer}\r\n"), item
        ReasoningGymVerifier().check_reference(json.loads(json.dumps(task_of(name, item).reference)))


@pytest.mark.parametrize("name", RULES)
def test_cheap_answers_are_not_paid(name, tmp_path, monkeypatch):
    some = items(name)
    assert paid(name, some[0], some[0].answer)  # so that nothing is left to be imported
    marker = tmp_path / "ran"
    forbid_evaluation(monkeypatch, marker)
    for item in some:
        gold = item.answer
        cheap = (
            "",
            " \n",
            item.question,
            f"{item.question}\n{gold}",
            f"{gold} and more",
            f"The answer is {gold}",
            f"{gold} or {gold}x",
            f"{gold}, {gold}, zzz",
            f"{gold}\n\nzzz",
            f"not {gold}",
            *GARBAGE,
            *payloads(marker, gold),
        )
        wrong = [answer for answer in cheap if paid(name, item, answer)]
        assert not wrong, (wrong, gold)
        assert ReasoningGymVerifier().verify(task_of(name, item), gold).reward == 0.0  # without the tags
    assert not marker.exists()


@pytest.mark.parametrize("name", sorted(set(RULES) - SEVERAL))
def test_another_tasks_answer_is_not_paid(name):
    for item in items(name):
        for other in items(name):
            if not caseless(item.answer, other.answer) and not number(item.answer, other.answer):
                assert not paid(name, item, other.answer), (item.answer, other.answer)


def payloads(marker: Path, gold: str) -> list[str]:
    """Python that leaves a trace where it is evaluated, in forms that a scorer might look for."""
    touch = f"__import__('pathlib').Path({str(marker)!r}).touch()"
    return [
        touch,
        f"[{touch}]",
        f"[[{touch}]]",
        f"{gold} + 0*{touch}",
        f"({touch}, {gold!r})[1]",
        f"{{'0': {touch}}}",
        f"eval({touch!r})",
        f"cos({touch})",
        f"{touch}/1",
        f"x={touch}",
        f'["{touch}"]',
    ]


def forbid_evaluation(monkeypatch, marker: Path) -> None:
    def noted(*arguments):
        marker.write_text(str(arguments[:1]))
        raise AssertionError("something was evaluated")

    for name in ("eval", "exec"):
        monkeypatch.setattr(builtins, name, noted)


def own_score(name: str, answer: str, gold: str, **metadata) -> float:
    return scorer(name)(answer, {"question": "", "answer": gold, "metadata": metadata})


FOOLED = [
    ("calendar_arithmetic", "3", "-1", {"task": "count_days"}),
    ("coin_flip", "0", "0.3125", {}),
    ("complex_arithmetic", "nan", "1.0 + 2.0i", {"result": [1, 2]}),
    (
        "cryptarithm",
        "A=1,A=2,B=4",
        "A=2,B=4",
        {"words_letters": ["A", "A"], "result_letters": "B", "allow_leading_zero": False},
    ),
    ("decimal_arithmetic", "0", "0.0009", {}),
    ("figlet_font", "abcdefghijx", "abcdefghijk", {}),
    (
        "fraction_simplification",
        "\\frac{1}{2} or \\frac{1}{3}",
        "1/2",
        {"numerator": 2, "denominator": 4, "simplified_numerator": 1, "simplified_denominator": 2},
    ),
    ("game_of_life", "[[1,1],[1,0]]", "[[1],[1]]", {}),
    ("game_of_life_halting", "True", "False", {}),
    ("gsm_symbolic", "5 or 6 or 7", "5", {}),
    ("gsm_symbolic", "-5", "5", {}),
    ("kakurasu", "so 1?\nor 0!", "1\n0", {"row_sums": [1, 0], "col_sums": [1], "n_rows": 2, "n_cols": 1}),
    ("knights_knaves", "It is false that Zoey is a knight", "Zoey is a knight.", {}),
    ("letter_jumble", "a fox ran away", "a fox", {}),
    ("number_sorting", "['1.9', '2.9']", "['1.0', '2.0']", {"direction": "ascending"}),
    ("polynomial_equations", "none", "", {}),
    ("pool_matrix", "1 2 3", "1\n2\n3", {}),
    ("quantum_lock", "a cab", "A → C → A → B", {}),
    ("time_intervals", "5 or 6 days", "5 days", {"task_type": "date"}),
    ("word_sorting", "a, b, c, d", "a, b", {"sorted_words": ["a", "b"]}),
]


@pytest.mark.parametrize(("name", "answer", "gold", "metadata"), FOOLED)
def test_wrong_answers_that_a_generators_own_scorer_pays_are_not_paid(name, answer, gold, metadata):
    assert own_score(name, answer, gold, **metadata) >= 1.0
    assert not paid(name, Item("", gold or "1", metadata), answer)


def test_scores_for_half_an_answer_pay_nothing_unless_the_threshold_says_so():
    task = Task("gym", "t", [], {"dataset": "rectangle_count", "answer": "5", "entry": {}})
    verdict = ReasoningGymVerifier().verify(task, "<answer>6</answer>")
    assert (verdict.reward, verdict.parts["format"]) == (0.0, 1.0)
    assert 0.0 < verdict.parts["score"] < 1.0
    assert ReasoningGymVerifier(threshold=0.01).verify(task, "<answer>6</answer>").reward == 1.0


@pytest.mark.parametrize(
    ("source", "completion", "right"),
    [
        ("tag", "So <answer> 6 </answer>.", True),
        ("tag", "<answer>7</answer> No, it is <answer>6</answer>", True),
        ("tag", "<answer>7</answer> <answer>6</answer>", False),
        ("tag", "<answer>6</answer> <answer>7</answer>", False),
        ("tag", "<think><answer>6</answer>", False),
        ("tag", "6", False),
        ("boxed", "\\boxed{6}", True),
        ("hash", "#### 6", True),
        ("text", " 6<|im_end|>", True),
        ("text", "It is 6.", False),
        ("text", "", False),
    ],
)
def test_the_answer_stands_where_the_config_says(source, completion, right):
    task = Task("gym", "t", [], {"dataset": "gcd", "answer": "6", "entry": {}})
    verdict = ReasoningGymVerifier(source=source).verify(task, completion)
    assert verdict.reward == float(right)
    assert verdict.parts["format"] >= verdict.reward


@pytest.mark.parametrize("name", UNSAFE)
def test_unsafe_generators_are_refused_with_the_reason(name):
    with pytest.raises(UserError, match=f"{name} cannot be used: "):
        ReasoningGymVerifier().check_reference({"dataset": name, "answer": "1", "entry": {}})
    with pytest.raises(UserError, match=f"{name} cannot be used: "):
        ReasoningGymVerifier().verify(Task("gym", "t", [], {"dataset": name, "answer": "1", "entry": {}}), "x")


@pytest.mark.parametrize(
    ("reference", "part"),
    [
        ({}, "no dataset None; those that can be used are ab, "),
        ({"dataset": ["gcd"], "answer": "6", "entry": {}}, "no dataset"),
        ({"dataset": "gcdd", "answer": "6", "entry": {}}, "no dataset 'gcdd'"),
        ({"dataset": "gcd", "answer": "", "entry": {}}, "field 'answer'"),
        ({"dataset": "gcd", "answer": 6, "entry": {}}, "field 'answer'"),
        ({"dataset": "gcd", "answer": "6"}, "field 'entry'"),
        ({"dataset": "n_queens", "answer": "Q", "entry": {}}, "valid_answers"),
        ({"dataset": "sudoku", "answer": "1", "entry": {}}, "is not paid by sudoku"),
        ({"dataset": "chain_sum", "answer": "about 6", "entry": {}}, "is not paid by chain_sum"),
    ],
)
def test_references_that_cannot_be_judged_by_are_refused(reference, part):
    with pytest.raises(UserError, match=part):
        ReasoningGymVerifier().check_reference(reference)


@pytest.mark.parametrize(
    "options", [{"source": "box"}, {"threshold": 0.0}, {"threshold": 1.1}, {"threshold": float("nan")}]
)
def test_settings_that_are_none_are_refused(options):
    with pytest.raises(UserError, match="must be"):
        ReasoningGymVerifier(**options)


def test_a_missing_package_and_another_release_are_one_sentence(monkeypatch):
    def missing(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr(package, "version", missing)
    with pytest.raises(UserError, match=r'pip install "rlpt\[reasoning_gym\]"'):
        ReasoningGymVerifier()
    monkeypatch.setattr(package, "version", lambda name: "0.1.26")
    with pytest.raises(UserError, match=r"0\.1\.26 is installed, but .* install that one with: pip install"):
        ReasoningGymVerifier()


def test_it_works_in_a_worker_within_its_limits():
    names = ["sudoku", "rubiks_cube", "complex_arithmetic", "spiral_matrix"]
    asked = [(name, items(name)[0]) for name in names]
    tasks = [task_of(name, item) for name, item in asked]
    answers = [item.answer for _, item in asked]
    with VerifierPool({"gym": {"_target_": "rlpt.verifiers.reasoning_gym.ReasoningGymVerifier"}}, workers=1) as pool:
        right = pool.score([(task, f"<answer>{answer}</answer>") for task, answer in zip(tasks, answers, strict=True)])
        wrong = pool.score([(task, f"<answer>{text}</answer>") for task in tasks for text in GARBAGE])
        assert (pool.restarts, pool.infra_errors) == (0, 0)
    assert [verdict.reward for verdict in right] == [1.0] * len(tasks)
    assert {verdict.reward for verdict in wrong} == {0.0}


@settings(max_examples=100, deadline=None)
@given(answer=st.text(max_size=60), name=st.sampled_from(sorted(RULES)))
def test_any_text_gets_a_verdict_and_always_the_same(answer, name):
    item = items(name)[0]
    assert paid(name, item, answer) is paid(name, item, answer)
