"""Integer arithmetic with two operands, answered in `\\boxed{}`."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rlpt.domains.splits import Shares, interleave, take
from rlpt.errors import UserError
from rlpt.records import Message, Split, Task

SHARES = Shares(validation=0.25, test=0.25)
SYSTEM = "You are good at arithmetic."
OPERATORS: Mapping[str, Callable[[int, int], int]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}
COMMUTATIVE = frozenset("+*")


@dataclass(frozen=True, slots=True)
class Problem:
    """`left operator right`."""

    left: int
    operator: str
    right: int

    @property
    def key(self) -> str:
        """What the problem means: 3 + 4 and 4 + 3 are the same one."""
        low, high = sorted((self.left, self.right))
        pair = (low, high) if self.operator in COMMUTATIVE else (self.left, self.right)
        return f"{pair[0]}{self.operator}{pair[1]}"

    @property
    def text(self) -> str:
        """As it stands in a prompt."""
        return f"{self.left} {self.operator} {self.right}"

    @property
    def result(self) -> int:
        """The right answer."""
        return OPERATORS[self.operator](self.left, self.right)

    def task(self, domain: str, messages: Sequence[Message]) -> Task:
        """The problem as a task of `domain`, put as `messages`."""
        return Task(
            domain=domain,
            task_id=self.text,
            messages=messages,
            reference={"answer": str(self.result)},
            difficulty=float(max(self.left, self.right)),
        )


EXAMPLE = Problem(3, "+", 4)


def largest_numbers(domain: str, operators: Sequence[str], max_operand: int, max_factor: int) -> dict[str, int]:
    """The largest number in the problems of each operator.

    Args:
        domain: whose settings these are, for messages.
        operators: any of `+`, `-`, `*`. Differences are never negative.
        max_operand: largest operand of sums and differences.
        max_factor: largest factor of products.

    Raises:
        UserError: for settings without a problem.
    """
    unknown = [symbol for symbol in operators if symbol not in OPERATORS]
    if unknown or not operators:
        raise UserError(f"domain.{domain}.operators={list(operators)} must be one or more of {', '.join(OPERATORS)}.")
    if max_operand < 1 or max_factor < 1:
        raise UserError(f"domain.{domain}: max_operand={max_operand} and max_factor={max_factor} must be 1 or more.")
    return {symbol: max_factor if symbol == "*" else max_operand for symbol in dict.fromkeys(operators)}


class Arithmetic:
    """Problems with operands from 1 up. The prompt shows one solved problem, which is never a task.

    Args:
        name: the domain's name in the run.
        seed: of splits and order.
        train_tasks, validation_tasks, test_tasks: sizes of the splits; training takes fewer where there are fewer.
        operators, max_operand, max_factor: see `largest_numbers`.

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
        chosen = (problem for problem in self._problems() if SHARES.split_of(problem.key, self._seed) == split)
        ordered = interleave(chosen, group=lambda each: each.operator, name=lambda each: each.text, seed=self._seed)
        return take(
            [problem.task(self._name, _messages(problem)) for problem in ordered],
            split,
            self._sizes[split],
            self._name,
            f"raise domain.{self._name}.max_operand",
        )

    def demonstration(self, task: Task) -> str:
        """Return the solved problem in the form of the prompt's example."""
        left, symbol, right = task.task_id.split()
        return _solution(Problem(int(left), symbol, int(right)))

    def _problems(self) -> Iterator[Problem]:
        for symbol, largest in self._largest.items():
            for left in range(1, largest + 1):
                for right in range(1, (left if symbol == "-" else largest) + 1):
                    problem = Problem(left, symbol, right)
                    if problem.key != EXAMPLE.key:
                        yield problem


def _messages(problem: Problem) -> list[Message]:
    return [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": _question(EXAMPLE)},
        {"role": "assistant", "content": _solution(EXAMPLE)},
        {"role": "user", "content": _question(problem)},
    ]


def _question(problem: Problem) -> str:
    return f"What is {problem.text}? Put the answer in \\boxed{{}}."


def _solution(problem: Problem) -> str:
    # Saying the result before boxing it makes a small model far surer of it than writing into the box at once.
    return f"{problem.text} = {problem.result}, so the answer is \\boxed{{{problem.result}}}."
