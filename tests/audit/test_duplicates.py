"""Tasks of one domain that are alike, in training and in evaluation."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlpt.audit.duplicates import Pair, differ_in_numbers, duplicates_part, near_duplicates, repeated
from rlpt.config.preflight import compose_config
from rlpt.domains.protocol import build_domains
from rlpt.evaluation.table import plain_text
from rlpt.records import Task

LEAST = 0.75

STORIES = (
    "Mia keeps 14 hens on her farm. Every hen lays 5 eggs in a week. She sells two thirds of them at the market. "
    "How many eggs does she keep in 3 weeks?",
    "A train leaves Lisbon at noon with 240 passengers. At Coimbra 35 get off and 52 get on. At Porto half of them "
    "leave the train. How many are left?",
    "Omar paints fences. A fence of 20 metres takes him 4 hours and 3 tins of paint. A tin costs $18.50. What does the "
    "paint for a fence of 100 metres cost?",
    "The library has 1,200 novels and 350 atlases. A fifth of the novels was lent in June. How many books stood on "
    "the shelves in that month?",
    "Two sisters share a cake of 12 pieces. Ana eats one piece more than Eva. Their mother takes 3 pieces home. How "
    "many pieces does Eva eat?",
    "A rope of 48 metres is cut into pieces of equal length. Six of them make a ladder, the rest a swing of 2 pieces. "
    "How long is a piece?",
)


def task(identity: str, question: str, answer: str = "") -> Task:
    messages = [
        {"role": "system", "content": "You solve problems with numbers, step by step."},
        {"role": "user", "content": "How many eggs are 3 eggs and 4 eggs?"},
        {"role": "assistant", "content": "3 + 4 = 7, so there are 7 eggs."},
        {"role": "user", "content": f"{question} Put the answer in \\boxed{{}}."},
    ]
    return Task("stories", identity, messages, {"answer": answer})


def tasks(questions: Sequence[str]) -> list[Task]:
    return [task(str(place), question) for place, question in enumerate(questions)]


def found(train: Sequence[str], evaluation: Sequence[str], least: float = LEAST) -> list[tuple[str, str]]:
    return [(pair.train_id, pair.evaluation_id) for pair in near_duplicates(tasks(train), tasks(evaluation), least)]


ITSELF = [(str(place), str(place)) for place in range(len(STORIES))]


def without_punctuation(text: str) -> str:
    return text.replace(". ", " ").replace("?", "").replace(",", "")


def first_sentences_swapped(text: str) -> str:
    first, second, *rest = text.split(". ")
    return ". ".join([second, first, *rest])


@pytest.mark.parametrize(
    "edit",
    [
        str.upper,
        lambda text: text.replace(" ", " \n\t "),
        without_punctuation,
        first_sentences_swapped,
        lambda text: text.replace("many", "few").replace("cost?", "amount to?").replace("long", "short"),
        lambda text: text.replace(" 3 ", " three ").replace(" 12 ", " twelve ").replace("Six", "6"),
        lambda text: f"Read this one with care! {text}",
    ],
    ids=["case", "space", "punctuation", "sentences", "a word", "number words", "a preface"],
)
def test_the_same_question_put_otherwise_is_a_near_duplicate(edit: Callable[[str], str]) -> None:
    assert sorted(found([edit(story) for story in STORIES], STORIES)) == ITSELF


def test_other_questions_in_the_same_template_are_not_alike() -> None:
    assert found(STORIES[:3], STORIES[3:], least=0.3) == []


def sums(pairs: Sequence[tuple[int, int]], sign: str = "+") -> list[str]:
    return [f"What is {left} {sign} {right}?" for left, right in pairs]


def test_sums_of_other_numbers_are_other_tasks_and_are_named() -> None:
    train, evaluation = sums([(17, 25), (8, 3)]), sums([(18, 25), (1725, 4)])
    assert found(train, evaluation, least=0.01) == []
    assert differ_in_numbers(tasks(train), tasks(evaluation)) == {"0": "0", "1": "0"}


@pytest.mark.parametrize(
    ("train", "evaluation"),
    [
        ("What is 17 + 25?", "What is 17 - 25?"),
        (
            f"What is {' + '.join(map(str, range(20, 50)))}?",
            f"What is {' + '.join(map(str, range(20, 50)))}?".replace("+ 33", "- 33"),
        ),
        ("What is 9 - 3?", "What is 3 - 9?"),
        ("What is 1 + 25?", "What is 11 + 25?"),
        ("What is 2.5 + 25?", "What is 2.6 + 25?"),
        ("Does the text hold the sign `#`, and where?", "Does the text hold the sign `@`, and where?"),
        ("Returns total + used.", "Returns total - used."),
    ],
)
def test_what_is_another_task_by_one_sign_is_not_alike(train: str, evaluation: str) -> None:
    fillers = [*sums(list(itertools.product((5, 6, 7), (40, 41))), "*"), *STORIES]
    assert found([train, *fillers], [evaluation]) == []


@pytest.mark.parametrize(
    ("train", "evaluation"),
    [
        ("What is 17+25?", "What is 17 + 25?"),
        ("Sort [100, 200, 30].", "Sort [100,200,30]."),
        ("What is 1,000 + 5?", "what is 1000 + 5"),
        ("What is 17 \u2212 25?", "What is 17 - 25?"),
        ("Is a door-to-door salesman's work hard?", "Is a door to door salesman\u2019s work hard?"),
        ("???", "? ??"),
    ],
)
def test_what_is_the_same_but_for_its_writing_is_fully_alike(train: str, evaluation: str) -> None:
    pairs = near_duplicates(tasks([train, *STORIES]), tasks([evaluation]), 1.0)
    assert [(pair.train_id, pair.similarity) for pair in pairs] == [("0", 1.0)]


def test_numbers_that_differ_in_a_story_are_named_and_not_called_alike() -> None:
    other = STORIES[0].replace("14 hens", "15 hens")
    assert found(STORIES, [other], least=0.01) == []
    assert differ_in_numbers(tasks(STORIES), tasks([other])) == {"0": "0"}


def test_a_task_with_the_same_numbers_is_no_task_with_others() -> None:
    assert differ_in_numbers(tasks(STORIES), tasks(STORIES)) == {}


def test_a_pair_says_how_alike_it_is_and_whether_the_answers_are() -> None:
    train = [task("t0", STORIES[0], "70"), task("t1", STORIES[1], "1"), *tasks(STORIES[2:])]
    changed = STORIES[1].replace("passengers", "people")
    evaluation = [task("e0", changed, "1"), task("e1", STORIES[0].upper().replace(" ", "  "), "71")]
    exact, near = near_duplicates(train, evaluation, LEAST)
    assert exact == Pair("t0", "e1", 1.0, same_answer=False, exact=True)
    assert (near.train_id, near.evaluation_id, near.same_answer, near.exact) == ("t1", "e0", True, False)
    assert LEAST < near.similarity < 1.0


def test_copies_change_no_similarity_and_the_exact_one_comes_first() -> None:
    evaluation = tasks([STORIES[0]])
    near = STORIES[0].replace("farm", "field")
    (alone,) = near_duplicates(tasks([near, *STORIES[1:]]), evaluation, LEAST)
    among_copies = near_duplicates(tasks([near, *STORIES[1:], *[near] * 20]), evaluation, LEAST)
    assert {pair.similarity for pair in among_copies} == {alone.similarity}
    both = near_duplicates(tasks([without_punctuation(STORIES[0]), *STORIES]), evaluation, LEAST)
    assert [(pair.similarity, pair.exact) for pair in both] == [(1.0, True), (1.0, False)]


def test_a_message_that_all_tasks_share_does_not_hide_its_words_in_a_question() -> None:
    """`3 +` stands in every task's example, and yet tells 3 + 5 from 5 + 3 and from 2 + 3."""
    questions = sums([(3, 5), (2, 3), (4, 3), (3, 4)])
    assert found(questions, questions, least=0.99) == [(str(place), str(place)) for place in range(4)]


def test_prompts_put_twice_are_grouped() -> None:
    questions = [STORIES[0], STORIES[1], STORIES[0].lower(), STORIES[1].replace("?", "!"), STORIES[0].upper()]
    assert repeated(tasks(questions)) == [["0", "2", "4"]]


def test_the_part_counts_evaluation_tasks_of_each_split_and_writes_every_pair() -> None:
    train = [*tasks(STORIES), task("again", STORIES[0])]
    validation = [task("v", STORIES[0]), task("w", STORIES[1].replace("240", "250"))]
    test = [task("x", first_sentences_swapped(STORIES[2])), task("y", STORIES[2].replace("Omar", "Ali"))]
    part = duplicates_part("stories", {"train": train, "validation": validation, "test": test}, LEAST)
    rows = [line.split() for line in plain_text(part.table).splitlines()[3:]]
    assert rows == [
        ["train", "7", "1", "-", "-", "-"],
        ["validation", "2", "0", "1", "1", "1"],
        ["test", "2", "0", "0", "2", "0"],
    ]
    assert [row["check"] for row in part.rows] == ["near"] * 4 + ["repeated", "numbers"]
    assert {row["split"] for row in part.rows[:2]} == {"validation"}
    assert part.rows[-2]["task_ids"] == ["0", "again"]
    assert (part.rows[-1]["split"], part.rows[-1]["task_id"], part.rows[-1]["train_id"]) == ("validation", "w", "1")
    assert len(part.lines) == 4
    assert part.lines[0].startswith("1.00 validation v, train 0: Mia keeps")
    assert part.sound


@pytest.mark.parametrize("least", [0.0, -1.0, 1.1, float("nan")])
def test_a_similarity_that_cannot_be_is_refused(least: float) -> None:
    with pytest.raises(ValueError, match="least similarity"):
        near_duplicates([], [], least)


def test_nothing_is_like_nothing() -> None:
    empty = Task("stories", "0", [], {})
    assert near_duplicates([], tasks(STORIES), LEAST) == near_duplicates(tasks(STORIES), [], LEAST) == []
    assert [pair.exact for pair in near_duplicates([empty], [empty, *tasks(STORIES)], LEAST)] == [True]


animals = st.sampled_from(["ant", "bee", "cow", "dog", "elk", "fox", "2", "3"])
words = st.lists(animals, min_size=1, max_size=8).map(" ".join)


@settings(deadline=None)
@given(st.lists(words, max_size=12), st.lists(words, max_size=5), st.floats(0.05, 1.0))
def test_the_index_loses_no_pair(train: Sequence[str], evaluation: Sequence[str], least: float) -> None:
    """A low bound makes the index offer all pairs that share anything; the pairs of any other bound are among them."""
    all_pairs = near_duplicates(tasks(train), tasks(evaluation), 1e-6)
    assert near_duplicates(tasks(train), tasks(evaluation), least) == [p for p in all_pairs if p.similarity >= least]


@given(st.lists(st.text(max_size=30), min_size=1, max_size=6))
def test_a_task_is_always_its_own_duplicate(questions: Sequence[str]) -> None:
    own = tasks(questions)
    pairs = {(pair.train_id, pair.evaluation_id) for pair in near_duplicates(own, own, 1.0) if pair.exact}
    assert {(one.task_id, one.task_id) for one in own} <= pairs


def test_the_one_duplicate_among_ten_thousand_tasks_of_common_words_is_found() -> None:
    rng = random.Random(0)
    rare = [f"{first}{last}" for first in "bcdfghjklmnp" for last in map("".join, itertools.product("aeiou", "lnrst"))]
    questions = [" ".join([*rng.choices(rare, k=15), *rng.choices(rare[:8], k=15)]) for _ in range(11_000)]
    train, evaluation = questions[:10_000], [*questions[10_000:], questions[5]]
    assert found(train, evaluation) == [("5", "1000")]


@pytest.mark.parametrize("name", ["arithmetic", "python_functions", "instructions"])
def test_the_own_domains_share_a_template_and_yet_no_task(name: str) -> None:
    domain = build_domains(compose_config("train", [f"domain=[{name}]"]).domain)[name]
    train, test = domain.load("train"), domain.load("test")
    assert near_duplicates(train, test, LEAST) == []
    planted = [*train, test[3]]
    assert [pair.evaluation_id for pair in near_duplicates(planted, test, LEAST)] == [test[3].task_id]
