"""The domains as `conf/domain/` sets them, built once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import pytest
from omegaconf import OmegaConf

from rlpt.domains.protocol import Domain, build_domains
from rlpt.records import Split, Task

NAMES = ("arithmetic", "python_functions", "instructions")

Keys = Callable[..., dict[str, Any]]


@pytest.fixture(scope="session")
def keys(root: Path) -> Keys:
    """`keys(name, test_tasks=5)`: the keys of one domain's file, some of them changed."""

    def read(domain: str, **changed: Any) -> dict[str, Any]:
        found = OmegaConf.to_container(OmegaConf.load(root / "conf" / "domain" / f"{domain}.yaml"))
        assert isinstance(found, dict)
        found.pop("defaults")
        return {str(key): value for key, value in found.items()} | changed

    return read


@pytest.fixture(scope="session")
def domains(keys: Keys) -> dict[str, Domain]:
    """Every domain by name."""
    return build_domains({name: keys(name) for name in NAMES})


@pytest.fixture(scope="session")
def tasks(domains: Mapping[str, Domain]) -> dict[str, dict[Split, Sequence[Task]]]:
    """Every task by domain and split."""
    return {name: {split: domain.load(split) for split in get_args(Split)} for name, domain in domains.items()}
