from __future__ import annotations

import json
from pathlib import Path

import pytest

from rlpt.config.machine import Machine, check_cores, check_gpus, check_policy_path, looks_like_path, this_machine
from rlpt.config.resolve import frozen
from rlpt.errors import UserError


def hardware(accelerator: str, devices: int):
    return frozen({"hardware": {"accelerator": accelerator, "devices": devices}})


def policy(path: Path | str, context_length: int = 256):
    return frozen({"policy": {"path": str(path), "context_length": context_length}})


def test_this_machine_has_a_core() -> None:
    assert this_machine().cores >= 1


def test_more_cpu_ranks_than_cores() -> None:
    check_cores(hardware("cpu", 2), Machine(cores=2, gpus=0))
    check_cores(hardware("gpu", 8), Machine(cores=2, gpus=8))
    with pytest.raises(UserError, match=r"hardware\.devices=2 or less"):
        check_cores(hardware("cpu", 3), Machine(cores=2, gpus=0))


def test_more_gpu_ranks_than_gpus() -> None:
    check_gpus(hardware("gpu", 8), Machine(cores=2, gpus=8))
    check_gpus(hardware("cpu", 8), Machine(cores=2, gpus=0))
    with pytest.raises(UserError, match=r"write hardware\.devices=4"):
        check_gpus(hardware("gpu", 8), Machine(cores=2, gpus=4))
    with pytest.raises(UserError, match="write hardware=cpu"):
        check_gpus(hardware("gpu", 1), Machine(cores=2, gpus=0))


@pytest.mark.parametrize("path", ["./no-such-model", "/no/such/model", "~/no-such-model", "a/b/c", "no-such-model/"])
def test_a_policy_folder_that_is_not_there(path: str) -> None:
    assert looks_like_path(path)
    with pytest.raises(UserError, match="does not exist"):
        check_policy_path(policy(path))


@pytest.mark.parametrize("name", ["gpt2", "owner/model-1.5"])
def test_the_name_of_a_model_is_no_folder(name: str) -> None:
    assert not looks_like_path(name)
    check_policy_path(policy(name))


@pytest.mark.parametrize("inside", [".", "policy"])
def test_a_context_longer_than_the_models(tmp_path: Path, inside: str) -> None:
    (tmp_path / inside).mkdir(exist_ok=True)
    (tmp_path / inside / "config.json").write_text(json.dumps({"max_position_embeddings": 256}))
    check_policy_path(policy(tmp_path, 256))
    with pytest.raises(UserError, match=r"write policy\.context_length=256"):
        check_policy_path(policy(tmp_path, 257))


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"max_position_embeddings": "many"}'])
def test_a_damaged_model_config_is_left_to_the_loader(tmp_path: Path, content: str) -> None:
    (tmp_path / "config.json").write_text(content)
    check_policy_path(policy(tmp_path))
