from __future__ import annotations

import pytest
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from rlpt.config.preflight import compose_config
from rlpt.config.resolve import as_dict, rebase_dict, resolved
from rlpt.errors import UserError


def test_the_config_that_everything_reads_is_plain() -> None:
    cfg = compose_config("train")
    assert cfg.policy.dtype == "auto"
    assert cfg.sampler.dtype == "auto"
    assert cfg.sampler.context_length == cfg.policy.context_length
    assert "hydra" not in cfg
    assert OmegaConf.is_readonly(cfg)
    with pytest.raises(OmegaConfBaseException):
        _ = cfg.algorithm.no_such_key
    assert OmegaConf.create(OmegaConf.to_yaml(cfg)) == cfg


def test_a_reference_to_nothing_is_the_users_error() -> None:
    with pytest.raises(UserError, match="nowhere"):
        resolved(OmegaConf.create({"a": {"b": "${nowhere.c}"}}))


def test_a_reference_to_a_key_without_value_has_none_either() -> None:
    assert as_dict(resolved(OmegaConf.create({"a": "???", "b": {"c": "${a}"}}))) == {"a": "???", "b": {"c": "???"}}


def test_resolving_leaves_the_composed_config_as_it_was() -> None:
    cfg = OmegaConf.create({"a": 1, "b": "${a}"})
    resolved(cfg)
    assert OmegaConf.is_interpolation(cfg, "b")


RECORDED = {"seed": 0, "optimizer": {"lr": 1, "eps": 9}, "loss": {"_target_": "a", "clip": 2}}


def test_a_resumed_run_keeps_its_config_when_defaults_change() -> None:
    now = {"seed": 0, "optimizer": {"lr": 5, "eps": 9}, "loss": {"_target_": "a", "clip": 3}}
    assert rebase_dict(RECORDED, now, now) == RECORDED


def test_a_resumed_run_takes_the_new_overrides_and_nothing_else() -> None:
    before = {"seed": 0, "optimizer": {"lr": 5, "eps": 9}, "loss": {"_target_": "a", "clip": 3}}
    after = {"seed": 7, "optimizer": {"lr": 6, "eps": 9}, "loss": {"_target_": "b"}}
    assert rebase_dict(RECORDED, before, after) == {
        "seed": 7,
        "optimizer": {"lr": 6, "eps": 9},
        "loss": {"_target_": "b"},
    }


def test_a_key_that_rlpt_has_got_since_is_there_after_a_resume() -> None:
    now = {**RECORDED, "new": {"x": 1}}
    assert rebase_dict(RECORDED, now, now) == now
