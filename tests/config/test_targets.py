from __future__ import annotations

import sys
from pathlib import Path

import pytest

from rlpt.config.preflight import compose_config
from rlpt.config.resolve import frozen
from rlpt.config.targets import check_targets, problem_with, targets
from rlpt.errors import UserError


@pytest.mark.parametrize(
    "target",
    [
        "rlpt.algorithms.losses.clipped_ratio",
        "rlpt.samplers.vllm.VLLMSampler",
        "rlpt.samplers.vllm.VLLMSampler.sample",
        "pathlib.Path",
        "torch.nn.Linear",
        "math.sqrt",
    ],
)
def test_what_exists(target: str) -> None:
    assert problem_with(target) is None


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("rlpt.algorithms.losses.clipped_rato", "did you mean rlpt.algorithms.losses.clipped_ratio?"),
        ("rlpt.algorithms.loses.clipped_ratio", "did you mean rlpt.algorithms.losses?"),
        ("rlpt.algorithms.losses", "name something in it"),
        ("no_such_module_here.Thing", "no module 'no_such_module_here'"),
        ("Thing", "module.name"),
        ("rlpt..losses", "module.name"),
        ("", "module.name"),
    ],
)
def test_what_does_not(target: str, expected: str) -> None:
    assert expected in str(problem_with(target))


def test_looking_does_not_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_targets.py").write_text("raise SystemExit\ndef fine(): ...\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert problem_with("own_targets.fine") is None
    assert "did you mean own_targets.fine?" in str(problem_with("own_targets.fin"))
    assert "own_targets" not in sys.modules


def test_a_module_that_makes_its_names_when_asked_is_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_lazy.py").write_text("def __getattr__(name): ...\n")
    (tmp_path / "own_star.py").write_text("from os.path import *\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert problem_with("own_lazy.anything") is None
    assert problem_with("own_star.join") is None


@pytest.mark.parametrize("verb", ["train", "eval", "sft"])
def test_every_target_of_the_default_config_exists(verb: str) -> None:
    cfg = compose_config(verb)
    assert list(targets(cfg))
    check_targets(cfg)


def test_the_key_is_named() -> None:
    with pytest.raises(UserError, match=r"a\.b\._target_=rlpt\.nothing\.x"):
        check_targets(frozen({"a": {"b": {"_target_": "rlpt.nothing.x"}}}))
