"""Groups, options and nodes that a user keeps outside the package."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from rlpt.config.preflight import compose_config
from rlpt.errors import UserError

Compose = Callable[..., object]


@pytest.fixture
def own(tmp_path: Path) -> Callable[[str, str], None]:
    def write(name: str, text: str) -> None:
        file = tmp_path / "own" / f"{name}.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    return write


@pytest.fixture
def compose(tmp_path: Path) -> Compose:
    def run(*overrides: str):
        return compose_config("train", [f"hydra.searchpath=[file://{tmp_path}/own]", *overrides])

    return run


def refused(compose: Compose, *overrides: str) -> str:
    with pytest.raises(UserError) as caught:
        compose(*overrides)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_sampler_with_keys_of_its_own(own, compose) -> None:
    own("sampler/mine", "_target_: my.Sampler\nbeams: 4\n")
    cfg = compose("sampler=mine", "sampler.beams=5")
    assert cfg.sampler == {"_target_": "my.Sampler", "beams": 5}
    assert "did you mean 'sampler.beams'" in refused(compose, "sampler=mine", "sampler.beam=5")


def test_a_domain_with_a_verifier_of_its_own(own, compose) -> None:
    own("verifier/mine", "_target_: my.Verifier\n")
    own(
        "domain/chess",
        "# @package domain.chess\ndefaults: [/verifier@verifier: mine, _self_]\n_target_: my.Chess\n",
    )
    cfg = compose("domain=[arithmetic,chess]")
    assert set(cfg.domain) == {"arithmetic", "chess"}
    assert cfg.domain.chess.verifier == {"_target_": "my.Verifier"}
    swapped = compose("domain=[chess]", "verifier@domain.chess.verifier=exact")
    assert swapped.domain.chess.verifier._target_ != "my.Verifier"
    assert "did you mean chess?" in refused(compose, "domain=[chesss]")


def test_an_algorithm_that_starts_from_one_of_rlpts(own, compose) -> None:
    own("algorithm/mine", "defaults:\n  - grpo\n  - override loss: reinforce\n  - _self_\ngroup_size: 4\n")
    cfg = compose("algorithm=mine")
    assert cfg.algorithm.group_size == 4
    assert cfg.algorithm.loss._target_ == "rlpt.algorithms.losses.reinforce"


def test_a_mistyped_key_in_a_file_is_named_with_the_file(own, compose) -> None:
    own("algorithm/mine", "defaults: [grpo, _self_]\ngroup_sise: 4\n")
    said = refused(compose, "algorithm=mine")
    assert "algorithm=mine" in said
    assert "did you mean 'algorithm.group_size'" in said


def test_a_wrong_type_in_a_file_is_named_with_the_file(own, compose) -> None:
    own("algorithm/mine", "defaults: [grpo, _self_]\ngroup_size: four\n")
    said = refused(compose, "algorithm=mine")
    assert "algorithm=mine" in said
    assert "a whole number" in said


def test_a_node_without_a_schema_still_needs_the_keys_that_rlpt_reads(own, compose) -> None:
    own("budget/mine", "steps: 3\nown: 1\n")
    assert "budget.wall_s" in refused(compose, "budget=mine")
    own("budget/mine", "steps: 3\nwall_s: null\ntokens: null\nown: 1\n")
    assert compose("budget=mine", "budget.own=2").budget == {"steps": 3, "wall_s": None, "tokens": None, "own": 2}
    assert "a whole number" in refused(compose, "budget=mine", "budget.steps=many")


def test_a_node_that_is_built_needs_a_target(own, compose) -> None:
    own("tracker/mine", "project: x\n")
    assert "_target_" in refused(compose, "tracker=mine")


def test_an_experiment_sets_keys_all_over_the_config(own, compose) -> None:
    own("experiment/mine", "# @package _global_\ndefaults:\n  - override /algorithm: rloo\n  - _self_\nseed: 5\n")
    for spelling in ("experiment=mine", "+experiment=mine"):
        cfg = compose(spelling) if spelling[0] != "+" else compose(spelling[1:])
        assert cfg.seed == 5
        assert cfg.algorithm.advantage._target_.endswith("leave_one_out")
    own("experiment/typo", "# @package _global_\nsede: 5\n")
    assert "did you mean 'seed'" in refused(compose, "experiment=typo")


def test_a_group_of_a_users_own(own, compose) -> None:
    own("team/a", "budget_code: x1\n")
    cfg = compose("+team=a", "team.budget_code=x2")
    assert cfg.team == {"budget_code": "x2"}
    assert "no key 'typo'" in refused(compose, "+team=a", "++typo=1")


def test_a_file_that_is_no_yaml_is_one_plain_sentence(own, compose) -> None:
    own("sampler/mine", "_target_: [\n")
    assert "sampler=mine" in refused(compose, "sampler=mine")


def test_a_folder_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="nowhere, which is no folder"):
        compose_config("train", [f"hydra.searchpath=[file://{tmp_path}/nowhere]", "sampler=mine"])
