"""The policy of a step of a run as a model folder: exported, or made from the step's checkpoint without its ranks."""

from __future__ import annotations

import hashlib
import logging
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from omegaconf import DictConfig

from rlpt.assembly import load_domains, model_folder
from rlpt.config.record import recorded_config
from rlpt.config.resolve import frozen
from rlpt.errors import UserError
from rlpt.policy.cache import cached_folder
from rlpt.run_dir import RunDir, open_run, step_name

if TYPE_CHECKING:
    from rlpt.policy.network import PolicyNetwork

log = logging.getLogger(__name__)

LAST = "last"


def folder(
    path: str, step: int | str, cache_dir: Path, domains: Mapping[str, object], tools: Mapping[str, object]
) -> Path:
    """Return the folder of the policy that the run at `path` had after `step` steps, prepared if need be.

    `step`: a number, or `last`; 0 is the policy that the run started with. Every policy source takes `domains` and
    `tools`; this one does not need them.

    Raises:
        UserError: where `path` is no run of `rlpt train`, or the run keeps no checkpoint of that step.
    """
    run = open_run(Path(path).expanduser())
    wanted = _number(run, step)
    exported = _exported_step(run)
    if wanted is not None and wanted == exported:
        return run.policy
    cfg = frozen(recorded_config(run.root))
    if wanted == 0:
        return model_folder(cfg, load_domains(cfg))
    if wanted not in run.checkpoint_steps():
        raise UserError(_not_there(run, step, exported))
    stamp = (run.checkpoint(wanted) / ".metadata").stat().st_mtime_ns
    key = hashlib.sha256(repr((str(run.root.resolve()), wanted, stamp)).encode()).hexdigest()[:16]
    target = cache_dir / "models" / f"{run.root.name}-{step_name(wanted)}-{key}"
    return cached_folder(target, lambda scratch: _convert(cfg, run, wanted, scratch))


def _number(run: RunDir, step: int | str) -> int | None:
    """The step as a number; None where it is neither a number nor `last` of a run with a policy to give."""
    if str(step).isdecimal():
        return int(step)
    kept = [*run.checkpoint_steps(), _exported_step(run)]
    return max((own for own in kept if own is not None), default=None) if step == LAST else None


def _exported_step(run: RunDir) -> int | None:
    """The step whose policy the run has exported, where nothing was recorded since then."""
    from rlpt.evaluation.summary import read_summary

    weights = [*run.policy.glob("*.safetensors")]
    if not weights or not run.summary.is_file() or weights[0].stat().st_mtime < run.summary.stat().st_mtime:
        return None
    steps = read_summary(run).get("steps")
    return steps if isinstance(steps, int) else None


def _not_there(run: RunDir, step: int | str, exported: int | None) -> str:
    known = sorted({*run.checkpoint_steps(), *([] if exported is None else [exported])})
    if not known:
        return f"{run.root} has no checkpoint and no exported policy; name a run of rlpt train that has made a step."
    return (
        f"{run.root} has no checkpoint of step {step}; it has: {', '.join(map(str, known))}, and 0, the policy that it "
        "started with. How many are kept says checkpoint.keep."
    )


def _convert(cfg: DictConfig, run: RunDir, step: int, target: Path) -> None:
    from rlpt.policy.export import export_folder
    from rlpt.policy.network import DTYPES, load_network
    from rlpt.policy.sharding import full_weights

    log.info("Making a model folder from %s", run.checkpoint(step))
    exported = (run.policy / "config.json").is_file()
    source = run.policy if exported else model_folder(cfg, load_domains(cfg))
    network = load_network(source, cfg.policy.dtype, temperature=1.0, context_length=1)
    _fill(network, run.checkpoint(step))
    export_folder(full_weights(network, DTYPES[cfg.policy.dtype]), source, target)


def _fill(network: PolicyNetwork, checkpoint: Path) -> None:
    """Read the policy's weights alone, whatever the number of ranks that wrote them."""
    from torch.distributed.checkpoint.api import CheckpointException
    from torch.distributed.checkpoint.filesystem import FileSystemReader
    from torch.distributed.checkpoint.state_dict_loader import load

    try:
        known = FileSystemReader(checkpoint).read_metadata().state_dict_metadata
        weights = {name: value for name, value in network.state_dict().items() if f"network.{name}" in known}
        missing = [name for name, _ in network.named_parameters() if name not in weights]
        if missing:
            raise ValueError(f"it has no {missing[0]}")
        with warnings.catch_warnings():  # that there is no process group is what is wanted
            warnings.filterwarnings("ignore", message=".*assuming the intent is to load in a single process")
            load({"network": weights}, checkpoint_id=checkpoint, no_dist=True)
    except (CheckpointException, RuntimeError, ValueError, OSError) as error:
        raise UserError(
            f"The checkpoint {checkpoint} is damaged or of another model ({str(error).splitlines()[0]}); "
            "choose another step."
        ) from error
