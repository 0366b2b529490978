"""Checkpoints: weights, optimizer and step, sharded by rank and readable by any number of ranks."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torch import nn
from torch.distributed.checkpoint.api import CheckpointException
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.distributed.checkpoint.state_dict_loader import load as load_sharded
from torch.distributed.checkpoint.state_dict_saver import save as save_sharded
from torch.optim import Optimizer

from rlpt.collectives import barrier, rank
from rlpt.errors import UserError
from rlpt.policy.network import PolicyNetwork
from rlpt.run_dir import RunDir
from rlpt.training.states import STATE

Companions = Mapping[str, tuple[nn.Module, Optimizer | None]]
"""What is kept besides the policy, by name: a network and its optimizer, where it has one."""


def save(
    run: RunDir,
    step: int,
    network: PolicyNetwork,
    optimizer: Optimizer,
    state: dict[str, Any],
    keep: int,
    good_step: int | None,
    companions: Companions,
) -> Path:
    """Write the checkpoint of `step` and remove all but the newest `keep` and `good_step`.

    All ranks must call this together.

    A checkpoint is written under another name and renamed when it is complete.
    """
    target = run.checkpoint(step)
    partial = target.with_name(f".{target.name}.partial")
    if rank() == 0:
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
    barrier()
    save_sharded(_contents(network, optimizer, companions), checkpoint_id=partial)
    if rank() == 0:
        (partial / STATE).write_text(json.dumps(state))
        shutil.rmtree(target, ignore_errors=True)
        partial.rename(target)
        for old in run.checkpoint_steps()[:-keep]:
            if old != good_step:
                shutil.rmtree(run.checkpoint(old), ignore_errors=True)
    barrier()
    return target


def load(run: RunDir, step: int, network: PolicyNetwork, optimizer: Optimizer, companions: Companions) -> None:
    """Fill network, optimizer and companions from the checkpoint of `step`. All ranks must call this together.

    Raises:
        UserError: where the checkpoint is damaged or belongs to another model.
    """
    contents = _contents(network, optimizer, companions)
    try:
        load_sharded(contents, checkpoint_id=run.checkpoint(step))
    except (CheckpointException, RuntimeError, ValueError, OSError) as error:
        raise UserError(
            f"The checkpoint {run.checkpoint(step)} does not fit this policy or is damaged "
            f"({str(error).splitlines()[0]}); resume with the policy of the run, or remove it."
        ) from error
    _fill(network, optimizer, contents["network"], contents["optimizer"])
    for name, (module, own) in companions.items():
        _fill(module, own, contents[name], contents[f"{name}_optimizer"])


def _contents(network: PolicyNetwork, optimizer: Optimizer, companions: Companions) -> dict[str, dict[str, Any]]:
    """Every weight and moment, by part of the checkpoint."""
    weights, moments = get_state_dict(network, optimizer)
    contents: dict[str, dict[str, Any]] = {"network": weights, "optimizer": moments}
    for name, (module, own) in companions.items():
        contents[name], contents[f"{name}_optimizer"] = get_state_dict(module, own or ())
    return contents


def _fill(module: nn.Module, optimizer: Optimizer | None, weights: dict[str, Any], moments: dict[str, Any]) -> None:
    set_state_dict(module, optimizer or (), model_state_dict=weights, optim_state_dict=moments)
