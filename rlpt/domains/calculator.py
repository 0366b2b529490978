"""Integer arithmetic with numbers that are long to work with by hand: the policy is to call the tool `python`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rlpt.domains.arithmetic import SHARES, Problem, largest_numbers
from rlpt.domains.protocol import Turn
from rlpt.domains.splits import take, unit_interval
from rlpt.records import Message, Split, Task

TOOL = "python"
MOST_DRAWS = 50
"""Draws for each task that is asked for; where they do not suffice, there are too few different problems."""


class Calculator:
    """Problems drawn at random, operators in turn. The demonstration calls the tool and then answers.

    Args:
        name: the domain's name in the run.
        seed: of splits and order.
        train_tasks, validation_tasks, test_tasks: sizes of the splits; training takes fewer where there are fewer.
        operators, max_operand, max_factor: see `rlpt.domains.arithmetic.largest_numbers`.

    Raises:
        UserError: for settings without a problem.
    """

    def __init__(
        self,
        name: str,
        seed: int,
        train_tasks: int,
        validation_tasks: int,
        test_tasks: int,
        operators: Sequence[str],
        max_operand: int,
        max_factor: int,
    ) -> None:
        self._name = name
        self._seed = seed
        self._sizes: Mapping[Split, int] = {"train": train_tasks, "validation": validation_tasks, "test": test_tasks}
        self._largest = largest_numbers(name, operators, max_operand, max_factor)

    def load(self, split: Split) -> Sequence[Task]:
        """Return the problems of a split; pairs with swapped operands are in the same one.

        Raises:
            UserError: where the numbers are too small for as many problems.
        """
        size, tasks, seen = self._sizes[split], [], set[str]()
        for problem in self._draws(MOST_DRAWS * max(size, 1)):
            if problem.key not in seen and SHARES.split_of(problem.key, self._seed) == split:
                tasks.append(problem.task(self._name, _messages(problem)))
            seen.add(problem.key)
            if len(tasks) == size:
                break
        return take(tasks, split, size, self._name, f"raise domain.{self._name}.max_operand")

    def demonstration(self, task: Task) -> str:
        """Return the answer that ends the trajectory."""
        return f"The answer is \\boxed{{{task.reference['answer']}}}."

    def trajectory(self, task: Task) -> Sequence[Turn]:
        """Return a call of the tool, what it says, and the answer."""
        arguments = {"code": f"print({task.task_id})"}
        return [
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [{"type": "function", "function": {"name": TOOL, "arguments": arguments}}],
            },
            {"role": "tool", "name": TOOL, "content": task.reference["answer"]},
            {"role": "assistant", "content": self.demonstration(task)},
        ]

    def _draws(self, count: int) -> Iterator[Problem]:
        symbols = list(self._largest)
        for number in range(count):
            symbol = symbols[number % len(symbols)]
            first, second = (self._number(symbol, number, side) for side in ("left", "right"))
            left, right = (max(first, second), min(first, second)) if symbol == "-" else (first, second)
            yield Problem(left, symbol, right)

    def _number(self, symbol: str, draw: int, side: str) -> int:
        return 1 + int(unit_interval(f"calculator:{self._seed}:{draw}:{side}") * self._largest[symbol])


def _messages(problem: Problem) -> list[Message]:
    question = f"What is {problem.text}? Use the tool {TOOL}, then put the answer in \\boxed{{}}."
    return [{"role": "user", "content": question}]
