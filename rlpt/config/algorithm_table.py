"""The recipes of `conf/algorithm/` as a table for the documentation: `python -m rlpt.config.algorithm_table`."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

from omegaconf import DictConfig

from rlpt.config.composer import Composer, composer
from rlpt.config.paths import conf_dir

HEAD = ("`algorithm=`", "advantage", "normalisation", "loss", "aggregation", "KL", "correction", "filters", "source")
BEGIN, END = "<!-- recipes: begin -->", "<!-- recipes: end -->"
PARTS = ("advantage", "normalization", "loss", "aggregation")


def table() -> str:
    """One line of Markdown for each recipe, with the options that it names and what it sets besides."""
    with composer("train") as session:
        rows = [_row(session, name) for name in sorted(session.groups["algorithm"])]
    return "\n".join(_line(row) for row in (HEAD, ["---"] * len(HEAD), *rows))


def with_table(text: str) -> str:
    """The documentation's text with the table between its two marks made anew."""
    return re.sub(f"(?s){BEGIN}.*{END}", f"{BEGIN}\n{table()}\n{END}", text)


def _row(session: Composer, name: str) -> list[str]:
    cfg = session.compose([f"algorithm={name}"])
    chosen = {part: str(cfg.hydra.runtime.choices[f"algorithm/{part}"]) for part in (*PARTS, "kl", "correction")}
    filters = str(cfg.hydra.runtime.choices["algorithm/filters"])
    parts = [f"`{chosen[part]}`" for part in PARTS]
    return [f"`{name}`", *parts, _kl(cfg, chosen["kl"]), _correction(cfg, chosen), f"`{filters}`", _paper(cfg)]


def _kl(cfg: DictConfig, option: str) -> str:
    kl = cfg.algorithm.kl
    return f"`{option}`, {kl.coefficient:g}, in the {kl.placement.value}" if kl.coefficient else "none"


def _correction(cfg: DictConfig, chosen: dict[str, str]) -> str:
    level = cfg.algorithm.correction.get("level")
    return f"`{chosen['correction'].partition('_')[0]}`" + (f", {level}" if level else "")


def _paper(cfg: DictConfig) -> str:
    kind, _, number = str(cfg.algorithm.paper).partition(":")
    place = {"arXiv": "https://arxiv.org/abs/", "doi": "https://doi.org/"}[kind]
    return f"[{cfg.algorithm.paper}]({place}{number})"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def main(file: Path) -> None:
    """Make the table in `file` anew."""
    file.write_text(with_table(file.read_text()))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else conf_dir().parent / "docs" / "algorithms.md")
