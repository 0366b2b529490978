"""What a W&B workspace shows: one section a domain, made from the list of all metrics. Pure; needs no W&B."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rlpt.tracking.metric_names import Metric
from rlpt.tracking.metrics_log import STEP
from rlpt.tracking.metrics_of_domains import EVALUATION, PROBE, TRAINING
from rlpt.tracking.metrics_of_runs import COST, HEALTH, UPDATE

OF_ALL = ("eval/DOMAIN/reward", "regression/DOMAIN", "train/DOMAIN/reward", "train/DOMAIN/token_share")
"""What the first section shows of all domains in one plot."""

TABLES = ("samples/train", "samples/eval", "samples/moved")


@dataclass(frozen=True, slots=True)
class Panel:
    """A plot of `metrics`, of those whose names match `pattern`, or a `table`."""

    title: str
    metrics: Sequence[str] = ()
    pattern: str = ""
    table: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """Panels below a title."""

    title: str
    panels: Sequence[Panel]
    is_open: bool = False


def layout(domains: Sequence[str]) -> list[Section]:
    """The sections for a project whose runs have these domains: all of them together, then one for each."""
    return [
        Section("All domains", [_of_all(name, domains) for name in OF_ALL], is_open=True),
        *(Section(domain, domain_panels(domain), is_open=True) for domain in domains),
        Section("Samples", [Panel(name, table=name) for name in TABLES]),
        Section("Interference", [Panel("cosines of the domains' gradients", pattern="interference/.*")]),
        Section("Update", _singly(UPDATE)),
        Section("Time and cost", _singly(COST)),
        Section("Health", _singly(HEALTH)),
    ]


def domain_panels(domain: str) -> list[Panel]:
    """The change since training began, and each measure of the domain: training and evaluation in one plot."""
    change = [f"regression/{domain}{end}" for end in ("", "_low", "_high")]
    panels = {"reward": Panel("reward"), "change": Panel("change since training began, with its interval", change)}
    for metric in (*TRAINING, *EVALUATION, *PROBE):
        group, _, measure = metric.name.partition("/DOMAIN/")
        if not measure or measure in ("PART", "DOMAIN", "suite"):
            continue
        name = metric.name.replace("DOMAIN", domain)
        if measure.endswith("_K"):
            stem = re.escape(name.removesuffix("K"))
            panels[measure] = Panel(measure.removesuffix("_K"), pattern=f"{stem}[0-9]+")
            continue
        title = f"{measure} of the probe" if group == "probe" else measure
        known = panels.get(title, Panel(title))
        panels[title] = replace(known, metrics=[*known.metrics, name])
    own = re.escape(domain)
    interference = Panel("interference with the other domains", pattern=f"interference/({own}/.*|.*/{own})")
    return [*panels.values(), interference]


def _of_all(name: str, domains: Sequence[str]) -> Panel:
    return Panel(name.replace("/DOMAIN", ""), [name.replace("DOMAIN", domain) for domain in domains])


def _singly(metrics: Sequence[Metric]) -> list[Panel]:
    return [Panel(metric.name, [metric.name]) for metric in metrics if metric.name != STEP]
