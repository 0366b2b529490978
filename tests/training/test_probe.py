"""The probe: the latest rollouts with signal, within bounds, the same after a resumption."""

from __future__ import annotations

from dataclasses import replace

from rlpt.run_dir import RunDir
from rlpt.tracking.local import LocalRecord
from rlpt.training.probe import Probe
from tests.training.stepping import group

SIGNAL, NONE = [0.7, -0.7], [0.0, 0.0]


def judged(name: str, domain: str = "d"):
    one = group(name, [1, 2, 3], [[4, 5], [6]], [1.0, 0.0])
    return replace(one, task=replace(one.task, domain=domain))


def names(probe: Probe) -> dict[str, list[str]]:
    return {domain: [one.group.group_id for one in own] for domain, own in probe.sets().items()}


def test_the_latest_groups_with_signal_stay_however_old() -> None:
    probe = Probe(["d", "e"], groups=2, tokens=1000)
    probe.add([judged("1"), judged("2"), judged("3"), judged("e1", "e"), judged("e2", "e")], [SIGNAL] * 5)
    for step in range(10):
        probe.add([judged(f"e of {step}", "e")], [NONE])
    assert names(probe) == {"d": ["2", "3"], "e": ["e1", "e2"]}


def test_rollouts_without_an_advantage_are_left_out() -> None:
    probe = Probe(["d"], groups=4, tokens=1000)
    probe.add([judged("1"), judged("2")], [[0.0, 0.5], SIGNAL])
    first, second = probe.sets()["d"]
    assert ([r.index for r in first.group.rollouts], first.advantages) == ([1], [0.5])
    assert len(second.group.rollouts) == 2


def test_one_group_says_nothing() -> None:
    probe = Probe(["d"], groups=4, tokens=1000)
    probe.add([judged("1")], [SIGNAL])
    assert probe.sets() == {}


def test_tokens_bound_the_probe_but_for_the_two_groups_that_it_needs() -> None:
    for tokens, expected in ((6 * 3, ["3", "4", "5"]), (6 * 3 - 1, ["4", "5"]), (1, ["4", "5"])):
        probe = Probe(["d"], groups=5, tokens=tokens)
        probe.add([judged(str(number)) for number in range(1, 6)], [SIGNAL] * 5)
        assert names(probe) == {"d": expected}


def test_a_resumed_run_remembers_what_it_would(tmp_path) -> None:
    run = RunDir(tmp_path)
    record, going = LocalRecord(run), Probe(["d", "e"], groups=3, tokens=1000)
    for step in range(1, 9):
        groups = [judged(f"{step}a"), judged(f"{step}b", "e" if step < 4 else "d")]
        advantages = [SIGNAL if step % 2 else NONE, SIGNAL]
        record.rollouts(step, groups, advantages)
        going.add(groups, advantages)
    again = Probe(["d", "e"], groups=3, tokens=1000)
    again.refill(run)
    assert names(again) == names(going) == {"d": ["7a", "7b", "8b"], "e": ["1b", "2b", "3b"]}
    assert [one.advantages for one in again.sets()["d"]] == [one.advantages for one in going.sets()["d"]]
