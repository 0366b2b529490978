"""A verifier's sandbox is settled once, before its workers start, wherever it stands in the node."""

from __future__ import annotations

from collections.abc import Callable

from rlpt.sandbox.choice import Choice, settle_all
from rlpt.sandbox.process import why_not

AUTO = {"_target_": "rlpt.sandbox.auto.auto_sandbox", "concurrency": None, "limits": {"wall_s": 5.0}}
PROCESS = {"_target_": "rlpt.sandbox.process.process_sandbox", "concurrency": 3}


def test_what_is_chosen_is_reported_once_and_named(need: Callable[[str | None], None]) -> None:
    need(why_not())
    choices: list[Choice] = []
    member = {"_target_": "x.UnitTests", "sandbox": AUTO}
    node = {"_target_": "x.AllOf", "verifiers": {"answer": {"_target_": "x.Math"}, "a": member, "b": dict(member)}}
    settled = settle_all(node, choices.append)
    assert len(choices) == 1
    sandboxes = [settled["verifiers"][name]["sandbox"] for name in ("a", "b")]
    assert sandboxes[0] == sandboxes[1]
    assert sandboxes[0]["_target_"] != AUTO["_target_"]
    assert (sandboxes[0]["concurrency"], sandboxes[0]["limits"]) == (1, {"wall_s": 5.0})
    assert settled["verifiers"]["answer"] == {"_target_": "x.Math"}
    assert member["sandbox"] is AUTO


def test_a_number_of_ones_own_stays(need: Callable[[str | None], None]) -> None:
    need(why_not())
    assert settle_all({"sandbox": PROCESS}, print)["sandbox"]["concurrency"] == 3


def test_verifiers_without_one_stay_as_they_are() -> None:
    choices: list[Choice] = []
    for node in ({"_target_": "x.Math", "forms": ["boxed"], "sandbox": None}, {"_target_": "x.Y", "sandbox": {}}):
        assert settle_all(node, choices.append) == node
    assert not choices
