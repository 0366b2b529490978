"""The policy of a step of a run, from the checkpoint that two sharded ranks wrote, read by one process."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from omegaconf import OmegaConf
from safetensors.torch import load_file

from rlpt.config.preflight import compose_config
from rlpt.errors import UserError
from rlpt.policy.tiny import write_fresh_model
from rlpt.run_dir import RunDir
from rlpt.training import step_policy

RANK = """
import sys, torch
from pathlib import Path
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from rlpt.policy.network import load_network
from rlpt.policy.sharding import shard
from rlpt.run_dir import RunDir
from rlpt.training import checkpoint

rank, folder = int(sys.argv[1]), Path(sys.argv[2])
dist.init_process_group("gloo", init_method=f"file://{folder}/meeting", rank=rank, world_size=2)
network = load_network(folder / "model", "float32", 1.0, 64)
shard(network, init_device_mesh("cpu", (2,)))
optimizer = torch.optim.AdamW(network.parameters())
for step in (3, 4):
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.add_(1.0)
    checkpoint.save(RunDir(folder / "run"), step, network, optimizer, {}, keep=2, good_step=None, companions={})
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunDir:
    """A run with checkpoints of steps 3 and 4; each step has added 1 to every weight since step 2."""
    folder = tmp_path_factory.mktemp("sharded")
    write_fresh_model(["1 + 1 = 2"], folder / "model", seed=0)
    own = ["policy=hf", f"policy.path={folder / 'model'}", "policy.dtype=float32", "domain=[arithmetic]"]
    run = RunDir(folder / "run")
    run.root.mkdir()
    run.config.write_text(OmegaConf.to_yaml(compose_config("train", own)))
    ranks = [subprocess.Popen([sys.executable, "-c", RANK, str(rank), str(folder)]) for rank in range(2)]
    try:
        assert [rank.wait(timeout=240) for rank in ranks] == [0, 0]
    finally:
        for rank in ranks:
            rank.kill()
            rank.wait()
    return run


@pytest.fixture
def folder_of(run: RunDir, tmp_path: Path) -> Callable[[int | str], Path]:
    return lambda step: step_policy.folder(str(run.root), step, tmp_path / "cache", {}, {})


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return load_file(folder / "model.safetensors")


@pytest.mark.parametrize(("step", "added"), [(3, 1.0), (4, 2.0), ("last", 2.0)])
def test_a_checkpoint_becomes_a_model_folder(run: RunDir, folder_of: Callable[..., Path], step: int, added: float):
    start = weights(run.root.parent / "model")
    folder = folder_of(step)
    made = weights(folder)
    assert made.keys() == start.keys()
    assert all(torch.allclose(made[name], start[name] + added) for name in start)
    assert {"config.json", "tokenizer.json", "chat_template.jinja"} <= {path.name for path in folder.iterdir()}
    assert folder_of(step) == folder, "made once"


def test_step_0_is_what_the_run_started_with(run: RunDir, folder_of: Callable[..., Path]):
    assert folder_of(0) == run.root.parent / "model"


def test_the_last_step_that_is_exported_already_is_taken_as_it_is(run: RunDir, folder_of: Callable[..., Path]):
    made = folder_of(4)
    try:
        run.summary.write_text(json.dumps({"steps": 4}))
        run.policy.symlink_to(made)
        assert folder_of("last") == made, "an export that is older than the summary is not that of its step"
        run.policy.unlink()
        step_policy.cached_folder(
            run.policy, lambda target: [(target / f.name).write_bytes(f.read_bytes()) for f in made.iterdir()]
        )
        assert folder_of("last") == folder_of(4) == run.policy
        assert folder_of(3) != run.policy
    finally:
        run.summary.unlink()
        for file in run.policy.iterdir():
            file.unlink()
        run.policy.rmdir()


@pytest.mark.parametrize("step", [5, 1, "first"])
def test_a_step_without_a_checkpoint_names_those_with_one(folder_of: Callable[..., Path], step: int | str):
    with pytest.raises(UserError, match=rf"no checkpoint of step {step}; it has: 3, 4, and 0"):
        folder_of(step)


def test_what_is_no_run_or_damaged_is_said_to_be(run: RunDir, tmp_path: Path, folder_of: Callable[..., Path]):
    with pytest.raises(UserError, match="no run at"):
        step_policy.folder(str(tmp_path / "nowhere"), 3, tmp_path, {}, {})
    shard = next(run.checkpoint(3).glob("*.distcp"))
    whole = shard.read_bytes()
    shard.write_bytes(whole[:100])
    try:
        with pytest.raises(UserError, match="step-00003 is damaged or of another model"):
            folder_of(3)
    finally:
        shard.write_bytes(whole)
