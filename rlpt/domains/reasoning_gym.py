"""Puzzles and exercises that the generators of the package reasoning-gym make, answered in `<answer>` tags."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from rlpt.domains.splits import Shares, take, unit_interval
from rlpt.errors import UserError
from rlpt.gym.items import Item, draw
from rlpt.gym.judging import score
from rlpt.gym.package import check_name, generator
from rlpt.records import Split, Task

SHARES = Shares(validation=0.25, test=0.25)
SYSTEM = "Answer the question. Put the final answer, and nothing else, between <answer> and </answer>."
EXAMPLE = ("How many legs does one spider have?", "<answer>8</answer>")
SEEDS = 2**31
MOST_MISSES = 1000
"""Items in a row that give no new task, after which a generator counts as exhausted."""


@dataclass(frozen=True, slots=True)
class Source:
    """One generator with its options."""

    name: str
    options: Mapping[str, Any]

    @property
    def key(self) -> str:
        """What distinguishes it from all others."""
        return f"{self.name}:{json.dumps(self.options, sort_keys=True)}"


class ReasoningGym:
    """Tasks of several generators in turn. The prompt shows one solved question, which is never a task.

    Each split has seeds of its own, and only keeps questions whose hash puts them into it, so that no two splits share
    one, whatever their sizes. A generator thereby makes about four items for a task of validation or test, and two for
    one of training. Items without an answer are left out, and those whose own answer would not be paid.

    Args:
        name: the domain's name in the run.
        seed: of splits and tasks.
        train_tasks, validation_tasks, test_tasks: sizes of the splits; training takes fewer where there are fewer.
        datasets: names of generators, or `{"name": name, "options": {...}}` with arguments of the generator's config.

    Raises:
        UserError: where the package is missing, or for a name or an option that cannot be used.
    """

    def __init__(
        self,
        name: str,
        seed: int,
        train_tasks: int,
        validation_tasks: int,
        test_tasks: int,
        datasets: Sequence[str | Mapping[str, Any]],
    ) -> None:
        self._name = name
        self._seed = seed
        self._sizes: Mapping[Split, int] = {"train": train_tasks, "validation": validation_tasks, "test": test_tasks}
        self._sources = _sources(name, datasets)
        self._loaded: dict[Split, list[Task]] = {}

    def load(self, split: Split) -> Sequence[Task]:
        """Return the tasks of a split. No other split has one of its questions.

        Raises:
            UserError: where the generators make too few different questions.
        """
        if split not in self._loaded:
            size = self._sizes[split]
            tasks = list(islice(self._tasks(split), max(size, 0)))
            fix = f"add to domain.{self._name}.datasets"
            self._loaded[split] = take(tasks, split, size, self._name, fix)
        return list(self._loaded[split])

    def demonstration(self, task: Task) -> str:
        """Return the generator's answer in tags."""
        return f"<answer>{task.reference['answer']}</answer>"

    def _tasks(self, split: Split) -> Iterator[Task]:
        """The sources' tasks in turn, until all are exhausted."""
        seen: set[str] = set()
        streams = [self._stream(source, split, seen) for source in self._sources]
        while streams:
            for stream in list(streams):
                task = next(stream, None)
                if task is None:
                    streams.remove(stream)
                else:
                    yield task

    def _stream(self, source: Source, split: Split, seen: set[str]) -> Iterator[Task]:
        first = int(unit_interval(f"{self._seed}:{split}:{source.key}") * SEEDS)
        misses = 0
        for item in draw(source.name, source.options, first):
            question = " ".join(item.question.split())
            if self._belongs(source, item, question, split) and question not in seen:
                misses = 0
                seen.add(question)
                yield self._task(source, item)
            else:
                misses += 1
            if misses == MOST_MISSES:
                return

    def _belongs(self, source: Source, item: Item, question: str, split: Split) -> bool:
        if SHARES.split_of(question, self._seed) != split or question == EXAMPLE[0]:
            return False
        return score(source.name, item.answer, item.answer, item.entry) == 1.0

    def _task(self, source: Source, item: Item) -> Task:
        return Task(
            domain=self._name,
            task_id=f"{source.name}-{hashlib.sha256(item.question.encode()).hexdigest()[:16]}",
            messages=[
                {"role": "system", "content": SYSTEM},
                {"role": "user", "content": EXAMPLE[0]},
                {"role": "assistant", "content": EXAMPLE[1]},
                {"role": "user", "content": item.question.strip()},
            ],
            reference={"dataset": source.name, "answer": item.answer, "entry": dict(item.entry)},
        )


def _sources(name: str, datasets: Sequence[str | Mapping[str, Any]]) -> list[Source]:
    key = f"domain.{name}.datasets"
    if isinstance(datasets, str) or not datasets:
        raise UserError(f"{key}={datasets} must be a list of at least one dataset, such as [gcd,chain_sum].")
    sources: list[Source] = []
    for entry in datasets:
        if isinstance(entry, str):
            entry = {"name": entry}
        if not isinstance(entry, Mapping) or not set(entry) <= {"name", "options"} or "name" not in entry:
            raise UserError(f"{key} holds {entry!r}; write a name or {{name: gcd, options: {{max_numbers: 3}}}}.")
        options = entry.get("options") or {}
        if not isinstance(options, Mapping):
            raise UserError(f"{key}: the options of {entry['name']} must be keys with values; got {options!r}.")
        check_name(entry["name"])
        generator(entry["name"], options, seed=0, size=1)  # says at once what it does not take
        sources.append(Source(entry["name"], options))
    return sources
