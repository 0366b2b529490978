"""Every key of a schema stands in the YAML, and the reverse."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, get_type_hints

import pytest
import yaml

from rlpt.config.composer import Composer, composer
from rlpt.config.paths import conf_dir
from rlpt.config.schemas import schemas
from rlpt.config.selections import SEVERAL

OF_HYDRA = "hydra"


def group_files() -> list[Path]:
    files = sorted(conf_dir().rglob("*.yaml"))
    return [file for file in files if OF_HYDRA not in file.relative_to(conf_dir()).parts]


def named_schemas(file: Path) -> list[str]:
    """The schemas in a file's defaults list, such as `/hardware_schema@_here_`."""
    entries = (yaml.safe_load(file.read_text()) or {}).get("defaults", [])
    names = [entry.partition("@")[0].lstrip("/") for entry in entries if isinstance(entry, str)]
    return [name for name in names if name.endswith("_schema")]


def keys_set(file: Path) -> set[str]:
    """The keys that a file gives values to: its own, those of groups it includes and of files it starts from."""
    content = yaml.safe_load(file.read_text()) or {}
    keys = set(content) - {"defaults", OF_HYDRA}
    for entry in content.get("defaults", []):
        if isinstance(entry, dict):
            keys |= included(file, entry)
        elif entry not in ("_self_",) and not entry.partition("@")[0].endswith("_schema"):
            keys |= keys_set(file.with_name(f"{entry}.yaml"))
    return keys


def included(file: Path, entry: dict[str, Any]) -> set[str]:
    group, option = next(iter(entry.items()))
    words = group.split()
    if words[0] == "override":
        return set()
    name, _, package = words[-1].partition("@")
    if package:
        return {package.split(".")[0]}
    # A file may place its keys above its own folder; the advantages do so to bring min_group_size along.
    options = option if isinstance(option, list) else [option]
    files = [file.parent / name / f"{one}.yaml" for one in options]
    if any("@package algorithm\n" in one.read_text() for one in files if one.exists()):
        return set().union(*(keys_set(one) for one in files))
    return {name.split("/")[-1]}


FILES_WITH_SCHEMA = [file for file in group_files() if named_schemas(file)]


@pytest.mark.parametrize("file", FILES_WITH_SCHEMA, ids=lambda file: str(file.relative_to(conf_dir())))
def test_a_file_and_its_schema_have_the_same_keys(file: Path) -> None:
    known = {field.name for name in named_schemas(file) for field in fields(schemas()[name])}
    optional = {"experiment"}  # a group without a node of its own
    assert keys_set(file) - optional == known


def test_nested_nodes_of_a_root_have_the_same_keys_as_their_schemas(train: Composer) -> None:
    cfg = train.compose()
    for field in fields(schemas()["train_schema"]):
        schema = get_type_hints(schemas()["train_schema"])[field.name]
        if is_dataclass(schema):
            assert set(cfg[field.name]) == {inner.name for inner in fields(schema)}


def test_every_schema_is_named_by_some_file() -> None:
    named = [schemas()[name] for file in group_files() for name in named_schemas(file)]
    for name, schema in schemas().items():
        # Or extended by one that is: `policy_schema` is for the files of users.
        assert any(issubclass(other, schema) for other in named), name


def test_values_stand_in_the_yaml_alone(train: Composer) -> None:
    from dataclasses import MISSING as NO_DEFAULT

    from omegaconf import MISSING

    for schema in schemas().values():
        for field in fields(schema):
            assert field.default == MISSING, f"{schema.__name__}.{field.name} has a value outside the YAML"
            assert field.default_factory is NO_DEFAULT


@pytest.mark.parametrize("file", group_files(), ids=lambda file: str(file.relative_to(conf_dir())))
def test_a_file_says_what_it_is_for(file: Path) -> None:
    comments = [line for line in file.read_text().splitlines() if line.startswith("#")]
    assert any(not line.startswith("# @package") for line in comments)


def options() -> list[tuple[str, str]]:
    with composer("train") as session:
        return [
            (group, option)
            for group, names in session.groups.items()
            for option in names
            if group.split("/")[0] not in (OF_HYDRA, "verifier", "sweep")
        ]


@pytest.mark.parametrize(("group", "option"), options())
def test_every_option_composes(train: Composer, group: str, option: str) -> None:
    value = f"[{option}]" if group in SEVERAL else option
    cfg = train.compose([f"{group}={value}"])
    assert cfg.seed == 0
