"""`rlpt audit domain=NAME`: a domain's own answers, its tests, its tasks, and what it pays without an answer."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import get_args

from omegaconf import DictConfig

from rlpt.actors import Actors
from rlpt.assembly import build_actors, build_pool, load_domains, model_folder, share_cores
from rlpt.audit.attack import attack_part
from rlpt.audit.difficulty import difficulty_part
from rlpt.audit.duplicates import duplicates_part
from rlpt.audit.gold import gold_part
from rlpt.audit.mutation import mutation_part
from rlpt.audit.part import Part
from rlpt.audit.rows import check_writable, write_rows
from rlpt.config.targets import targets
from rlpt.domains.protocol import Domain, load_tasks
from rlpt.evaluation.measure import measure
from rlpt.evaluation.table import print_table
from rlpt.evaluation.text import emit
from rlpt.records import Split, Task
from rlpt.run_dir import RunDir
from rlpt.verifiers.pool import VerifierPool

SPLITS: tuple[Split, ...] = get_args(Split)


def audit_domains(cfg: DictConfig) -> bool:
    """Look at every domain of `cfg.domain`, under `cfg.policy` where there is one; print what is found.

    Returns:
        Whether all own answers are accepted and, where attacks are played, none is paid that is no guess.

    Raises:
        UserError: for a domain, verifier, policy or file that cannot be used.
    """
    out = Path(cfg.out).expanduser() if cfg.out else None
    if out is not None:
        check_writable(out)
    share_cores(cfg.hardware)
    domains = load_domains(cfg)
    tasks = {name: {split: load_tasks(name, domain, split) for split in SPLITS} for name, domain in domains.items()}
    with _judges(cfg, domains) as (pool, actors):
        parts = [
            part for name, source in domains.items() for part in _audit(cfg, name, source, tasks[name], pool, actors)
        ]
    if out is not None:
        write_rows(out, [row for part in parts for row in part.rows])
    return all(part.sound for part in parts)


def _audit(
    cfg: DictConfig,
    name: str,
    source: Domain,
    tasks: Mapping[Split, list[Task]],
    pool: VerifierPool,
    actors: Actors | None,
) -> Iterator[Part]:
    looked_at = tasks[cfg.split][: cfg.tasks]
    emit(f"\nDomain {name}\n")
    yield _said(gold_part(name, source, tasks, pool))
    yield _said(duplicates_part(name, tasks, cfg.near))
    if (tests := mutation_part(name, source, looked_at, pool, cfg.mutants, cfg.seed)) is not None:
        yield _said(tests)
    if actors is not None:
        emit(f"{cfg.policy.name} answers {len(looked_at)} tasks, {cfg.samples} times each ...\n")
        samples = measure(actors, {name: looked_at}, cfg.samples, cfg.seed)
        yield _said(difficulty_part(name, looked_at, samples, cfg.group_size))
    if cfg.attack:
        emit(f"Playing known reward hacks against {len(looked_at)} tasks ...\n")
        yield _said(attack_part(name, source, looked_at, pool, _sandboxed(cfg.domain[name].verifier)))


def _sandboxed(verifier: DictConfig) -> bool:
    """Whether all that a verifier is made of is rlpt's own, and one of its sandboxes is in it."""
    found = [target for _, target in targets(verifier)]
    return all(target.startswith("rlpt.") for target in found) and any("rlpt.sandbox." in target for target in found)


def _said(part: Part) -> Part:
    emit(f"{part.title}\n")
    print_table(part.table)
    emit(f"{part.listing}\n" if part.lines else "")
    return part


@contextmanager
def _judges(cfg: DictConfig, domains: Mapping[str, Domain]) -> Iterator[tuple[VerifierPool, Actors | None]]:
    """The verifiers, and with a policy also the engine: a run's own ones, but for its folder."""
    if "policy" not in cfg:
        with build_pool(cfg) as pool:
            yield pool, None
        return
    with (
        tempfile.TemporaryDirectory(prefix="rlpt-audit-") as folder,
        build_actors(cfg, model_folder(cfg, domains), RunDir(Path(folder)), rank=0) as actors,
    ):
        yield actors.pool, actors
