"""The policy `tiny`: a fresh small model, fine-tuned on the domains' demonstrations, cached by what made it."""

from __future__ import annotations

import hashlib
import inspect
import json
import logging
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from omegaconf import OmegaConf

import rlpt
from rlpt.domains.protocol import Domain, demonstrated
from rlpt.domains.splits import fingerprint
from rlpt.policy import tiny, tool_chat
from rlpt.policy.cache import cached_folder
from rlpt.policy.tokenizer import Schemas

log = logging.getLogger(__name__)

TASKS_PER_DOMAIN = 2048
CONTEXT_LENGTH = 512


def folder(cache_dir: Path, domains: Mapping[str, Domain], seed: int, steps: int, tools: Mapping[str, Schemas]) -> Path:
    """Return the model folder for these domains, making it at the first call (a minute or two).

    `tools`: for each domain with tools, their schemas. The model is made to know the formats and to be right only at
    times, so that there is something left to learn.
    """
    data = {name: fingerprint(domain.load("train")) for name, domain in domains.items()}
    recipe = {"data": data, "tools": tools, "seed": seed, "steps": steps}
    recipe |= {"version": rlpt.__version__, "code": _code()}
    key = hashlib.sha256(json.dumps(recipe, sort_keys=True).encode()).hexdigest()[:16]
    return cached_folder(
        cache_dir / "models" / f"tiny-{key}", lambda target: _build(target, domains, seed, steps, tools)
    )


def _build(target: Path, domains: Mapping[str, Domain], seed: int, steps: int, tools: Mapping[str, Schemas]) -> None:
    from rlpt.training.sft import fine_tune

    print("Warm-starting policy=tiny on the domains' demonstrations (once; a minute or two) ...", flush=True)
    cfg = OmegaConf.create(
        {
            "seed": seed,
            "policy": {"name": "tiny", "dtype": "float32", "context_length": CONTEXT_LENGTH},
            "hardware": {
                "accelerator": "cpu",
                "devices": 1,
                "nodes": 1,
                "threads": None,
                "tokens_per_micro_batch": 512,
                "activations": "keep",
                "logits_mib": 64,
            },
            "sft": {
                "steps": steps,
                "batch_size": 32,
                "tasks_per_domain": TASKS_PER_DOMAIN,
                "optimizer": {
                    "learning_rate": 3e-3,
                    "betas": [0.9, 0.95],
                    "eps": 1e-8,
                    "weight_decay": 0.0,
                    "warmup_steps": 20,
                    "max_grad_norm": 1.0,
                },
            },
        }
    )
    with tempfile.TemporaryDirectory() as scratch:
        fresh = Path(scratch) / "fresh"
        tiny.write_fresh_model(_texts(domains, tools), fresh, seed)
        fine_tune(cfg, fresh, domains, target / "policy", tools)
    for path in (target / "policy").iterdir():
        path.rename(target / path.name)
    (target / "policy").rmdir()


def _texts(domains: Mapping[str, Domain], tools: Mapping[str, Schemas]) -> Iterator[str]:
    for name, domain in domains.items():
        shown = [tool["function"]["description"] for tool in tools.get(name, ())]
        for task in domain.load("train")[:TASKS_PER_DOMAIN]:
            yield from shown
            yield from (message["content"] for message in task.messages)
            if name not in tools:
                yield domain.demonstration(task)
                continue
            for turn in demonstrated(domain, task):
                yield turn["content"]
                yield from (json.dumps(call["function"]) for call in turn.get("tool_calls", ()))


def _code() -> str:
    """A change of the model's or the fine-tuning's code makes another model."""
    from rlpt.training import fine_tuning, sft

    return hashlib.sha256("".join(map(inspect.getsource, (tiny, fine_tuning, sft, tool_chat))).encode()).hexdigest()
