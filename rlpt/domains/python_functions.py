"""Short "write a Python function that ..." tasks with hidden tests, out of a grammar of functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, cached_property

from rlpt.domains.functions.catalogue import Entry, catalogue, hidden_calls, meaning_of
from rlpt.domains.functions.function import Function
from rlpt.domains.splits import Shares, choose, interleave, take, unit_interval
from rlpt.errors import UserError
from rlpt.records import Message, Split, Task

SHARES = Shares(validation=0.2, test=0.2)
SYSTEM = "You write short Python functions."
HELD_OUT_SHARES = Shares(validation=0.5, test=0.5)
EXAMPLE = Function("triple", ("x",), ("returns x times 3",), "return x * 3")


class PythonFunctions:
    """Tasks from `rlpt.domains.functions`, one for each meaning. The prompt shows one solved task, which is never used.

    The reference has the entry point and hidden calls with expected results; the prompt shows none of them.

    Args:
        name: the domain's name in the run.
        seed: of splits, order and wording.
        train_tasks, validation_tasks, test_tasks: sizes of the splits; training takes fewer where there are fewer.
        held_out_families: share of the families that training never sees, so that validation and test also measure
            kinds of functions that are new.

    Raises:
        UserError: for a share outside [0, 1).
    """

    def __init__(
        self,
        name: str,
        seed: int,
        train_tasks: int,
        validation_tasks: int,
        test_tasks: int,
        held_out_families: float,
    ) -> None:
        if not 0.0 <= held_out_families < 1.0:
            raise UserError(f"domain.{name}.held_out_families={held_out_families} must be a share from 0 to below 1.")
        self._name = name
        self._seed = seed
        self._sizes: Mapping[Split, int] = {"train": train_tasks, "validation": validation_tasks, "test": test_tasks}
        self._held_out_share = held_out_families

    def load(self, split: Split) -> Sequence[Task]:
        """Return the tasks of a split; functions that do the same never lie in two of them.

        Raises:
            UserError: where the grammar has too few functions.
        """
        chosen = (entry for entry in catalogue() if self._split_of(entry) == split)
        ordered = interleave(
            chosen,
            group=lambda entry: entry.function.family,
            name=lambda entry: entry.function.label,
            seed=self._seed,
        )
        enough = take(ordered, split, self._sizes[split], self._name, "lower the sizes of the other splits")
        return [self._task(entry) for entry in enough]

    def demonstration(self, task: Task) -> str:
        """Return the grammar's own source, in a fenced block as in the prompt's example."""
        return _answer(_by_label()[task.task_id])

    @cached_property
    def held_out_families(self) -> frozenset[str]:
        """Names of the families that only validation and test have."""
        names = sorted(dict.fromkeys(entry.function.family for entry in catalogue()), key=self._place)
        return frozenset(names[: round(self._held_out_share * len(names))])

    def _place(self, family: str) -> tuple[float, str]:
        return unit_interval(f"family:{self._seed}:{family}"), family

    def _split_of(self, entry: Entry) -> Split | None:
        if entry.key == meaning_of(EXAMPLE):
            return None
        held_out = entry.function.family in self.held_out_families
        return (HELD_OUT_SHARES if held_out else SHARES).split_of(entry.key, self._seed)

    def _task(self, entry: Entry) -> Task:
        function = entry.function
        wording = choose(f"wording:{self._seed}:{function.label}", function.wordings)
        calls = [{"args": list(args), "expected": result} for args, result in hidden_calls(entry)]
        return Task(
            domain=self._name,
            task_id=function.label,
            messages=_messages(function, wording),
            reference={"entry_point": function.family, "calls": calls},
        )


@cache
def _by_label() -> Mapping[str, Function]:
    return {entry.function.label: entry.function for entry in catalogue()}


def _messages(function: Function, wording: str) -> list[Message]:
    return [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": _question(EXAMPLE, EXAMPLE.wordings[0])},
        {"role": "assistant", "content": _answer(EXAMPLE)},
        {"role": "user", "content": _question(function, wording)},
    ]


def _question(function: Function, wording: str) -> str:
    return f"Write a Python function `{function.header}` that {wording}."


def _answer(function: Function) -> str:
    return f"```python\n{function.source}```"
