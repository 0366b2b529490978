"""The comparison with TRL, as far as it runs without TRL: rlpt's side, and that a planted difference is found."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
import torch
from safetensors.torch import save_file

from rlpt.records import Group


@pytest.fixture
def trl_gradients(root: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(root / "benchmarks"))
    return importlib.import_module("trl_gradients")


@pytest.fixture
def batch(trl_gradients: ModuleType, tmp_path: Path) -> tuple[Path, list[Group]]:
    trl_gradients.save_model(tmp_path / "model", 0)
    return tmp_path / "model", trl_gradients.make_groups(tmp_path / "model", 0)


def echo(trl_gradients: ModuleType, groups: list[Group], wrong: str) -> Callable[..., dict[str, str]]:
    """A peer that answers with rlpt's own gradients, those of the runs named `wrong` a thousandth too long."""

    def run_peer(python: Path, folder: Path, told: dict) -> dict[str, str]:
        cases = {case.name: case for case in trl_gradients.CASES}
        for run in told["runs"]:
            # Whatever is left out of a run, it is the whole case that the peer computes.
            case = cases[run["name"].partition("-")[0]]
            factor = 1.001 if run["name"] == wrong else 1.0
            found = trl_gradients.ours((case, run["updates"]), Path(told["folder"]), groups)
            parts = {
                f"{number}/{name}": value * factor
                for number, update in enumerate(found)
                for name, value in update.gradient.items()
            }
            save_file(parts, folder / f"{run['name']}.safetensors")
        return {"trl": "none"}

    return run_peer


def test_a_planted_difference_is_found(
    trl_gradients: ModuleType,
    batch: tuple[Path, list[Group]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(trl_gradients, "CASES", [case for case in trl_gradients.CASES if case.name == "dapo"])
    monkeypatch.setattr(trl_gradients, "run_peer", echo(trl_gradients, batch[1], wrong="dapo-2"))
    command = ["trl_gradients.py", "--peer-python", sys.executable, "--json", str(tmp_path / "figures.json")]
    monkeypatch.setattr(sys, "argv", command)
    with pytest.raises(SystemExit, match="More than 1e-05 apart: dapo"):
        trl_gradients.main()
    figures = json.loads((tmp_path / "figures.json").read_text())
    assert figures["relative_difference"] == {"dapo": pytest.approx(1e-3, rel=0.01)}
    dapo = figures["methods"]["dapo"]
    assert dapo["one_update"] == 0.0
    assert dapo["clipped_in_second"] > 0.0
    printed = capsys.readouterr().out
    for one in dapo["alignments"]:
        assert (one["without"] > 1e-5) == (one["side"] != "TRL"), one["setting"]
        assert one["setting"] in printed


def test_rlpts_side_has_truncated_clipped_and_equal_samples(
    trl_gradients: ModuleType, batch: tuple[Path, list[Group]]
) -> None:
    model, groups = batch
    lengths = [len(rollout.token_ids) for group in groups for rollout in group.rollouts]
    cut = [rollout.finish_reason == "length" for group in groups for rollout in group.rollouts]
    assert max(lengths) == 40
    assert len(set(lengths)) > 12
    assert 0 < sum(cut) < len(cut) / 2
    for case in trl_gradients.CASES:
        first, second = trl_gradients.gradients(model, groups, trl_gradients.recipe_of(case.all_overrides, 2))
        assert trl_gradients.relative_difference(first.gradient, second.gradient) > 0.1
        assert first.clipped == 0.0 < second.clipped
        counted = sum(lengths) - ("mask_truncated" in case.name) * 40 * sum(cut)
        assert first.tokens + second.tokens == counted


def test_the_difference_is_relative_and_over_all_parameters(trl_gradients: ModuleType) -> None:
    theirs = {"a": torch.tensor([3.0, 0.0]), "b": torch.tensor([[4.0]])}
    ours = {"a": torch.tensor([3.0, 0.3]), "b": torch.tensor([[4.4]])}
    assert trl_gradients.relative_difference(ours, theirs) == pytest.approx(0.1)
    with pytest.raises(ValueError, match="'b'"):
        trl_gradients.relative_difference({"a": ours["a"]}, theirs)


def test_a_peer_without_trl_is_said_plainly(trl_gradients: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"install trl==1\.16\.0"):
        trl_gradients.run_peer(Path(sys.executable), tmp_path, {})
