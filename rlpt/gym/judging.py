"""The score of an answer to an item of reasoning-gym. Nothing of the answer is run, whatever it says."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from rlpt.gym.package import scorer
from rlpt.gym.rules import RULES

SPARE_CHARACTERS = 2000
LONGEST = 4
"""An answer may be this many times as long as the right one, and a little longer; scorers are not made for more."""


def score(name: str, answer: str, gold: str, entry: Mapping[str, Any]) -> float:
    """Return the score of `answer`, from 0 to 1; 1.0 is right, and what lies between is the generator's own.

    `entry`: what its rule needs of the item's metadata. A scorer that raises, or gives a score that is none, gives 0.
    """
    rule = RULES[name]
    answer, gold = answer.replace("\r\n", "\n").strip(), gold.strip()
    if not answer or len(answer) > LONGEST * len(gold) + SPARE_CHARACTERS:
        return 0.0
    if rule.shape is not None and rule.shape.fullmatch(answer) is None:
        return 0.0
    if rule.instead is not None:
        right = entry[rule.others] if rule.others else [gold]
        return float(any(rule.instead(answer, each) for each in right))
    # A copy: a scorer may write into the metadata, as that of knight_swap does.
    item = {"question": "", "answer": gold, "metadata": copy.deepcopy(dict(entry))}
    try:
        found = float(scorer(name)(answer, item))
    except MemoryError:  # not the answer's fault alone: the worker ends
        raise
    except Exception:  # scorers raise on answers that they do not expect
        return 0.0
    return found if 0.0 <= found <= 1.0 else 0.0
