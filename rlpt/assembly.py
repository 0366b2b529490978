"""From a configuration to the objects of a run. Everything here is built once for each rank."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from omegaconf import DictConfig, OmegaConf

from rlpt.actors import Actors
from rlpt.budget.machine import machine_memory_bytes
from rlpt.budget.memory import Placement
from rlpt.budget.plan import Plan, Work, make_plan
from rlpt.budget.shape import read_shape
from rlpt.config.build import build
from rlpt.config.tools import domains_with_tools
from rlpt.domains.mixture import Mixture
from rlpt.domains.protocol import Domain, build_domains, load_tasks
from rlpt.environments import build_environments
from rlpt.policy.cache import default_cache_dir
from rlpt.policy.stop_tokens import stop_token_ids
from rlpt.policy.template import with_template
from rlpt.policy.tokenizer import ChatTokenizer, Schemas
from rlpt.records import Task
from rlpt.run_dir import RunDir
from rlpt.samplers.protocol import Sampler
from rlpt.samplers.restarting import RestartingSampler
from rlpt.samplers.vllm import GPU_MEMORY_UTILIZATION
from rlpt.sandbox.choice import Choice, settle_all
from rlpt.tools.building import build_tools, describe_tools
from rlpt.verifiers.pool import VerifierPool

log = logging.getLogger(__name__)


def share_cores(hardware: DictConfig) -> None:
    """Prepare this process and its children to compute on shared cores.

    Idle compute threads sleep: trainer, engine and verifiers take turns. Large tensors lie in huge pages, where the
    kernel has them.

    Must be called before torch is imported; values that the user has set stay.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    os.environ.setdefault("KMP_BLOCKTIME", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    # transformers and gguf show bars of their own while models are prepared; rlpt says what it does itself.
    os.environ.setdefault("TQDM_DISABLE", "1")
    os.environ.setdefault("OMP_NUM_THREADS", str(cpu_threads(hardware)))
    # Every large tensor is new memory from the kernel; in pages of 2 MiB it comes with far fewer faults.
    os.environ.setdefault("THP_MEM_ALLOC_ENABLE", "1")


def load_domains(cfg: DictConfig) -> dict[str, Domain]:
    """The domains of `cfg.domain` by name."""
    return build_domains(cfg.domain)


def cache_folder(cfg: DictConfig) -> Path:
    """Where what is prepared once lies."""
    return Path(cfg.cache_dir).expanduser() if cfg.cache_dir else default_cache_dir()


def model_folder(cfg: DictConfig, domains: Mapping[str, Domain]) -> Path:
    """The folder of the policy to start from, prepared if need be.

    Every source takes `domains` and `tools`: for each domain with tools, their schemas.
    """
    folder: Path = build(cfg.policy.source, cache_dir=cache_folder(cfg), domains=domains, tools=tool_schemas(cfg))
    template = OmegaConf.select(cfg, "policy.chat_template")
    return folder if template is None else with_template(folder, Path(template), cache_folder(cfg))


def tool_nodes(cfg: DictConfig) -> dict[str, dict[str, Any]]:
    """The configurations of the tools that some domain names. Code of theirs runs in a sandbox with a place a core."""
    named = dict.fromkeys(tool for _, tools in domains_with_tools(cfg) for tool in tools)
    nodes = {name: plain(cfg.tool[name]) for name in named}
    for node in nodes.values():
        if isinstance(sandbox := node.get("sandbox"), dict):
            node["sandbox"] = {**sandbox, "concurrency": sandbox.get("concurrency") or own_cores(cfg.hardware)}
    return nodes


def tool_schemas(cfg: DictConfig) -> dict[str, Schemas]:
    """For each domain with tools, what the model is shown of them. Starts no sandbox."""
    schemas = describe_tools(tool_nodes(cfg))
    return {domain: [schemas[tool] for tool in tools] for domain, tools in domains_with_tools(cfg)}


def build_actors(cfg: DictConfig, folder: Path, run: RunDir, rank: int) -> Actors:
    """Start the engine and the verifiers; both get ready in the background.

    Raises:
        UserError: where a verifier or a tool cannot be built, or the chat template does not show tools.
    """
    threads = cpu_threads(cfg.hardware)
    chat = ChatTokenizer(folder)
    nodes = _settled({"verifier": verifier_nodes(cfg), "tool": tool_nodes(cfg)}, announced=rank == 0)

    def make_sampler() -> Sampler:
        sampler: Sampler = build(
            cfg.sampler,
            model_folder=folder,
            stop_token_ids=stop_token_ids(folder),
            log_path=run.root / "logs" / f"engine-{rank}.log",
            rank=rank,
            device=None if cfg.hardware.accelerator == "cpu" else rank,
            threads=cfg.sampler.threads or threads,
        )
        return sampler

    limits = {name: int(node.max_new_tokens) for name, node in cfg.domain.items()}
    with ExitStack() as stack:
        tools = build_tools(nodes["tool"])
        for tool in tools.values():
            stack.callback(tool.close)
        environments = build_environments(cfg, chat, tools)
        pool = _pool(cfg, nodes["verifier"])
        stack.callback(pool.close)
        actors = Actors(chat, RestartingSampler(make_sampler), pool, limits, environments, cfg.policy.context_length)
        stack.pop_all()  # theirs to close now
        return actors


def build_pool(cfg: DictConfig, announced: bool = True) -> VerifierPool:
    """The processes in which the domains' verifiers run; they get ready in the background.

    `announced`: whether it is said where programs run.

    Raises:
        UserError: where a verifier cannot be built.
    """
    return _pool(cfg, _settled(verifier_nodes(cfg), announced))


def verifier_nodes(cfg: DictConfig) -> dict[str, dict[str, Any]]:
    """The configurations of the domains' verifiers."""
    return {str(name): plain(node.verifier) for name, node in cfg.domain.items()}


def _pool(cfg: DictConfig, nodes: Mapping[str, Mapping[str, Any]]) -> VerifierPool:
    verification = cfg.verification
    return VerifierPool(
        nodes,
        workers=verification.workers or own_cores(cfg.hardware),
        timeout_s=verification.timeout_s,
        memory_mb=verification.memory_mb,
    )


def _settled(nodes: Mapping[str, Any], announced: bool) -> Any:  # noqa: ANN401 - plain values of any shape
    said: set[str] = set()

    def announce(choice: Choice) -> None:
        # Those of verifiers and of tools differ in their places alone.
        if announced and str(choice) not in said:
            said.add(str(choice))
            _announce(choice)

    return settle_all(nodes, announce)


def _announce(choice: Choice) -> None:
    log.info("%s", choice)
    print(choice, flush=True)


def build_mixture(cfg: DictConfig, domains: Mapping[str, Domain]) -> Mixture:
    """The mixture over the domains' training tasks."""
    mixture: Mixture = build(
        cfg.mixture,
        tasks={name: load_tasks(name, domain, "train") for name, domain in domains.items()},
        weights={name: float(node.weight) for name, node in cfg.domain.items()},
        seed=cfg.seed,
    )
    return mixture


def plan_run(
    cfg: DictConfig, folder: Path, tokenizer: ChatTokenizer, tasks: Mapping[str, Sequence[Task]], looks: int
) -> Plan:
    """What the run will need at most; prompts are measured on the evaluation's tasks. `looks`: see Work."""
    tools = tool_schemas(cfg)
    prompts = [
        len(tokenizer.encode(task.messages, tools.get(name, ()))) for name, own in tasks.items() for task in own[:16]
    ]
    evaluations = int(cfg.evaluation.before) + int(cfg.evaluation.after)
    if cfg.evaluation.every:
        evaluations += (cfg.budget.steps - 1) // cfg.evaluation.every
    work = Work(
        steps=cfg.budget.steps,
        tasks_per_step=cfg.mixture.tasks_per_step,
        group_size=cfg.algorithm.group_size + int(cfg.algorithm.needs_greedy),
        prompt_tokens=sum(prompts) / max(len(prompts), 1),
        new_tokens=sum(node.max_new_tokens for node in cfg.domain.values()) / len(cfg.domain),
        evaluation_samples=evaluations * cfg.evaluation.samples_per_task * sum(map(len, tasks.values())),
        looks=looks,
        critic=cfg.algorithm.critic is not None,
    )
    ranks = cfg.hardware.devices
    memory_bytes = _pool_memory_bytes(cfg.hardware)
    placement = Placement(
        dtype=cfg.policy.dtype,
        ranks_per_pool=ranks if cfg.hardware.accelerator == "cpu" else 1,
        shards=ranks * cfg.hardware.nodes,
        tokens_per_micro_batch=cfg.hardware.tokens_per_micro_batch,
        kv_cache_gib=_cache_gib(cfg, memory_bytes),
        memory_bytes=memory_bytes,
        on_cpu=cfg.hardware.accelerator == "cpu",
        activations=cfg.hardware.activations,
        logits_mib=cfg.hardware.logits_mib,
        reference=bool(cfg.algorithm.kl.coefficient),
        critic=cfg.algorithm.critic is not None,
    )
    return make_plan(read_shape(folder), work, placement)


def _pool_memory_bytes(hardware: DictConfig) -> int:
    if hardware.accelerator == "cpu":
        return machine_memory_bytes()
    import torch

    return int(torch.cuda.get_device_properties(0).total_memory)


def _cache_gib(cfg: DictConfig, memory_bytes: int) -> float:
    if cfg.hardware.accelerator == "cpu":
        return float(cfg.sampler.kv_cache_gib)
    share = cfg.sampler.engine.get("gpu_memory_utilization", GPU_MEMORY_UTILIZATION)
    return float(share) * memory_bytes / 2**30


def cpu_threads(hardware: DictConfig) -> int:
    """CPU threads of one rank: as configured, else an equal share of the cores this process may use."""
    return own_cores(hardware) if hardware.threads is None else int(hardware.threads)


def own_cores(hardware: DictConfig) -> int:
    """A rank's equal share of the cores this process may use, at least one."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores // int(hardware.devices))


def plain(node: DictConfig) -> dict[str, Any]:
    """A configuration node as plain dicts, lists and values, interpolations resolved."""
    value = OmegaConf.to_container(node, resolve=True)
    assert isinstance(value, dict)
    return {str(key): entry for key, entry in value.items()}
