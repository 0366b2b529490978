"""What a tracker is told of a run when it opens."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import yaml

from rlpt.run_dir import RunDir
from rlpt.tracking.protocol import RunInfo

TAGGED = ("algorithm", "sampler", "hardware", "sandbox", "mixture", "evaluation", "experiment")
"""The groups whose options are tags, beside policy, domain and verifier."""

LONGEST = 64
"""Characters of a tag: what W&B takes."""


def run_info(run: RunDir, config: Mapping[str, Any], job_type: str, start_step: int = 0) -> RunInfo:
    """The RunInfo of a run whose config and choices are recorded in its directory.

    `config` is the resolved one as plain dicts; `job_type` and `start_step` as in RunInfo.
    """
    choices = read_choices(run)
    tags = run_tags(str(config["policy"]["name"]), config["domain"], choices)
    return RunInfo(run.root, str(config["name"]), config, job_type, tags, start_step, choices)


def read_choices(run: RunDir) -> dict[str, str]:
    """The option of each config group; empty for a run that was recorded without them."""
    if not run.choices.is_file():
        return {}
    value = yaml.safe_load(run.choices.read_text(encoding="utf-8"))
    return {str(group): str(option) for group, option in value.items()}


def run_tags(policy: str, domains: Iterable[str], choices: Mapping[str, str]) -> list[str]:
    """What people filter runs by, as they write it on the command line: `policy=tiny`, `verifier=math`."""
    name = policy.rpartition("/")[2] if policy.count("/") > 1 else policy  # a folder's own name
    verifiers = dict.fromkeys(option for group, option in choices.items() if group.partition("@")[0] == "verifier")
    tags = [f"policy={name}", *(f"domain={domain}" for domain in domains)]
    tags += [f"{group}={choices[group]}" for group in TAGGED if group in choices]
    tags += [f"verifier={option}" for option in sorted(verifiers)]
    return [tag[:LONGEST] for tag in tags]
