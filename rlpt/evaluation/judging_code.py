"""Which code decides what a verdict is: a digest that changes with it."""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from omegaconf import OmegaConf

import rlpt
from rlpt.config.targets import targets

JUDGING = ("verifiers", "gym", "sandbox")
"""Packages of rlpt that make verdicts."""


def judging_code(verifier: Mapping[str, object]) -> list[str]:
    """Return the SHA-256 of rlpt's own part in a verdict, and of each other package that a node names a class of.

    What those packages import from elsewhere is not looked at.
    """
    packages = {target.partition(".")[0] for _, target in targets(OmegaConf.create(dict(verifier)))}
    return [_own_code(), *(_code(package) for package in sorted(packages - {rlpt.__name__}))]


@cache
def _own_code() -> str:
    root = Path(rlpt.__file__).parent
    return _digest(root, [file for package in JUDGING for file in (root / package).rglob("*.py")])


def _code(package: str) -> str:
    spec = importlib.util.find_spec(package)
    if spec is not None and spec.submodule_search_locations:
        root = Path(next(iter(spec.submodule_search_locations)))
        return _digest(root, list(root.rglob("*.py")))
    origin = Path(spec.origin) if spec is not None and spec.origin is not None else None
    return _digest(origin.parent, [origin]) if origin is not None and origin.is_file() else package


def _digest(root: Path, files: Sequence[Path]) -> str:
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(f"{file.relative_to(root)}\n".encode() + file.read_bytes())
    return digest.hexdigest()
