"""Which code decides what a verdict is: a digest that changes with it."""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from omegaconf import OmegaConf

import rlpt
from rlpt.config.targets import targets

JUDGING = ("verifiers", "gym", "sandbox")
"""Packages of rlpt that make verdicts."""


def judging_code(verifier: Mapping[str, object]) -> list[str]:
    """Return the SHA-256 of rlpt's own part in a verdict, and of the module of each other class that a node names.

    What those modules import is not looked at.
    """
    modules = {target.rpartition(".")[0] for _, target in targets(OmegaConf.create(dict(verifier)))}
    others = sorted(module for module in modules if module.partition(".")[0] not in ("", rlpt.__name__))
    return [_own_code(), *map(_module_code, others)]


@cache
def _own_code() -> str:
    root = Path(rlpt.__file__).parent
    digest = hashlib.sha256(rlpt.__version__.encode())
    for file in sorted(file for package in JUDGING for file in (root / package).rglob("*.py")):
        digest.update(f"{file.relative_to(root)}\n".encode() + file.read_bytes())
    return digest.hexdigest()


def _module_code(module: str) -> str:
    spec = importlib.util.find_spec(module)
    origin = Path(spec.origin) if spec is not None and spec.origin is not None else None
    return hashlib.sha256(origin.read_bytes()).hexdigest() if origin is not None and origin.is_file() else module
