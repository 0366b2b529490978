"""`rlpt eval run=RUN@12` and `policy=RUN@12`: what is taken from the run, and what from the command line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from omegaconf import OmegaConf

from rlpt.commands.launch import launch_sweep, request
from rlpt.config.composer import Composer, composer
from rlpt.config.preflight import compose_checked, compose_config
from rlpt.config.resolve import as_dict, rebase_dict, resolved
from rlpt.errors import UserError
from rlpt.run_dir import split_step


@pytest.fixture(scope="module")
def session() -> Iterator[Composer]:
    with composer("eval") as session:
        yield session


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a run of two domains recorded, one of them with another verifier than it has by default."""
    folder = tmp_path_factory.mktemp("a=b") / "run"
    folder.mkdir()
    own = ["policy=tiny", "policy.context_length=200", "domain=[arithmetic,instructions]", "sampler.temperature=0.7"]
    own += ["verifier@domain.arithmetic.verifier=exact", "domain.arithmetic.max_new_tokens=17"]
    own += ["evaluation.tasks_per_domain=9"]
    (folder / "config.yaml").write_text(OmegaConf.to_yaml(compose_config("train", own)))
    return folder


@pytest.fixture
def effective(session: Composer) -> Callable[..., dict[str, Any]]:
    """The config that the overrides come to."""

    def compose(*overrides: str) -> dict[str, Any]:
        asked = request(session, overrides)
        now = as_dict(resolved(compose_checked(session, asked.overrides)))
        if asked.recorded is None or asked.started_with is None:
            return now
        return rebase_dict(asked.recorded, asked.started_with, now)

    return compose


def test_a_run_brings_domains_verifiers_sampling_and_suite(effective: Callable[..., Any], run: Path):
    cfg = effective(f"run='{run}@12'")
    assert cfg["policy"]["source"] == {
        "_target_": "rlpt.training.step_policy.folder",
        "path": str(run),
        "step": 12,
    }
    assert (cfg["policy"]["context_length"], cfg["policy"]["dtype"]) == (200, "float32")
    assert list(cfg["domain"]) == ["arithmetic", "instructions"]
    assert cfg["domain"]["arithmetic"]["verifier"]["_target_"].endswith("ExactVerifier")
    assert cfg["domain"]["arithmetic"]["max_new_tokens"] == 17
    assert (cfg["sampler"]["temperature"], cfg["evaluation"]["tasks_per_domain"]) == (0.7, 9)
    assert "algorithm" not in cfg
    assert cfg["tracker"] == compose_tracker()


def compose_tracker() -> Any:
    return as_dict(compose_config("eval"))["tracker"]


def test_overrides_come_on_top(effective: Callable[..., Any], run: Path):
    cfg = effective(f"run='{run}'", "domain=[arithmetic]", "evaluation=greedy", "domain.arithmetic.max_new_tokens=21")
    assert cfg["policy"]["step"] == "last"
    assert list(cfg["domain"]) == ["arithmetic"]
    assert cfg["domain"]["arithmetic"]["max_new_tokens"] == 21
    assert cfg["domain"]["arithmetic"]["verifier"]["_target_"].endswith("ExactVerifier")
    assert (cfg["evaluation"]["suite"], cfg["evaluation"]["samples_per_task"]) == ("greedy", 1)
    assert cfg["evaluation"]["tasks_per_domain"] == 9


def test_the_policy_of_a_step_alone(effective: Callable[..., Any], run: Path):
    for step in ("0", "12", "last"):
        cfg = effective(f"policy='{run}@{step}'", "domain=[python_functions]")
        assert str(cfg["policy"]["step"]) == step
        assert cfg["policy"]["context_length"] == 200
        assert cfg["sampler"]["temperature"] == 1.0
        assert list(cfg["domain"]) == ["python_functions"]


def test_what_cannot_be(session: Composer, run: Path, tmp_path: Path):
    with pytest.raises(UserError, match="no run at"):
        request(session, [f"run={tmp_path / 'nowhere'}@3"])
    with pytest.raises(UserError, match="run= evaluates one run"):
        launch_sweep(session, [f"run='{run}@3'", "evaluation.seed=1,2"])


def test_names_with_a_step(tmp_path: Path):
    (tmp_path / "odd@3").mkdir()
    assert split_step("runs/a@3") == (Path("runs/a"), "3")
    assert split_step("a@b@last") == (Path("a@b"), "last")
    for name in ("runs/a", "owner/model@main", str(tmp_path / "odd@3")):
        assert split_step(name) == (Path(name), None)
