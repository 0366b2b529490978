"""Schemas of the group `verifier`. A verifier stands under the domain whose answers it judges."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from omegaconf import MISSING


class Form(Enum):
    r"""How an answer is marked: `\boxed{5}`, `#### 5`, `<answer>5</answer>`."""

    boxed = "boxed"
    hash = "hash"
    tag = "tag"


class Source(Enum):
    """Where the compared text stands: in one of the forms, or it is the whole response."""

    boxed = "boxed"
    hash = "hash"
    tag = "tag"
    text = "text"


class Whitespace(Enum):
    """What becomes of white space before texts are compared."""

    keep = "keep"
    collapse = "collapse"
    remove = "remove"


@dataclass
class Math:
    """Answers compared by their mathematical value."""

    _target_: str = MISSING
    forms: list[Form] = MISSING
    anywhere: bool = MISSING
    computed: bool = MISSING


@dataclass
class Exact:
    """Answers compared as texts."""

    _target_: str = MISSING
    source: Source = MISSING
    case: bool = MISSING
    whitespace: Whitespace = MISSING


SCHEMAS: dict[str, type] = {"math_verifier_schema": Math, "exact_verifier_schema": Exact}
