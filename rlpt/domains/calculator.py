"""Integer arithmetic with numbers that are long to work with by hand: the policy is to call the tool `python`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rlpt.domains.arithmetic import OPERATORS, SHARES, Problem
from rlpt.domains.protocol import Turn
from rlpt.domains.splits import take, unit_interval
from rlpt.errors import UserError
from rlpt.records import Split, Task

TOOL = "python"
MOST_DRAWS = 50
"""Draws for each task that is asked for; where they do not suffice, there are too few different problems."""


class Calculator:
    """Problems drawn at random, operators in turn. The demonstration calls the tool and then answers.

    Args:
        name: the domain's name in the run.
        seed: of splits and order.
        train_tasks, validation_tasks, test_tasks: sizes of the splits; training takes fewer where there are fewer.
        operators: any of `+`, `-`, `*`. Differences are never negative.
        max_operand: largest operand of sums and differences.
        max_factor: largest factor of products.

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
        unknown = [symbol for symbol in operators if symbol not in OPERATORS]
        if unknown or not operators:
            raise UserError(f"domain.{name}.operators={list(operators)} must be one or more of {', '.join(OPERATORS)}.")
        if max_operand < 1 or max_factor < 1:
            raise UserError(f"domain.{name}: max_operand={max_operand} and max_factor={max_factor} must be 1 or more.")
        self._name = name
        self._seed = seed
        self._sizes: Mapping[Split, int] = {"train": train_tasks, "validation": validation_tasks, "test": test_tasks}
        self._largest = {symbol: max_factor if symbol == "*" else max_operand for symbol in dict.fromkeys(operators)}

    def load(self, split: Split) -> Sequence[Task]:
        """Return the problems of a split; pairs with swapped operands are in the same one.

        Raises:
            UserError: where the numbers are too small for as many problems.
        """
        size, tasks, seen = self._sizes[split], [], set[str]()
        for problem in self._draws(MOST_DRAWS * max(size, 1)):
            if problem.key not in seen and SHARES.split_of(problem.key, self._seed) == split:
                tasks.append(self._task(problem))
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

    def _task(self, problem: Problem) -> Task:
        question = f"What is {problem.text}? Use the tool {TOOL}, then put the answer in \\boxed{{}}."
        return Task(
            domain=self._name,
            task_id=problem.text,
            messages=[{"role": "user", "content": question}],
            reference={"answer": str(problem.result)},
            difficulty=float(max(problem.left, problem.right)),
        )
