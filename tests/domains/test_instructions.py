"""Writing tasks: demonstrations are accepted, cheap texts are not, splits share no topic."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_args

import pytest

from rlpt.domains.protocol import Domain, build_domains
from rlpt.domains.writing.requests import FORMS, WISHES
from rlpt.domains.writing.texts import EXAMPLE_TOPIC
from rlpt.domains.writing.topics import topics
from rlpt.errors import UserError
from rlpt.records import Split, Task
from rlpt.verifiers.constraint_kinds import KINDS
from rlpt.verifiers.constraints import ConstraintsVerifier

SPLITS = get_args(Split)
VERIFIER = ConstraintsVerifier()

Keys = Callable[..., dict[str, Any]]
Tasks = Mapping[str, Mapping[Split, Sequence[Task]]]


@pytest.fixture(scope="module")
def everything(keys: Keys) -> Domain:
    """The domain with every form and every kind, not only those that a small model can learn."""
    wide = {"forms": list(FORMS), "kinds": list(WISHES), "train_tasks": 1200}
    return build_domains({"instructions": keys("instructions", **wide)})["instructions"]


@pytest.fixture(scope="module")
def every(everything: Domain) -> list[Task]:
    return [task for split in SPLITS for task in everything.load(split)]


def test_references_can_be_judged_and_kinds_exist(every: list[Task]):
    for task in every:
        VERIFIER.check_reference(task.reference)
    assert set(WISHES) <= set(KINDS)


def test_the_verifier_accepts_every_demonstration(everything: Domain, every: list[Task]):
    for task in every:
        verdict = VERIFIER.verify(task, everything.demonstration(task))
        assert verdict.reward == 1.0, (task.task_id, verdict.detail)


def test_demonstrations_vary(domains: Mapping[str, Domain], tasks: Tasks):
    texts = {domains["instructions"].demonstration(task) for task in tasks["instructions"]["train"][:200]}
    assert len(texts) > 150


def test_the_example_answers_its_own_request(every: list[Task]):
    for task in every:
        asked = [entry for entry in task.reference["constraints"] if entry["kind"] not in ("on_topic", "include_words")]
        alone = Task(task.domain, task.task_id, [task.messages[1]], {"constraints": asked})
        assert VERIFIER.verify(alone, task.messages[2]["content"]).reward == 1.0, task.messages


def test_cheap_texts_are_never_right(every: list[Task]):
    for task in every[::10]:
        request, topic = task.messages[-1]["content"], task.reference["constraints"][1]["args"]["words"][0]
        cheap = (
            "",
            "That is all.",
            request,
            task.messages[2]["content"],
            task.messages[2]["content"].replace("paper", topic).replace("Paper", topic),
            " ".join([topic] * 12) + ".",
            f"{topic} letters wood rain sun moon stars garden river mountain stone.",
            "This is a very nice and good sentence about it for you.",
            f"Sure! Here is one about {topic}:",
        )
        for text in cheap:
            assert VERIFIER.verify(task, text).reward == 0.0, (task.task_id, text)


def test_every_chosen_kind_is_tested(tasks: Tasks, keys: Keys):
    kinds = {entry["kind"] for task in tasks["instructions"]["test"] for entry in task.reference["constraints"]}
    assert set(keys("instructions")["kinds"]) < kinds


def test_splits_share_no_topic(tasks: Tasks):
    names = {split: {task.task_id.rsplit("-", 2)[0] for task in tasks["instructions"][split]} for split in SPLITS}
    assert not names["train"] & names["test"]
    assert not names["train"] & names["validation"]
    assert not names["validation"] & names["test"]
    assert min(len(names[split]) for split in SPLITS) >= 25


def test_topics_are_unique_and_the_example_is_none_of_them():
    names = [topic.name for topic in topics()]
    assert len(set(names)) == len(names)
    assert EXAMPLE_TOPIC.name not in names
    for topic in topics():
        assert topic.word in topic.name.split()
        assert len(topic.related) >= 2
        assert not set(topic.related) & set(topic.forms)


def test_the_prompt_says_what_the_verifier_demands(every: list[Task]):
    for task in every:
        words = task.reference["constraints"][0]["args"]["min_words"]
        assert f"{words} words or more" in task.messages[-1]["content"]


def test_no_request_forbids_what_it_asks_for(every: list[Task]):
    for task in every:
        entries = {entry["kind"]: entry["args"] for entry in task.reference["constraints"]}
        forbidden = {word.casefold() for word in entries.get("avoid_words", {}).get("words", [])}
        wanted = [entries.get("starts_with", {}).get("phrase", ""), *entries["on_topic"]["words"]]
        assert not forbidden & {word.casefold() for word in wanted}


@pytest.mark.parametrize(
    ("changed", "part"),
    [
        ({"kinds": ["lower_case", "rhyme"]}, "one or more of avoid_words"),
        ({"kinds": []}, "one or more of avoid_words"),
        ({"forms": ["three"]}, "one or more of one, two"),
        ({"max_constraints": 3}, "must be 1 or 2"),
    ],
)
def test_unknown_settings_are_an_error_that_names_the_known_ones(changed: dict[str, Any], part: str, keys: Keys):
    with pytest.raises(UserError, match=part):
        build_domains({"instructions": keys("instructions", **changed)})


def test_only_the_chosen_kinds_are_asked_for(keys: Keys):
    domain = build_domains(
        {"instructions": keys("instructions", kinds=["lower_case"], max_constraints=1, test_tasks=20)}
    )["instructions"]
    for task in domain.load("test"):
        kinds = [entry["kind"] for entry in task.reference["constraints"]]
        assert kinds == ["prose", "on_topic", "sentence_count", "lower_case"]
