"""How a run begins, and begins again, in its lineage."""

from __future__ import annotations

import hashlib

from omegaconf import DictConfig, OmegaConf

from rlpt.domains.mixture import shares
from rlpt.tracking.lineage import Lineage
from rlpt.training.going_back import State

DIGITS = 12


def record_start(lineage: Lineage, cfg: DictConfig, state: State) -> None:
    """Add `start`, or `resume` where the run has started before: what it is made of from here on.

    `config` is a hash of the resolved configuration, `shares` are those of the tasks and `reseeds` counts new seeds.
    """
    turns = state.get("turns") or [{}]
    weights = {name: float(domain.weight) for name, domain in cfg.domain.items()}
    values = {
        "config": hashlib.sha256(OmegaConf.to_yaml(cfg, resolve=True).encode()).hexdigest()[:DIGITS],
        "shares": shares(weights, turns[-1].get("factors")),
        "seed": cfg.seed,
        "reseeds": turns[-1].get("reseeds", 0),
        "learning_rate_scale": state.get("learning_rate_scale", 1.0),
    }
    lineage.add(state["step"], "resume" if lineage.events("start") else "start", values)
