"""The stream of items that a generator of reasoning-gym makes, the same in every process."""

from __future__ import annotations

import contextlib
import io
import json
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from itertools import count
from typing import Any

from rlpt.errors import UserError
from rlpt.gym.package import generator
from rlpt.gym.rules import RULES, Rule

BLOCK = 64
"""Items that are made with one generator: some make all of theirs at once, and others with another size."""


@dataclass(frozen=True, slots=True)
class Item:
    """A question, its right answer ("" where there is none), and what its rule needs of its metadata, JSON-plain."""

    question: str
    answer: str
    entry: Mapping[str, Any]


def draw(name: str, options: Mapping[str, Any], seed: int) -> Iterator[Item]:
    """Yield items without end; `seed` and the following numbers seed one item each, all below 2**32.

    Raises:
        UserError: for a name or options that the package does not take, or where it fails to make an item.
    """
    rule = RULES[name]
    for start in count(seed, BLOCK):
        with _undisturbed(start):
            maker = generator(name, options, start, BLOCK)
        for index in range(BLOCK):
            with _undisturbed(start + index):
                try:
                    made = maker[index]
                except Exception as error:  # whatever the package raises
                    raise UserError(f"reasoning_gym: {name} cannot make a task with these options: {error}.") from error
            yield _item(made, rule)


def _item(made: Mapping[str, Any], rule: Rule) -> Item:
    metadata = made["metadata"]
    answer = metadata.get(rule.shown) if rule.shown else made["answer"]
    if isinstance(answer, Mapping):
        answer = json.dumps({str(key): value for key, value in answer.items()})
    entry = {key: metadata[key] for key in rule.needs if key in metadata}
    return Item(made["question"], "" if answer is None else str(answer).strip(), json.loads(json.dumps(entry)))


@contextlib.contextmanager
def _undisturbed(seed: int) -> Iterator[None]:
    """Generators draw from global random numbers and print; here that is seeded, and gone afterwards."""
    numpy_random = import_module("numpy.random")  # comes with the package
    own, of_numpy = random.getstate(), numpy_random.get_state()
    random.seed(seed)
    numpy_random.seed(seed)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            yield
    finally:
        random.setstate(own)
        numpy_random.set_state(of_numpy)
