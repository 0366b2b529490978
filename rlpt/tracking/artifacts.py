"""The artifacts of a run, from its directory: config and suites that it was made with, checkpoints and policy."""

from __future__ import annotations

import json
from pathlib import Path

from rlpt.run_dir import RunDir, step_name
from rlpt.tracking.files import dump_json
from rlpt.tracking.protocol import Artifact


def run_inputs(run: RunDir, policy: Path | None = None) -> list[Artifact]:
    """The config, the suite of each domain, and the `policy` that training starts from where a run has made it."""
    found = [config_artifact(run), *suite_artifacts(run)]
    maker = None if policy is None else made_by(policy)
    return found if maker is None else [*found, policy_artifact(maker, used=True)]


def config_artifact(run: RunDir) -> Artifact:
    """What the run was started with, and with which code and packages."""
    files = (run.config, run.overrides, run.choices, run.environment)
    texts = {file.name: file.read_text(encoding="utf-8") for file in files if file.is_file()}
    return Artifact("config", "config", run.root, texts, used=True)


def suite_artifacts(run: RunDir) -> list[Artifact]:
    """The fixed suite of each domain. Runs share them: another version is another suite."""
    if not run.suite.is_file():
        return []
    suites = json.loads(run.suite.read_text(encoding="utf-8"))
    return [
        Artifact(
            "suite",
            f"suite-{domain}",
            texts={"suite.json": dump_json(part, canonical=True)},
            used=True,
            aliases=[part["identity"]] if "identity" in part else [],
            metadata={name: part[name] for name in ("split", "tasks", "fingerprint") if name in part},
        )
        for domain, part in suites.items()
    ]


def checkpoint_artifact(run: RunDir, step: int) -> Artifact:
    """What the run can go on from after `step` steps."""
    folder = run.checkpoint(step)
    return Artifact("checkpoint", "checkpoint", run.root, folder=folder, aliases=[step_name(step)], metadata=_at(step))


def policy_artifact(run: RunDir, step: int | None = None, used: bool = False) -> Artifact:
    """The exported policy, after `step` steps where that is known."""
    aliases = [] if step is None else [step_name(step)]
    return Artifact("policy", "policy", run.root, folder=run.policy, used=used, aliases=aliases, metadata=_at(step))


def made_by(policy: Path) -> RunDir | None:
    """The run that made the policy in a folder, given as itself or as its `policy/`; None where no run did."""
    for root in (policy, policy.parent):
        run = RunDir(root.absolute())
        if run.config.is_file() and run.policy.is_dir() and policy.absolute() in (run.root, run.policy):
            return run
    return None


def _at(step: int | None) -> dict[str, int]:
    return {} if step is None else {"step": step}
