"""Hydra on rlpt's config groups: one object through which everything here composes and looks up groups."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, product
from typing import TYPE_CHECKING

import hydra as hydra_package
from hydra import compose, initialize_config_dir
from hydra._internal.config_repository import ConfigRepository
from hydra.core.global_hydra import GlobalHydra
from hydra.core.object_type import ObjectType
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import IntervalSweep, Override
from hydra.types import RunMode
from omegaconf import DictConfig

from rlpt.config.paths import conf_dir
from rlpt.config.schemas import register

if TYPE_CHECKING:
    from hydra._internal.hydra import Hydra
    from hydra.core.config_loader import ConfigLoader

# Hydra 1.3 warns when version_base is left out, Hydra 1.4 when it is given.
VERSION_BASE = {"version_base": "1.3"} if hydra_package.__version__.startswith("1.3") else {}

MOST_COMBINATIONS = 64


@dataclass(frozen=True)
class Composer:
    """Composes the config of one verb. Alive within `composer(...)` only.

    `root` is the root config, the verb's own unless the user named another. `searchpath` holds the
    `hydra.searchpath=[...]` override of a user's own groups, or nothing.
    """

    verb: str
    root: str
    hydra: Hydra
    searchpath: tuple[str, ...] = ()

    def compose(self, overrides: Sequence[str] = ()) -> DictConfig:
        """Return the composed config with Hydra's own node `hydra` in it, neither resolved nor checked."""
        return compose(self.root, list(overrides), return_hydra_config=True)

    def parse(self, overrides: Sequence[str]) -> list[Override]:
        """Parse command-line overrides.

        Raises:
            hydra.errors.OverrideParseException: where one does not follow Hydra's grammar.
        """
        return OverridesParser.create(config_loader=self._loader).parse_overrides(list(overrides))

    @cached_property
    def groups(self) -> dict[str, list[str]]:
        """Every group, Hydra's and users' own included, with its options: `{"algorithm/loss": [...], ...}`."""
        found: dict[str, list[str]] = {}
        pending = self._members("", ObjectType.GROUP)
        while pending:
            group = pending.pop()
            if options := self._members(group, ObjectType.CONFIG):
                found[group] = options
            pending += [f"{group}/{child}" for child in self._members(group, ObjectType.GROUP)]
        return dict(sorted(found.items()))

    def file(self, group: str, option: str) -> DictConfig | None:
        """Return what the file of an option holds, without the files that it includes; None where it holds no keys."""
        found = self._catalog.load_config(f"{group}/{option}")
        return found.config if found is not None and isinstance(found.config, DictConfig) else None

    def packages(self, overrides: Sequence[str]) -> set[str]:
        """Return the root nodes that the files of this composition fill, users' own groups included."""
        defaults = self._loader.compute_defaults_list(self.root, list(overrides), RunMode.RUN).defaults
        return {default.package.split(".")[0] for default in defaults if default.package}

    def combinations(self, overrides: Sequence[str]) -> list[list[str]]:
        """Return the override lists of a sweep's jobs: all of them, or of a large sweep each value once.

        A range without steps, for sweepers that search, is represented by its start.
        """
        choices = [_values(override) for override in self.parse(overrides)]
        every = list(islice(product(*choices), MOST_COMBINATIONS + 1))
        if len(every) <= MOST_COMBINATIONS:
            return [list(one) for one in every]
        first = [values[0] for values in choices]
        others = [[*first[:i], value, *first[i + 1 :]] for i, values in enumerate(choices) for value in values[1:]]
        return [first, *others]

    @property
    def _loader(self) -> ConfigLoader:
        return self.hydra.config_loader

    def _members(self, group: str, kind: ObjectType) -> list[str]:
        return self._catalog.get_group_options(group, kind)

    @cached_property
    def _catalog(self) -> ConfigRepository:
        # The loader's own get_group_options reads the root config anew at each call, which takes a second in all.
        path = copy.deepcopy(self._loader.get_search_path())
        for override in self.parse(self.searchpath):
            for folder in override.value() or ():  # type: ignore[union-attr]
                path.append("command-line", str(folder))
        return ConfigRepository(path)


@contextmanager
def composer(verb: str, overrides: Sequence[str] = (), root: str | None = None) -> Iterator[Composer]:
    """Initialise Hydra for `verb`; of `overrides` only `hydra.searchpath=` matters here."""
    register()
    searchpath = tuple(text for text in overrides if text.lstrip("+").startswith("hydra.searchpath="))
    # Hydra is one for a process; a composer inside another one, as in a notebook, puts the outer one back.
    outer = GlobalHydra.instance().hydra
    GlobalHydra.instance().clear()
    try:
        with initialize_config_dir(str(conf_dir()), job_name=verb, **VERSION_BASE):
            hydra = GlobalHydra.instance().hydra
            assert hydra is not None
            yield Composer(verb, root or verb, hydra, searchpath)
    finally:
        GlobalHydra.instance().hydra = outer


def _values(override: Override) -> list[str]:
    text = override.input_line or ""
    if not override.is_sweep_override():
        return [text]
    key = override.get_key_element()
    value = override.value()
    if isinstance(value, IntervalSweep):
        return [f"{key}={value.start}"]
    return [f"{key}={value}" for value in override.sweep_string_iterator()]
