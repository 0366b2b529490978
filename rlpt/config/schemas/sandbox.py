"""Schemas of the group `sandbox`: where programs that nobody trusts run, and what they may use."""

from __future__ import annotations

from dataclasses import dataclass

from omegaconf import MISSING


@dataclass
class Limits:
    """See `rlpt.sandbox.protocol.Limits`."""

    wall_s: float = MISSING
    cpu_s: float = MISSING
    memory_mb: int = MISSING
    output_bytes: int = MISSING
    processes: int = MISSING
    disk_mb: int = MISSING
    open_files: int = MISSING


@dataclass
class Process:
    """Arguments of `rlpt.sandbox.process.process_sandbox`."""

    _target_: str = MISSING
    concurrency: int | None = MISSING
    reuse: int = MISSING
    limits: Limits = MISSING


@dataclass
class Docker(Process):
    """Arguments of `rlpt.sandbox.docker.docker_sandbox`, and of `rlpt.sandbox.auto.auto_sandbox`."""

    image: str | None = MISSING
    runtime: str | None = MISSING
    cpus: float = MISSING


@dataclass
class Auto(Docker):
    """Arguments of `rlpt.sandbox.auto.auto_sandbox`."""


SCHEMAS: dict[str, type] = {
    "process_sandbox_schema": Process,
    "docker_sandbox_schema": Docker,
    "auto_sandbox_schema": Auto,
}
