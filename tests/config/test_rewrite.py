from __future__ import annotations

import json
from pathlib import Path

import pytest

from rlpt.config.composer import Composer
from rlpt.config.preflight import compose_checked
from rlpt.config.record import save
from rlpt.config.resolve import frozen, resolved
from rlpt.config.rewrite import quoted, resume_target, resumed, with_config_dir, written_out
from rlpt.errors import UserError


def test_a_policy_given_by_its_folder(train: Composer, tmp_path: Path) -> None:
    folder = tmp_path / "it's a (model), really"
    folder.mkdir()
    for text in (f"policy={tmp_path}", f"policy={quoted(str(folder))}"):
        cfg = resolved(compose_checked(train, written_out(train, [text])))
        assert cfg.policy.source._target_ == "rlpt.policy.hf.folder"
        assert Path(cfg.policy.path).is_dir()
    assert written_out(train, ["policy=owner/model"]) == ["policy=hf", "policy.path='owner/model'"]


def test_an_option_and_a_typing_error_are_no_folders(train: Composer) -> None:
    for text in ("policy=tiny", "policy=smolm2", "policy=tiny,hf", "policy="):
        assert written_out(train, [text]) == [text]


def test_a_run_brings_along_how_its_policy_was_trained(train: Composer, tmp_path: Path) -> None:
    save(tmp_path, frozen({"policy": {"name": "x", "dtype": "float32", "context_length": 256}}), [], {})
    (tmp_path / "policy").mkdir()
    (tmp_path / "policy" / "config.json").write_text(json.dumps({"max_position_embeddings": 256}))
    cfg = resolved(compose_checked(train, written_out(train, [f"policy={tmp_path}"])))
    assert (cfg.policy.dtype, cfg.policy.context_length) == ("float32", 256)
    overridden = written_out(train, [f"policy={tmp_path}", "policy.context_length=128"])
    assert resolved(compose_checked(train, overridden)).policy.context_length == 128


def test_a_plus_before_experiment_changes_nothing(train: Composer) -> None:
    assert written_out(train, ["+experiment=quick", "+sweep=x"]) == ["experiment=quick", "+sweep=x"]


def test_the_folder_of_the_flag_joins_those_of_the_override(tmp_path: Path) -> None:
    assert with_config_dir(["seed=1"], None) == ["seed=1"]
    assert with_config_dir(["seed=1"], str(tmp_path)) == [f"hydra.searchpath=['file://{tmp_path}']", "seed=1"]
    both = with_config_dir(["hydra.searchpath=[file:///a]", "seed=1"], str(tmp_path))
    assert both == [f"hydra.searchpath=[file:///a,'file://{tmp_path}']", "seed=1"]
    with pytest.raises(UserError, match="no folder"):
        with_config_dir([], str(tmp_path / "nowhere"))


def test_what_resume_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert resume_target(["seed=1"]) is None
    assert resume_target(["resume=null"]) is None
    assert resume_target(["resume=runs/a"]) == tmp_path / "runs" / "a"
    assert resume_target([f"resume={quoted('/a b')}"]) == Path("/a b")


def test_new_overrides_come_behind_those_of_the_run(tmp_path: Path) -> None:
    save(tmp_path, frozen({"seed": 1}), ["seed=1", "algorithm=rloo", "resume='/old/place'"], {})
    before, now = resumed(tmp_path, [f"resume={tmp_path}", "seed=2"])
    assert before == ["seed=1", "algorithm=rloo"]
    assert now == ["seed=1", "algorithm=rloo", "seed=2", f"resume='{tmp_path}'"]
