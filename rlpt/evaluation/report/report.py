"""The whole report, as values; the terminal, the page and the JSON file only differ in how they write it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rlpt.evaluation.gate.verdict import GateRules, rules_of
from rlpt.evaluation.report.config_difference import Difference, differences
from rlpt.evaluation.report.cost import Cost, cost
from rlpt.evaluation.report.curves import Curve, curves
from rlpt.evaluation.report.sources import Source, open_sources
from rlpt.evaluation.report.tasks import MovedTasks, moved_tasks
from rlpt.evaluation.report.verdicts import REGRESSED, Judged, judge
from rlpt.evaluation.table import Table


@dataclass(frozen=True, slots=True)
class Against:
    """The candidate against one reference. `table` has a row for each of `judged`.

    `left_out`: domains that only one of the two was evaluated on.
    """

    reference: Source
    judged: Sequence[Judged]
    table: Table
    tasks: Mapping[str, MovedTasks]
    left_out: Sequence[str]

    def domains(self, outcome: str) -> list[str]:
        """The domains with this outcome."""
        return [item.domain for item in self.judged if item.outcome == outcome]


@dataclass(frozen=True, slots=True)
class Report:
    """`costs` and the values of `config` are in the order of `sources`, the candidate first."""

    sources: Sequence[Source]
    against: Sequence[Against]
    config: Sequence[Difference]
    curves: Mapping[str, Sequence[Curve]]
    costs: Sequence[Cost]

    @property
    def candidate(self) -> Source:
        """What is compared with the references."""
        return self.sources[0]

    @property
    def regressed(self) -> bool:
        """Whether the candidate regressed in any domain against any reference."""
        return any(one.domains(REGRESSED) for one in self.against)

    @property
    def domains(self) -> list[str]:
        """The domains that were compared."""
        return list(dict.fromkeys(item.domain for one in self.against for item in one.judged))

    @property
    def steps(self) -> dict[str, int]:
        """Letter -> the step that is compared."""
        return {source.letter: source.step for source in self.sources}


def build_report(names: Sequence[str]) -> Report:
    """Compare the first of `names` with each of the others.

    Raises UserError where one is no evaluation, or was made of another suite than the first.
    """
    sources = open_sources(names)
    candidate, *references = sources
    rules = rules_of(candidate.config.get("evaluation") or {})
    return Report(
        sources=sources,
        against=[_against(candidate, reference, rules) for reference in references],
        config=differences([source.config for source in sources], [source.overrides for source in sources]),
        curves=curves(sources),
        costs=[cost(source.metrics, source.step, source.summary) for source in sources],
    )


def _against(candidate: Source, reference: Source, rules: GateRules) -> Against:
    first, second = reference.evaluation, candidate.evaluation
    judged, table = judge(first, second, rules)
    compared = {item.domain for item in judged}
    return Against(
        reference=reference,
        judged=judged,
        table=table,
        tasks=moved_tasks(first.samples, second.samples),
        left_out=[name for name in dict.fromkeys([*second.suite, *first.suite]) if name not in compared],
    )
