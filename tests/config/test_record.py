from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import yaml

from rlpt.config.record import claim, claim_exactly, recorded_config, recorded_overrides, save
from rlpt.config.resolve import frozen
from rlpt.errors import UserError


def test_runs_that_start_in_the_same_second_get_directories_of_their_own(tmp_path: Path) -> None:
    with ThreadPoolExecutor(16) as pool:
        folders = list(pool.map(lambda _: claim(tmp_path / "runs" / "day" / "12-00-00-default"), range(64)))
    assert len(set(folders)) == 64
    assert all(folder.is_dir() for folder in folders)


def test_a_directory_that_cannot_be_made_is_one_plain_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for attempt in (claim, claim_exactly):
        with pytest.raises(UserError, match=r"cannot be written .*hydra\.run\.dir=PATH"):
            attempt(tmp_path / "file" / "run")


def test_a_directory_that_the_user_names_may_be_there_unless_it_holds_a_run(tmp_path: Path) -> None:
    assert claim_exactly(tmp_path / "mine") == tmp_path / "mine"
    assert claim_exactly(tmp_path / "mine") == tmp_path / "mine"
    assert list((tmp_path / "mine").iterdir()) == []
    save(tmp_path / "mine", frozen({"seed": 0}), [], {})
    with pytest.raises(UserError, match="resume="):
        claim_exactly(tmp_path / "mine")


def test_what_is_saved_is_read_back(tmp_path: Path) -> None:
    overrides = ["name='a \"b\"'", "domain=[arithmetic]", "policy.path='/tmp/ü, x'"]
    save(tmp_path, frozen({"seed": 3, "a": {"b": [1, None]}}), overrides, {})
    assert recorded_config(tmp_path) == {"seed": 3, "a": {"b": [1, None]}}
    assert recorded_overrides(tmp_path) == overrides


def test_a_resumed_run_keeps_what_its_config_was_before(tmp_path: Path) -> None:
    for seed in (0, 0, 1, 2):
        save(tmp_path, frozen({"seed": seed}), [f"seed={seed}"], {})
    assert recorded_config(tmp_path) == {"seed": 2}
    former = sorted(tmp_path.glob("config-before-resume*.yaml"))
    assert sorted(yaml.safe_load(file.read_text())["seed"] for file in former) == [0, 1]


@pytest.mark.parametrize("content", ["", "[1", "- a", "\x00"])
def test_a_damaged_record_is_one_plain_sentence(tmp_path: Path, content: str) -> None:
    (tmp_path / "config.yaml").write_text(content)
    with pytest.raises(UserError):
        recorded_config(tmp_path)


def test_a_folder_that_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="run"):
        recorded_overrides(tmp_path)
