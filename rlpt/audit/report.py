"""What an audit says: where verdicts and labels part, how long a verdict takes, whether it is always the same."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from rlpt.audit.outcomes import FULL_REWARD, Outcome
from rlpt.evaluation.table import Table
from rlpt.evaluation.text import visible
from rlpt.records import Verdict

_SHOWN = 240
_SHOWN_LINES = 6


@dataclass(frozen=True, slots=True)
class Confusion:
    """How many completions there are of each label and verdict. `wrong_accepted` are the ones that teach cheating."""

    right_accepted: int
    right_rejected: int
    right_unscored: int
    wrong_accepted: int
    wrong_rejected: int
    wrong_unscored: int


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds of one verdict: median, 99th percentile (nearest rank), the longest and the id that took it."""

    median_s: float
    p99_s: float
    worst_s: float
    worst_id: str | int


def confusion(outcomes: Sequence[Outcome]) -> Confusion:
    """Count labels against verdicts."""

    def count(expected: bool, correct: bool | None) -> int:
        return sum(outcome.expected is expected and outcome.correct is correct for outcome in outcomes)

    verdicts = (True, False, None)
    return Confusion(*(count(expected, correct) for expected in (True, False) for correct in verdicts))


def timing(outcomes: Sequence[Outcome]) -> Timing:
    """Return the times of at least one verdict."""
    ordered = sorted(outcomes, key=lambda outcome: outcome.judged.seconds)
    seconds = [outcome.judged.seconds for outcome in ordered]
    p99_s = seconds[math.ceil(0.99 * len(seconds)) - 1]
    return Timing(statistics.median(seconds), p99_s, seconds[-1], ordered[-1].id)


def sound(outcomes: Sequence[Outcome]) -> bool:
    """Whether every verdict says what its label says, both times."""
    return all(outcome.agrees and outcome.repeats for outcome in outcomes)


def confusion_table(outcomes: Sequence[Outcome]) -> Table:
    """The counts of `confusion`, a line for each label; the notes say which statuses the verdicts had."""
    counts = confusion(outcomes)
    partly = sum(0.0 < (outcome.judged.verdict.reward or 0.0) < FULL_REWARD for outcome in outcomes)
    notes = [f"Counted as rejected: {partly} with a part of the reward."] if partly else []
    notes += [_statuses(outcomes, expected) for expected in (True, False)]
    rows = [
        ("right", *map(str, (counts.right_accepted, counts.right_rejected, counts.right_unscored))),
        ("wrong", *map(str, (counts.wrong_accepted, counts.wrong_rejected, counts.wrong_unscored))),
    ]
    return Table(("labelled", "accepted", "rejected", "not scored"), rows, [note for note in notes if note])


def _statuses(outcomes: Sequence[Outcome], expected: bool) -> str:
    """How many verdicts of each status the completions of a label had, most first; nothing where there are none."""
    counts = Counter(outcome.judged.verdict.status for outcome in outcomes if outcome.expected is expected)
    listed = ", ".join(f"{status} {count}" for status, count in counts.most_common())
    return f"Statuses of those labelled {'right' if expected else 'wrong'}: {listed}." if listed else ""


def disagreements(outcomes: Sequence[Outcome]) -> str:
    """Every verdict that does not say what its label says, wrong acceptances first. Safe to print."""
    parted = sorted((outcome for outcome in outcomes if not outcome.agrees), key=_weight)
    if not parted:
        return f"All {len(outcomes)} verdicts say what their labels say."
    head = f"{len(parted)} of {len(outcomes)} verdicts do not say what their labels say:"
    return "\n".join([head, *(_disagreement(outcome) for outcome in parted)])


def repeatability(outcomes: Sequence[Outcome], seed: int) -> str:
    """Every verdict that was another one when it was asked for again. Safe to print."""
    changed = [outcome for outcome in outcomes if not outcome.repeats]
    how = f"judged again in another order (seed {seed})"
    if not changed:
        return f"Repeatable: {how}, all {len(outcomes)} verdicts were the same."
    head = f"Not repeatable: {how}, {len(changed)} of {len(outcomes)} verdicts were others:"
    return "\n".join([head, *(_change(outcome) for outcome in changed)])


def timing_line(outcomes: Sequence[Outcome], workers: int) -> str:
    """The times of `timing`, and what they are the times of."""
    times = timing(outcomes)
    return (
        f"Time of a verdict: median {_time(times.median_s)}, 99th percentile {_time(times.p99_s)}, worst "
        f"{_time(times.worst_s)} (id {_id(times.worst_id)}).\n"
        f"By the pool's clock, from the request to the worker's answer; workers at once: {workers}."
    )


def _weight(outcome: Outcome) -> int:
    return {True: 0, False: 1, None: 2}[outcome.correct]


def _disagreement(outcome: Outcome) -> str:
    verdict = outcome.judged.verdict
    lines = [f"  id {_id(outcome.id)}: labelled {'right' if outcome.expected else 'wrong'}, verdict {_said(verdict)}"]
    if verdict.detail:
        lines.append(f"      {' '.join(visible(verdict.detail).split())}")
    return "\n".join([*lines, *(f"    | {line}" for line in _start(outcome.completion))])


def _change(outcome: Outcome) -> str:
    before, after = outcome.judged.verdict, outcome.judged.again
    lines = [f"  id {_id(outcome.id)}: {_said(before)}, then {_said(after)}"]
    if _said(before) == _said(after):
        lines.append(f"      parts {dict(before.parts)}, then {dict(after.parts)}")
    elif after.detail:
        lines.append(f"      {' '.join(visible(after.detail).split())}")
    return visible("\n".join(lines))


def _said(verdict: Verdict) -> str:
    return f"{verdict.status}, {'not scored' if verdict.reward is None else f'reward {verdict.reward:g}'}"


def _start(completion: str) -> list[str]:
    """The first lines of a completion; one that goes on ends in an ellipsis."""
    lines = visible(completion[:_SHOWN]).split("\n")
    if len(completion) > _SHOWN or len(lines) > _SHOWN_LINES:
        lines = lines[:_SHOWN_LINES]
        lines[-1] += "..."
    return lines if completion else ["(empty)"]


def _id(identity: str | int) -> str:
    text = " ".join(visible(str(identity)).split())
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _time(seconds: float) -> str:
    return f"{1000 * seconds:.2f} ms" if seconds < 1.0 else f"{seconds:.2f} s"
