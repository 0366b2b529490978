"""Tasks of a domain of a user's own are looked at as they are loaded: what is wrong is named with its row."""

from __future__ import annotations

import pytest

from rlpt.domains.protocol import load_tasks, own_answers
from rlpt.errors import UserError
from rlpt.records import Task

ASKED = [{"role": "user", "content": "How many?"}]


class Given:
    def __init__(self, loaded, answer="5"):
        self._loaded = loaded
        self._answer = answer

    def load(self, split):
        return self._loaded() if callable(self._loaded) else self._loaded

    def demonstration(self, task):
        return self._answer(task) if callable(self._answer) else self._answer


def task(name="a", domain="mine", messages=ASKED, reference=None):
    return Task(domain, name, messages, {"answer": "5"} if reference is None else reference)


def test_good_tasks_come_back_in_their_order():
    tasks = [task("b"), task("a")]
    assert load_tasks("mine", Given(iter(tasks)), "train") == tasks
    assert own_answers("mine", Given(tasks), tasks) == ["5", "5"]


@pytest.mark.parametrize(
    ("loaded", "reason"),
    [
        (None, r"cannot load its test tasks: TypeError"),
        (lambda: {}["rows"], r"cannot load its test tasks: KeyError: 'rows'"),
        ([task(), {"task_id": "b"}], r"test row 1: this is no rlpt.records.Task but a dict"),
        ([task(), task("b", domain="other")], r"test row 1: the task b has domain='other'; it must be 'mine'"),
        ([task(), task("b"), task()], r"test row 2: the task_id a stands in an earlier row already"),
        ([task(7)], r"test row 0: task_id=7 must be a text"),
        ([task(reference="5")], r"test row 0: the reference of a must be a mapping"),
        ([task(messages="How many?")], r"test row 0: the messages of a must be a list"),
        ([task(messages=[{"role": "user"}])], r"test row 0: the messages of a must be a list"),
        ([task(messages=[{"role": "user", "content": None}])], r"test row 0: the messages of a must be a list"),
    ],
)
def test_what_is_no_task_is_named_with_its_row(loaded, reason):
    with pytest.raises(UserError, match=rf"Domain mine,? {reason}"):
        load_tasks("mine", Given(loaded), "test")


def test_a_plain_sentence_of_the_domain_stays_as_it_is():
    def load():
        raise UserError("Raise domain.mine.size.")

    with pytest.raises(UserError, match=r"^Raise domain\.mine\.size\.$"):
        load_tasks("mine", Given(load), "train")


@pytest.mark.parametrize("answer", [None, 5, lambda task: task.reference["solution"]])
def test_an_own_answer_that_is_none_is_named_with_its_row(answer):
    with pytest.raises(UserError, match=r"Domain mine has no own answer to row 0 \(a\): "):
        own_answers("mine", Given([], answer), [task()])
