"""The dataclass schemas of the config groups, and their registration with Hydra.

Each module here has a table `SCHEMAS` from ConfigStore name to dataclass. A YAML file of a group names its schema
first in its defaults list (`- /hardware_schema@_here_`); from there on a wrong type or an unknown key fails when
composing. Values stand in the YAML files alone: every schema field is `MISSING`. Files of users may name a schema or
bring their own keys without one.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pkgutil import iter_modules

from hydra.core.config_store import ConfigStore
from omegaconf import OmegaConf

from rlpt.config.schemas import roots


def schemas() -> Mapping[str, type]:
    """Return every schema by its ConfigStore name."""
    found: dict[str, type] = {}
    for module in iter_modules(__path__):
        found.update(import_module(f"{__name__}.{module.name}").SCHEMAS)
    return found


def register() -> None:
    """Put the schemas into Hydra's ConfigStore. Doing so twice changes nothing."""
    store = ConfigStore.instance()
    for name, schema in schemas().items():
        if f"{name}.yaml" in store.repo:
            continue
        # A root is typed but open: a user's own group may add its node there. `closed.py` refuses what else is new.
        flags = {"struct": False} if name in ROOTS else None
        store.store(name=name, node=OmegaConf.structured(schema, flags=flags), provider="rlpt")


ROOTS = frozenset(roots.SCHEMAS)
