"""What an audit says of verdicts, from the verdicts alone."""

from __future__ import annotations

import pytest

from rlpt.audit.outcomes import Judged, Outcome
from rlpt.audit.report import (
    Confusion,
    confusion,
    confusion_table,
    disagreements,
    repeatability,
    sound,
    timing,
    timing_line,
)
from rlpt.evaluation.table import plain_text
from rlpt.records import Verdict

ACCEPTED = Verdict(1.0, "correct", "answered '5'", {"format": 1.0})
REJECTED = Verdict(0.0, "wrong", "answered '6', expected '5'", {"format": 1.0})
UNSCORED = Verdict(None, "infra_error", "no verdict within 1 s")
PARTLY = Verdict(0.9, "wrong", "", {"format": 0.0})


def outcome(
    expected: bool,
    verdict: Verdict,
    again: Verdict | None = None,
    identity: str | int = 1,
    completion: str = "x",
    seconds: float = 0.5,
) -> Outcome:
    return Outcome(identity, expected, completion, Judged(verdict, seconds, again or verdict))


EVERY_KIND = [
    *[outcome(True, ACCEPTED, identity=f"a{n}") for n in range(6)],
    *[outcome(True, REJECTED, identity=f"b{n}") for n in range(5)],
    *[outcome(True, UNSCORED, identity=f"c{n}") for n in range(4)],
    *[outcome(False, ACCEPTED, identity=f"d{n}") for n in range(3)],
    *[outcome(False, REJECTED, identity=f"e{n}") for n in range(2)],
    *[outcome(False, UNSCORED, identity=f"f{n}") for n in range(1)],
]


def test_every_kind_is_counted_in_its_own_place() -> None:
    assert confusion(EVERY_KIND) == Confusion(6, 5, 4, 3, 2, 1)
    lines = plain_text(confusion_table(EVERY_KIND)).splitlines()
    assert [line.split() for line in lines[2:4]] == [["right", "6", "5", "4"], ["wrong", "3", "2", "1"]]
    assert lines[4:] == [
        "Statuses of those labelled right: correct 6, wrong 5, infra_error 4.",
        "Statuses of those labelled wrong: correct 3, wrong 2, infra_error 1.",
    ]
    assert "labelled wrong" not in plain_text(confusion_table([outcome(True, ACCEPTED)]))


@pytest.mark.parametrize(
    ("expected", "verdict", "correct", "agrees"),
    [
        (True, ACCEPTED, True, True),
        (True, REJECTED, False, False),
        (True, UNSCORED, None, False),
        (True, PARTLY, False, False),
        (False, ACCEPTED, True, False),
        (False, REJECTED, False, True),
        (False, UNSCORED, None, False),
        (False, PARTLY, False, True),
        (False, Verdict(-1.0, "suspicious"), False, True),
    ],
)
def test_what_a_verdict_says(expected: bool, verdict: Verdict, correct: bool | None, agrees: bool) -> None:
    one = outcome(expected, verdict)
    assert (one.correct, one.agrees, sound([one])) == (correct, agrees, agrees)


def test_a_part_of_the_reward_is_pointed_out() -> None:
    assert "1 with a part" in plain_text(confusion_table([outcome(False, PARTLY), outcome(False, REJECTED)]))
    assert "part" not in plain_text(confusion_table(EVERY_KIND))


def test_disagreements_come_with_all_that_is_known_and_wrong_acceptances_first() -> None:
    text = disagreements([outcome(True, REJECTED, identity=7, completion="\\boxed{6}"), *EVERY_KIND])
    lines = text.splitlines()
    assert lines[0] == "14 of 22 verdicts do not say what their labels say:"
    named = [line.split()[1].rstrip(":") for line in lines if line.startswith("  id ")]
    assert named == ["d0", "d1", "d2", "7", "b0", "b1", "b2", "b3", "b4", "c0", "c1", "c2", "c3", "f0"]
    start = lines.index("  id 7: labelled right, verdict wrong, reward 0")
    assert lines[start + 1 : start + 3] == ["      answered '6', expected '5'", "    | \\boxed{6}"]


def test_nothing_of_a_completion_can_control_the_terminal() -> None:
    hostile = "\x1b]0;title\x07\u202eabc\r\n\ud800"
    verdict = Verdict(0.0, "wrong", hostile, {"format": 0.0})
    outcomes = [
        outcome(True, verdict, again=Verdict(None, "infra_error", hostile), identity=hostile, completion=hostile)
    ]
    for text in (disagreements(outcomes), repeatability(outcomes, 0), timing_line(outcomes, 2)):
        assert all(char == "\n" or char.isprintable() for char in text)
        assert "title" in text


def test_long_completions_are_cut() -> None:
    text = disagreements(
        [outcome(True, REJECTED, completion="x" * 10_000), outcome(True, REJECTED, completion="y\n" * 99)]
    )
    assert len(text) < 1_000
    assert text.count("...") == 2
    assert "(empty)" in disagreements([outcome(True, REJECTED, completion="")])


def test_times() -> None:
    outcomes = [outcome(True, ACCEPTED, identity=n, seconds=n / 1000) for n in range(200, 0, -1)]
    times = timing(outcomes)
    assert (times.median_s, times.p99_s, times.worst_s, times.worst_id) == (0.1005, 0.198, 0.2, 200)
    line = timing_line(outcomes, 3)
    assert "median 100.50 ms, 99th percentile 198.00 ms, worst 200.00 ms (id 200)" in line
    assert "workers at once: 3" in line
    assert "worst 12.50 s" in timing_line([outcome(True, ACCEPTED, seconds=12.5)], 1)
    few = timing([outcome(True, ACCEPTED, seconds=seconds) for seconds in (1.0, 2.0, 3.0)])
    assert (few.median_s, few.p99_s) == (2.0, 3.0)
    single = timing([outcome(True, ACCEPTED, seconds=2.0)])
    assert (single.median_s, single.p99_s, single.worst_s) == (2.0, 2.0, 2.0)


@pytest.mark.parametrize(
    "again",
    [
        UNSCORED,
        REJECTED,
        Verdict(1.0, "suspicious", ACCEPTED.detail, ACCEPTED.parts),
        Verdict(1.0, "correct", ACCEPTED.detail, {"format": 0.0}),
    ],
)
def test_another_verdict_the_second_time_is_a_disagreement(again: Verdict) -> None:
    wavering = outcome(True, ACCEPTED, again, identity="w")
    outcomes = [outcome(True, ACCEPTED, identity="steady"), wavering]
    assert wavering.agrees
    assert not sound(outcomes)
    text = repeatability(outcomes, 5)
    assert "(seed 5), 1 of 2 verdicts were others" in text
    assert "id w:" in text
    assert "steady" not in text


def test_other_words_the_second_time_are_none() -> None:
    steady = outcome(True, ACCEPTED, Verdict(1.0, "correct", "other words", {"format": 1.0}))
    assert sound([steady])
    assert "all 1 verdicts were the same" in repeatability([steady], 0)


def test_a_row_says_what_the_verdict_said() -> None:
    assert [one.row() for one in (outcome(True, PARTLY, seconds=0.1234567), outcome(False, UNSCORED))] == [
        {
            "id": 1,
            "expected": True,
            "correct": False,
            "reward": 0.9,
            "status": "wrong",
            "detail": "",
            "seconds": 0.123457,
        },
        {
            "id": 1,
            "expected": False,
            "correct": None,
            "reward": None,
            "status": "infra_error",
            "detail": "no verdict within 1 s",
            "seconds": 0.5,
        },
    ]
