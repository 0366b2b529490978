"""Schema of the verifier `unit_tests`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from omegaconf import MISSING


@dataclass
class UnitTests:
    """Arguments of `rlpt.verifiers.unit_tests.UnitTestsVerifier`."""

    _target_: str = MISSING
    sandbox: Any = MISSING
    tolerance: float = MISSING


SCHEMAS: dict[str, type] = {"unit_tests_verifier_schema": UnitTests}
