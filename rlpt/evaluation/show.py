"""`rlpt show RUN`: the run's table and some of its texts, with verdict and advantage."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from rlpt.errors import UserError
from rlpt.evaluation.compare import compare_evaluations
from rlpt.evaluation.hacked import SUSPICIOUS, no_hacks, ranges
from rlpt.evaluation.sample import Sample
from rlpt.evaluation.statistics import DomainComparison, summarise
from rlpt.evaluation.store import load_evaluation
from rlpt.evaluation.summary import read_comparisons
from rlpt.evaluation.table import comparison_table, print_table, summary_table
from rlpt.evaluation.text import emit, visible
from rlpt.records import Group
from rlpt.run_dir import RunDir, open_run
from rlpt.tracking.local import read_rollouts
from rlpt.tracking.metrics_log import read_metrics
from rlpt.tracking.samples import answer_text, prompt_text

RULE = "-" * 80
KINDS = (None, "rollouts", "evaluation")


@dataclass(frozen=True, slots=True)
class Shown:
    """One text to show. `advantage` is None for evaluation samples, which have none."""

    domain: str
    task_id: str
    index: int
    prompt: str
    text: str
    reward: float | None
    status: str
    detail: str
    tokens: int
    finish_reason: str
    advantage: float | None = None


SORTS: dict[str, Callable[[Shown], float]] = {
    "order": lambda shown: 0.0,
    "reward": lambda shown: -(shown.reward if shown.reward is not None else float("-inf")),
    "-reward": lambda shown: shown.reward if shown.reward is not None else float("inf"),
    "advantage": lambda shown: -(shown.advantage or 0.0),
    "-advantage": lambda shown: shown.advantage or 0.0,
    "length": lambda shown: -float(shown.tokens),
    "-length": lambda shown: float(shown.tokens),
    "hacks": lambda shown: float(shown.status != SUSPICIOUS),
}
"""Orders of `rlpt show sort=`: the highest first, with a minus the lowest first; `order` is the order of the file.

`hacks`: answers with signs of cheating first.
"""


def show(
    run: Path,
    step: int | None = None,
    domain: str | None = None,
    n: int = 4,
    sort: str = "order",
    of: str | None = None,
    stream: IO[str] | None = None,
) -> None:
    """Print the table of `run`, and `n` rollouts of `step` (default: the last) of each domain.

    `of`: `rollouts` or `evaluation`, whose samples are shown; None: rollouts where the step has some. Step 0 is the
    evaluation before training. Raises UserError where `run` is no run, or has no such step, domain or order.
    """
    out = stream or sys.stdout
    directory = open_run(run)
    if sort not in SORTS:
        raise UserError(f"sort={sort} is no order of rollouts; take one of: {', '.join(SORTS)}.")
    if of not in KINDS:
        raise UserError(f"of={of} is nothing that a run holds; take of=rollouts or of=evaluation.")
    if n < 0:
        raise UserError(f"n={n} is less than 0; n is the number of rollouts to show of each domain.")
    _print_table(directory, out)
    kind, wanted, texts = _texts(directory, step, of)
    chosen = _choose(texts, domain, n, sort)
    if sort == "hacks" and not any(shown.status == SUSPICIOUS for shown in texts if domain in (None, shown.domain)):
        rows = read_metrics(directory.metrics) if directory.metrics.is_file() else []
        emit(no_hacks(rows, f"{kind} of step {wanted}", domain), out)
    for shown in chosen:
        emit(format_shown(shown, f"{kind} of step {wanted}"), out)
    if chosen:
        emit(RULE, out)


def format_shown(shown: Shown, origin: str) -> str:
    """One text with what it answers and what it earned; nothing in it can control a terminal."""
    reward = "not scored" if shown.reward is None else f"reward {shown.reward:g}"
    advantage = "" if shown.advantage is None else f", advantage {shown.advantage:+.3f}"
    cut = ", cut at the length limit" if shown.finish_reason == "length" else ""
    return "\n".join(
        (
            RULE,
            f"{visible(shown.domain)} / {visible(shown.task_id)} / answer {shown.index} ({origin})",
            "prompt:",
            _indent(shown.prompt),
            "answer:",
            _indent(shown.text),
            f"verdict: {shown.status}, {reward}{advantage}, {shown.tokens} tokens{cut}",
            *([f"         {visible(_one_line(shown.detail))}"] if shown.detail else []),
        )
    )


def _print_table(run: RunDir, out: IO[str]) -> None:
    comparisons = _comparisons(run)
    if comparisons:
        print_table(comparison_table(comparisons), out)
    elif run.evaluation_steps():
        print_table(summary_table(summarise(load_evaluation(run).samples)), out)
    else:
        emit("No evaluation yet.", out)


def _comparisons(run: RunDir) -> list[DomainComparison]:
    if run.summary.is_file():
        return read_comparisons(run)
    steps = run.evaluation_steps()
    if len(steps) < 2:
        return []
    return compare_evaluations(load_evaluation(run, steps[0]), load_evaluation(run, steps[-1]))


def _texts(run: RunDir, step: int | None, of: str | None) -> tuple[str, int, list[Shown]]:
    rollouts = run.rollout_steps() if of != "evaluation" else []
    evaluations = run.evaluation_steps() if of != "rollouts" else []
    if not rollouts and not evaluations:
        raise UserError(f"{run.root} holds no {of or 'rollouts and no evaluation'} yet.")
    wanted = step if step is not None else (rollouts or evaluations)[-1]
    if wanted in rollouts:
        shown = [item for group, values in read_rollouts(run.rollouts(wanted)) for item in _of_group(group, values)]
        return "rollouts", wanted, shown
    if wanted in evaluations:
        return "evaluation", wanted, [_of_sample(sample) for sample in load_evaluation(run, wanted).samples]
    known = sorted({*rollouts, *evaluations})
    nothing = f"no {of}" if of else "nothing"
    raise UserError(f"{run.root} has {nothing} of step {wanted}; it has steps {ranges(known)}.")


def _choose(texts: Sequence[Shown], domain: str | None, n: int, sort: str) -> list[Shown]:
    domains = list(dict.fromkeys(shown.domain for shown in texts))
    if domain is not None and domain not in domains:
        raise UserError(f"This step has no domain {domain}; it has: {', '.join(domains)}.")
    chosen: list[Shown] = []
    for name in [domain] if domain is not None else domains:
        mine = sorted((shown for shown in texts if shown.domain == name), key=SORTS[sort])
        chosen += mine[:n]
    return chosen


def _of_group(group: Group, advantages: Sequence[float]) -> Iterable[Shown]:
    prompt = prompt_text(group.task)
    for position, rollout in enumerate(group.rollouts):
        verdict = group.verdicts[position] if group.verdicts else None
        yield Shown(
            domain=group.task.domain,
            task_id=group.task.task_id,
            index=rollout.index,
            prompt=prompt,
            text=answer_text(rollout.text, rollout.messages),
            reward=verdict.reward if verdict else None,
            status=verdict.status if verdict else "not scored",
            detail=verdict.detail if verdict else "",
            tokens=rollout.actions,
            finish_reason=rollout.finish_reason,
            advantage=advantages[position] if advantages else None,
        )


def _of_sample(sample: Sample) -> Shown:
    return Shown(
        domain=sample.domain,
        task_id=sample.task_id,
        index=sample.index,
        prompt=sample.prompt,
        text=answer_text(sample.text, sample.messages),
        reward=sample.reward,
        status=sample.status,
        detail=sample.detail,
        tokens=sample.tokens,
        finish_reason=sample.finish_reason,
    )


def _indent(text: str) -> str:
    return textwrap.indent(visible(text), "  ", lambda line: True) if text else "  (empty)"


def _one_line(text: str) -> str:
    return " ".join(text.split("\n"))
