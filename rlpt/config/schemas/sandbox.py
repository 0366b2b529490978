"""Schema of the group `sandbox`: where programs that nobody has read are run."""

from __future__ import annotations

from dataclasses import dataclass

from omegaconf import MISSING


@dataclass
class Sandbox:
    """Limits of one program, and when the sandbox is replaced."""

    _target_: str = MISSING
    wall_s: float = MISSING
    memory_mb: int = MISSING
    output_bytes: int = MISSING
    processes: int = MISSING
    reuse: int = MISSING


@dataclass
class DockerSandbox(Sandbox):
    """With what the engine is told."""

    image: str | None = MISSING
    runtime: str | None = MISSING


SCHEMAS: dict[str, type] = {"sandbox_schema": Sandbox, "docker_sandbox_schema": DockerSandbox}
