"""Short texts about a topic, with constraints that a program can check (after IFEval, arXiv:2311.07911)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rlpt.domains.splits import Shares, interleave, take
from rlpt.domains.writing.requests import FORMS, WISHES, Request, combinations, request
from rlpt.domains.writing.texts import EXAMPLE_TOPIC, demonstration, example
from rlpt.domains.writing.topics import Topic, topics
from rlpt.errors import UserError
from rlpt.records import Split, Task

SHARES = Shares(validation=0.2, test=0.2)
SYSTEM = "You write short and simple sentences."


@dataclass(frozen=True, slots=True)
class Choice:
    """What distinguishes one task from all others; the wording follows from it."""

    topic: Topic
    form: str
    kinds: tuple[str, ...]

    @property
    def label(self) -> str:
        """Unique in the domain."""
        return f"{self.topic.name}-{self.form}-{'+'.join(self.kinds)}"


class Instructions:
    """Requests for one or two sentences about a topic, with one or two constraints.

    The splits share no topic. Every request also asks, and every reference also demands, that the text be an answer:
    full finished sentences of a least number of words that name the topic. The prompt shows the same request about
    another topic with an answer to it.

    Args:
        name: the domain's name in the run.
        seed: of splits, order and wording.
        train_tasks, validation_tasks, test_tasks: sizes of the splits; training takes fewer where there are fewer.
        forms: any of `rlpt.domains.writing.requests.FORMS`: how many sentences are asked for.
        kinds: kinds of constraints, any of `rlpt.domains.writing.requests.WISHES`.
        max_constraints: 1, or 2 to ask for pairs of kinds as well.

    Raises:
        UserError: for an unknown form or kind, naming those that exist.
    """

    def __init__(
        self,
        name: str,
        seed: int,
        train_tasks: int,
        validation_tasks: int,
        test_tasks: int,
        forms: Sequence[str],
        kinds: Sequence[str],
        max_constraints: int,
    ) -> None:
        _check(f"domain.{name}.forms", forms, FORMS)
        _check(f"domain.{name}.kinds", kinds, WISHES)
        if max_constraints not in (1, 2):
            raise UserError(f"domain.{name}.max_constraints={max_constraints} must be 1 or 2.")
        self._name = name
        self._seed = seed
        self._sizes: Mapping[Split, int] = {"train": train_tasks, "validation": validation_tasks, "test": test_tasks}
        self._forms = list(forms)
        self._combinations = list(combinations(kinds, max_constraints))

    def load(self, split: Split) -> Sequence[Task]:
        """Return the tasks of a split. Its topics are in no other.

        Raises:
            UserError: where forms and kinds are too few for as many tasks.
        """
        ordered = interleave(
            self._choices(split),
            group=lambda choice: choice.topic.name,
            name=lambda choice: choice.label,
            seed=self._seed,
        )
        enough = take(ordered, split, self._sizes[split], self._name, f"add to domain.{self._name}.kinds")
        return [self._task(choice) for choice in enough]

    def demonstration(self, task: Task) -> str:
        """Return a text that satisfies the task, put together from ready sentences."""
        name, form, kinds = task.task_id.rsplit("-", 2)
        topic = next(topic for topic in topics() if topic.name == name)
        choice = Choice(topic, form, tuple(kinds.split("+")))
        return demonstration(self._request(choice, topic), f"{self._seed}:{choice.label}")

    def _choices(self, split: Split) -> Iterator[Choice]:
        for topic in topics():
            if SHARES.split_of(topic.name, self._seed) == split:
                yield from (Choice(topic, form, kinds) for form in self._forms for kinds in self._combinations)

    def _request(self, choice: Choice, topic: Topic) -> Request:
        return request(topic, FORMS[choice.form], choice.kinds, f"{self._seed}:{choice.label}")

    def _task(self, choice: Choice) -> Task:
        asked, shown = self._request(choice, choice.topic), self._request(choice, EXAMPLE_TOPIC)
        return Task(
            domain=self._name,
            task_id=choice.label,
            messages=[
                {"role": "system", "content": SYSTEM},
                {"role": "user", "content": shown.text},
                {"role": "assistant", "content": example(shown)},
                {"role": "user", "content": asked.text},
            ],
            reference={"constraints": asked.constraints},
            difficulty=float(len(choice.kinds) + FORMS[choice.form].sentences - 1),
        )


def _check(key: str, given: Sequence[str], known: Mapping[str, object]) -> None:
    unknown = [name for name in given if name not in known]
    if unknown or not given:
        raise UserError(f"{key}={list(given)} must be one or more of {', '.join(known)}.")
