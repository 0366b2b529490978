"""docs/algorithms.md says what the recipes say."""

from __future__ import annotations

import re
from pathlib import Path

from rlpt.config.algorithm_table import with_table
from rlpt.config.composer import Composer
from rlpt.config.paths import conf_dir


def page(root: Path) -> str:
    return (root / "docs" / "algorithms.md").read_text()


def test_the_table_is_that_of_the_recipes(root: Path) -> None:
    text = page(root)
    assert text == with_table(text), "make it anew: python -m rlpt.config.algorithm_table"
    for file in (conf_dir() / "algorithm").glob("*.yaml"):
        assert f"| `{file.stem}` |" in text


def test_a_recipes_head_names_its_source(train: Composer) -> None:
    for name in train.groups["algorithm"]:
        assert re.fullmatch(r"arXiv:\d{4}\.\d{5}|doi:\S+", train.compose([f"algorithm={name}"]).algorithm.paper)


def test_every_option_of_every_part_is_named(root: Path, train: Composer) -> None:
    text = page(root)
    for group, options in train.groups.items():
        if group.startswith("algorithm/"):
            (line,) = (line for line in text.splitlines() if line.startswith(f"| `{group}` |"))
            assert set(re.findall(r"`(\w+)`", line.split("|")[2])) == set(options)


def test_recipes_are_short(root: Path) -> None:
    for file in (conf_dir() / "algorithm").glob("*.yaml"):
        assert len(file.read_text().splitlines()) <= 22, file.name
