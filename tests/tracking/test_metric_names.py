"""The documented table of metrics is the list that the code has, and the list is what the code records."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from rlpt.tracking.metric_names import find_metric
from rlpt.tracking.metric_table import with_tables
from rlpt.tracking.metrics_of_runs import METRICS

NAME = re.compile(
    r"(train|eval|regression|interference|probe|mismatch|rl|perf|time|budget|sandbox|verifier|sampler"
    r"|tracker)/\w+"
)
PLACES = ("training", "budget", "samplers", "sandbox", "verifiers", "tools", "evaluation/summary.py", "tracking")


def literals(root: Path) -> Iterator[tuple[Path, str]]:
    """Every string in the code that is the whole name of a metric."""
    for place in PLACES:
        folder = root / "rlpt" / place
        for file in [folder] if folder.is_file() else sorted(folder.rglob("*.py")):
            if file.name.startswith(("metrics_of_", "wandb_layout")):  # they name metrics, and record none
                continue
            for node in ast.walk(ast.parse(file.read_text())):
                if isinstance(node, ast.Constant) and isinstance(node.value, str) and NAME.fullmatch(node.value):
                    yield file, node.value


def test_the_documentation_has_the_tables_of_the_list(root: Path) -> None:
    text = (root / "docs" / "metrics.md").read_text()
    assert text == with_tables(text), "make it anew: python -m rlpt.tracking.metric_table"


def test_every_metric_is_listed_once_with_a_meaning() -> None:
    names = [metric.name for metric in METRICS]
    assert len(names) == len(set(names))
    assert all(metric.meaning for metric in METRICS)


def test_every_name_in_the_code_is_listed(root: Path) -> None:
    unlisted = {f"{name} ({file.name})" for file, name in literals(root) if find_metric(METRICS, name, []) is None}
    assert not unlisted


def test_every_listed_name_is_recorded_by_some_code(root: Path) -> None:
    found = {name for _, name in literals(root)} | {
        f"time/{phase}_s" for phase in ("sample", "score", "update", "sync")
    }
    assert {metric.name for metric in METRICS if "DOMAIN" not in metric.name} <= found


@pytest.mark.parametrize(
    ("name", "listed"),
    [
        ("train/gsm8k/reward", "train/DOMAIN/reward"),
        ("train/gsm8k/tests", "train/DOMAIN/PART"),
        ("train/gsm8k/surprise", None),
        ("train/other/reward", None),
        ("eval/my.domain/pass_at_16", "eval/DOMAIN/pass_at_K"),
        ("eval/my.domain/pass_at_k", None),
        ("eval/myxdomain/reward", None),
        ("regression/gsm8k", "regression/DOMAIN"),
        ("regression/gsm8k_low", "regression/DOMAIN_low"),
        ("interference/gsm8k/my.domain", "interference/DOMAIN/DOMAIN"),
        ("rl/loss", "rl/loss"),
        ("rl/loss/", None),
    ],
)
def test_names_of_domains_and_parts_are_filled_in(name: str, listed: str | None) -> None:
    found = find_metric(METRICS, name, ["gsm8k", "my.domain"], ["tests"])
    assert (found.name if found else None) == listed
