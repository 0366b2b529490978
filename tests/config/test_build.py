"""Objects from nodes: arguments arrive as they are, and a user's error as the user's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from hydra.errors import InstantiationException
from omegaconf import OmegaConf

from rlpt.config.build import build
from rlpt.errors import UserError


@dataclass
class Record:
    value: Any


def hold(**arguments: Any) -> dict[str, Any]:
    return arguments


def refuse(**arguments: Any) -> None:
    raise UserError("Write something else.")


def node(name: str, **keys: Any) -> dict[str, Any]:
    return {"_target_": f"{__name__}.{name}", **keys}


def test_keys_and_arguments_meet_and_arguments_stay_what_they_are() -> None:
    record, table = Record(1), {"a": [1]}
    built = build(OmegaConf.create(node("hold", inner=node("hold", x=1))), record=record, table=table, node=2)
    assert built["inner"] == {"x": 1}
    assert built["record"] is record
    assert built["table"] is table
    assert built["node"] == 2


@pytest.mark.parametrize("given", [node("refuse", a=1), node("hold", inner=node("refuse"))])
def test_a_plain_sentence_comes_through(given: dict[str, Any]) -> None:
    with pytest.raises(UserError, match=r"^Write something else\.$"):
        build(given)


def test_other_errors_are_not_taken_for_the_users() -> None:
    with pytest.raises(InstantiationException):
        build({"_target_": "nowhere.at_all"})
    with pytest.raises(TypeError):
        build(node("Record"))
