"""Settles which sandbox a run uses, once and before its workers start, so that it can be printed and recorded."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from rlpt.config.build import build
from rlpt.sandbox.protocol import Sandbox

AUTO = "rlpt.sandbox.auto.auto_sandbox"
CONCRETE: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "docker": ("rlpt.sandbox.docker.docker_sandbox", ("limits", "concurrency", "image", "runtime", "cpus", "reuse")),
    "process": ("rlpt.sandbox.process.process_sandbox", ("limits", "concurrency", "reuse")),
}
"""By a sandbox's name: what builds it, and which of the arguments of `auto_sandbox` that takes."""


@dataclass(frozen=True, slots=True)
class Choice:
    """`node`: the configuration that workers build their sandboxes from; `name` and `because`: for people."""

    node: Mapping[str, Any]
    name: str
    because: str

    def __str__(self) -> str:
        return f"sandbox: {self.name} ({self.because})"


def settle(node: Mapping[str, Any]) -> Choice:
    """Build the sandbox of a configuration node once, to see that it works, and end it.

    Where the node says `auto`, the one that comes back names what was taken, so that all workers take the same.

    Raises:
        UserError: where it does not work on this machine.
    """
    sandbox: Sandbox = build(node)
    sandbox.close()
    settled = dict(node)
    if node["_target_"] == AUTO:
        target, keys = CONCRETE[sandbox.name]
        settled = {"_target_": target, **{key: node[key] for key in keys if key in node}}
        settled["chosen_because"] = sandbox.chosen_because
    return Choice(settled, sandbox.name, sandbox.chosen_because)


def settle_all(node: Any, report: Callable[[Choice], object]) -> Any:  # noqa: ANN401 - plain values of any shape
    """Return verifiers' nodes with every sandbox in them settled, also those of members; `report` each choice once.

    A worker judges one answer at a time, so a sandbox has one place where none is asked for: the workers are the
    concurrency.

    Raises:
        UserError: where one does not work on this machine.
    """
    settled: dict[str, Mapping[str, Any]] = {}

    def walk(value: Any) -> Any:  # noqa: ANN401
        if not isinstance(value, Mapping):
            return value
        return {key: sandbox(child) if key == "sandbox" and child else walk(child) for key, child in value.items()}

    def sandbox(value: Mapping[str, Any]) -> Mapping[str, Any]:
        key = json.dumps(value, sort_keys=True)
        if key not in settled:
            choice = settle({**value, "concurrency": value.get("concurrency") or 1})
            report(choice)
            settled[key] = choice.node
        return dict(settled[key])

    return walk(node)
