"""Keys that rlpt reads from a node which a user's own file filled without naming a schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass

from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from rlpt.config.keys import children, wrong_value
from rlpt.config.nearest import nearest
from rlpt.config.resolve import resolved
from rlpt.config.schemas.algorithm import Algorithm
from rlpt.config.schemas.budget import Budget
from rlpt.config.schemas.evaluation import Evaluation
from rlpt.config.schemas.hardware import Hardware
from rlpt.config.schemas.policy import Policy
from rlpt.config.schemas.serving import Serving
from rlpt.errors import UserError

READ_BY_RLPT: dict[str, tuple[str, type]] = {
    "policy": ("policy_schema", Policy),
    "algorithm": ("algorithm_schema", Algorithm),
    "hardware": ("hardware_schema", Hardware),
    "evaluation": ("evaluation_schema", Evaluation),
    "budget": ("budget_schema", Budget),
    "serving": ("serving_schema", Serving),
}
"""Groups whose keys rlpt itself reads. The others are built from their `_target_` and take what that takes."""

OPTIONAL = frozenset({"policy.tool_parser", "policy.chat_template"})
"""Keys that are null where such a file does not have them."""

BUILT = ("sampler", "tracker", "sandbox", "mixture")


def check_values(cfg: DictConfig) -> None:
    """Refuse a composed config, not resolved, in which a key still waits for its value.

    Raises:
        UserError: naming the first such key.
    """
    missing = next((key for key in _missing(cfg) if not key.startswith("hydra.")), None)
    if missing == "policy.path":
        raise UserError("policy=hf needs a model; add policy.path=PATH with a model folder, a run or a model's name.")
    if missing is not None and "." not in missing:
        raise UserError(f"The config has no {missing}; choose one with {missing}=OPTION.")
    if missing is not None:
        raise UserError(f"{missing} has no value; give one with {missing}=VALUE.")


def check_nodes(cfg: DictConfig, groups: Mapping[str, Sequence[str]]) -> None:
    """Refuse nodes that lack a key, or hold one of the wrong type. Keys of a user's own beside them are welcome.

    Args:
        cfg: a composed config, not resolved.
        groups: the options of each group.

    Raises:
        UserError: naming the first such key.
    """
    plain = resolved(cfg)
    for group, (name, schema) in READ_BY_RLPT.items():
        if isinstance(plain.get(group), DictConfig) and not _has_schema(cfg[group]):
            _check_node(plain[group], group, name, schema)
    _check_places(cfg, groups)
    nodes = {group: cfg.get(group) for group in BUILT if group in cfg and not OmegaConf.is_missing(cfg, group)}
    for several in ("domain", "tool"):
        members = cfg.get(several) if not OmegaConf.is_missing(cfg, several) else None
        if isinstance(members, DictConfig):
            nodes |= {f"{several}.{name!s}": members[name] for name in members}
    for key, node in nodes.items():
        if isinstance(node, DictConfig) and "_target_" not in node:
            raise UserError(f"{key} has no _target_; its config file must name the class or function to build.")


def _check_places(cfg: DictConfig, groups: Mapping[str, Sequence[str]]) -> None:
    """A node that comes from a group must still be one: `domain.a.verifier=exact` would put a word in its place."""
    for place, choice in cfg.hydra.runtime.choices.items():
        group, _, path = str(place).partition("@")
        node = OmegaConf.select(cfg, path) if path and choice is not None else None
        if node is not None and not isinstance(node, DictConfig):
            option = (nearest(str(node), groups.get(group, ())) or [choice])[0]
            raise UserError(f"{path}={node}: this is chosen from the group '{group}'; write {place}={option}.")


def _check_node(node: DictConfig, group: str, name: str, schema: type) -> None:
    typed = OmegaConf.structured(schema)
    for field in fields(schema):
        if field.name not in node and f"{group}.{field.name}" in OPTIONAL:
            continue
        if field.name not in node:
            raise UserError(
                f"The chosen {group} sets no {group}.{field.name}; add the key to its file, "
                f"or start the file's defaults list with /{name}@_here_."
            )
        try:
            OmegaConf.update(typed, field.name, node[field.name], merge=True)
        except OmegaConfBaseException as error:
            key = str(error.full_key or field.name)
            known = OmegaConf.create({group: OmegaConf.structured(schema)})
            sentence = wrong_value(known, f"{group}.{key}", OmegaConf.select(node, key))
            raise UserError(sentence or f"{group}.{key}: {error.msg}.") from error


def _missing(node: DictConfig, prefix: str = "") -> Iterator[str]:
    yield from (f"{prefix}{key!s}" for key in node if OmegaConf.is_missing(node, key))
    for key, child in children(node):
        yield from _missing(child, f"{prefix}{key}.")


def _has_schema(node: DictConfig) -> bool:
    schema = OmegaConf.get_type(node)
    return schema is not None and is_dataclass(schema)
