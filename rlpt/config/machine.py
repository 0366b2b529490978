"""Rules about the machine that a run starts on. Cheap: no driver and no deep-learning library is loaded."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path

from omegaconf import DictConfig, OmegaConf

from rlpt.errors import UserError


@dataclass(frozen=True, slots=True)
class Machine:
    """CPU cores that this process may use, and NVIDIA devices that it sees."""

    cores: int
    gpus: int


def this_machine() -> Machine:
    """Count the cores and GPUs of this machine, as limited by affinity and CUDA_VISIBLE_DEVICES."""
    return Machine(cores=_cores(), gpus=_gpus())


def check_cores(cfg: DictConfig, machine: Machine) -> None:
    """No more CPU ranks than cores: they would take turns and the engines would wait for each other."""
    devices = OmegaConf.select(cfg, "hardware.devices")
    if OmegaConf.select(cfg, "hardware.accelerator") == "cpu" and isinstance(devices, int) and devices > machine.cores:
        raise UserError(
            f"hardware.devices={devices} is more than the {machine.cores} CPU cores of this machine; "
            f"write hardware.devices={machine.cores} or less."
        )


def check_gpus(cfg: DictConfig, machine: Machine) -> None:
    """No more GPU ranks than GPUs."""
    devices = OmegaConf.select(cfg, "hardware.devices")
    if OmegaConf.select(cfg, "hardware.accelerator") != "gpu" or not isinstance(devices, int):
        return
    if machine.gpus == 0:
        raise UserError("hardware.accelerator=gpu, but this machine shows no GPU; write hardware=cpu.")
    if devices > machine.gpus:
        raise UserError(
            f"hardware.devices={devices} is more than the {machine.gpus} GPUs of this machine; "
            f"write hardware.devices={machine.gpus}."
        )


def check_policy_path(cfg: DictConfig) -> None:
    """A policy given by its folder must be there, and be made for contexts as long as asked for.

    Whether the folder holds a usable model is for the policy's loader to say.
    """
    path = OmegaConf.select(cfg, "policy.path")
    if not isinstance(path, str):
        return
    folder = Path(path).expanduser()
    if not folder.exists() and looks_like_path(path):
        raise UserError(f"policy.path={path} does not exist; name a model folder, a run directory or a model's name.")
    longest, wanted = _model_context(folder), OmegaConf.select(cfg, "policy.context_length")
    if longest is not None and isinstance(wanted, int) and wanted > longest:
        raise UserError(
            f"policy.context_length={wanted} is longer than the {longest} tokens that {path} was made for; "
            f"write policy.context_length={longest}."
        )


def check_chat_template(cfg: DictConfig) -> None:
    """A chat template given by its file must be there."""
    template = OmegaConf.select(cfg, "policy.chat_template")
    if isinstance(template, str) and not Path(template).expanduser().is_file():
        raise UserError(f"policy.chat_template={template} is no file; name a Jinja file.")


def looks_like_path(name: str) -> bool:
    """Whether `name` can only be a place on disk: a model's name is `name` or `owner/name`."""
    return name.startswith((".", "/", "~")) or name.endswith("/") or name.count("/") > 1


def _model_context(folder: Path) -> int | None:
    for config in (folder / "config.json", folder / "policy" / "config.json"):
        if config.is_file():
            try:
                value = json.loads(config.read_text(encoding="utf-8")).get("max_position_embeddings")
            except (OSError, ValueError, AttributeError):
                return None  # the loader says what is wrong with it
            return value if isinstance(value, int) else None
    return None


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _gpus() -> int:
    devices = Path("/dev")
    found = sum(1 for entry in devices.iterdir() if re.fullmatch(r"nvidia\d+", entry.name)) if devices.is_dir() else 0
    if not found and (devices / "dxg").exists():  # Windows Subsystem for Linux shows no device of its own
        found = 1
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible is None or not found:
        return found
    # Names of MIG slices count too, so there may be more of them than whole GPUs.
    return len([one for one in visible.split(",") if one.strip() not in ("", "-1")])
