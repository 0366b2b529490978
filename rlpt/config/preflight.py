"""From a verb and its overrides to a checked config, or to one plain sentence that says why there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from omegaconf import DictConfig, OmegaConf

from rlpt.config import checks
from rlpt.config.closed import unknown_keys
from rlpt.config.composer import Composer, composer
from rlpt.config.explain import COMPOSITION_ERRORS, explain, explain_parsing
from rlpt.config.extras import check_extras
from rlpt.config.keys import in_sentence
from rlpt.config.machine import check_chat_template, check_cores, check_gpus, check_policy_path, this_machine
from rlpt.config.required import check_nodes, check_values
from rlpt.config.resolve import resolved
from rlpt.config.selections import check_selection
from rlpt.config.targets import check_targets
from rlpt.config.tool_parsers import check_parser
from rlpt.config.unknown import unknown_key
from rlpt.errors import UserError

LOCAL_LAUNCHERS = frozenset({"basic", "submitit_local", "joblib"})

RULES: Mapping[str, Sequence[checks.Check]] = {"train": checks.TRAIN, "eval": checks.EVAL, "sft": checks.SFT}


def compose_checked(composer: Composer, overrides: Sequence[str]) -> DictConfig:
    """Compose one config and refuse what its keys alone show to be wrong. Hydra's node is in the result.

    Raises:
        UserError: naming the override or file, and the nearest right thing.
    """
    if sentence := explain_parsing(composer, overrides):
        raise UserError(sentence)
    _check_searchpath(composer)
    for override in composer.parse(overrides):
        if not override.is_sweep_override():
            check_selection(override, composer.groups)
    try:
        cfg = composer.compose(overrides)
    except COMPOSITION_ERRORS as error:
        raise UserError(explain(composer, overrides, error)) from error
    _refuse_unknown(composer, cfg, overrides)
    check_nodes(cfg, composer.groups)
    plain = resolved(cfg)
    if runs_here(cfg):
        check_cores(plain, this_machine())
    check_combinations(composer.verb, plain)
    return cfg


def runs_here(cfg: DictConfig) -> bool:
    """Whether the jobs of a composed config run on the machine that composed it."""
    return str(cfg.hydra.runtime.choices.get("hydra/launcher")) in LOCAL_LAUNCHERS


def check_combinations(verb: str, cfg: DictConfig) -> None:
    """Refuse combinations that cannot work on any machine.

    Raises:
        UserError: naming the fix.
    """
    for check in RULES.get(verb, ()):
        check(cfg)


def check_here(cfg: DictConfig) -> None:
    """Refuse a resolved config that cannot run on this machine.

    Raises:
        UserError: naming the fix.
    """
    machine = this_machine()
    check_cores(cfg, machine)
    check_gpus(cfg, machine)
    check_policy_path(cfg)
    check_chat_template(cfg)
    check_parser(OmegaConf.select(cfg, "policy.tool_parser"))
    check_targets(cfg)
    check_extras(cfg)


def compose_config(verb: str, overrides: Sequence[str] = ()) -> DictConfig:
    """Return the config that `rlpt VERB OVERRIDES` would run with: resolved, checked and read-only.

    For tests and notebooks; the commands do the same.

    Raises:
        UserError: as the command would print it.
    """
    with composer(verb, overrides) as session:
        cfg = compose_checked(session, overrides)
    check_values(cfg)
    return resolved(cfg)


def _check_searchpath(composer: Composer) -> None:
    for override in composer.parse(composer.searchpath):
        for place in override.value() or ():  # type: ignore[union-attr]
            folder = str(place).removeprefix("file://")
            if "://" not in folder and not Path(folder).is_dir():
                raise UserError(f"hydra.searchpath names {folder}, which is no folder; name the one with your groups.")


def _refuse_unknown(composer: Composer, cfg: DictConfig, overrides: Sequence[str]) -> None:
    unknown = list(unknown_keys(cfg))
    if any("." not in key for key in unknown):
        # A root key may also be the node of a user's own group; finding that out costs a second look at the files.
        unknown = list(unknown_keys(cfg, composer.packages(overrides)))
    if not unknown:
        return
    key = unknown[0]
    known = composer.compose(composer.searchpath)
    given = next((text for text in overrides if text.lstrip("+").partition("=")[0] == key), None)
    sentence = unknown_key(composer, known, key)
    raise UserError(sentence if given is None else in_sentence(given, sentence))
