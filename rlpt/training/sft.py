"""`rlpt sft`: supervised fine-tuning of a policy on the demonstrations of its domains."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from omegaconf import DictConfig

from rlpt.domains.protocol import Domain, Turn, demonstrated
from rlpt.errors import UserError
from rlpt.policy.tokenizer import ChatTokenizer, Schemas
from rlpt.policy.tool_chat import ToolChat
from rlpt.records import Rollout, Task
from rlpt.run_dir import RunDir

log = logging.getLogger(__name__)


def sft(cfg: DictConfig, run_dir: Path) -> Path:
    """Fine-tune `cfg.policy` and return the folder of the result, `RUN/policy`."""
    from rlpt.assembly import load_domains, model_folder, share_cores
    from rlpt.training.ranks import launch_ranks

    if cfg.hardware.devices > 1:
        share_cores(cfg.hardware)
        # Prepared once here, so that no two ranks do it at a time.
        model_folder(cfg, load_domains(cfg))
        launch_ranks("sft", cfg.hardware.devices, run_dir)
    else:
        sft_rank(cfg, run_dir)
    print(f"The fine-tuned policy is {RunDir(run_dir).policy}; train it with policy=hf policy.path={run_dir}.")
    return RunDir(run_dir).policy


def sft_rank(cfg: DictConfig, run_dir: Path) -> None:
    """The fine-tuning of one rank, in this process."""
    from rlpt.assembly import load_domains, model_folder, share_cores, tool_schemas

    share_cores(cfg.hardware)
    domains = load_domains(cfg)
    folder = model_folder(cfg, domains)
    fine_tune(cfg, folder, domains, RunDir(run_dir).policy, tool_schemas(cfg))


def fine_tune(
    cfg: DictConfig, folder: Path, domains: Mapping[str, Domain], target: Path, tools: Mapping[str, Schemas]
) -> None:
    """Fine-tune the model in `folder` and write it to `target`. Needs the nodes policy, hardware, sft and seed.

    `tools`: for each domain with tools, their schemas.
    """
    from rlpt.policy.export import export_folder
    from rlpt.policy.network import DTYPES
    from rlpt.policy.sharding import full_weights
    from rlpt.training.fine_tuning import FineTuning
    from rlpt.training.fitting import Steps, build_trainer

    chat = ChatTokenizer(folder)
    words = {name: ToolChat(chat, str(cfg.policy.name), schemas) for name, schemas in tools.items()}
    data = demonstrations(chat, domains, cfg.sft.tasks_per_domain, cfg.policy.context_length, words)
    module = FineTuning(folder, cfg.policy, cfg.hardware, cfg.sft, data, cfg.seed)
    trainer = build_trainer(cfg.hardware, callbacks=[])
    trainer.fit(module, Steps(0))
    weights = full_weights(module.network, DTYPES[cfg.policy.dtype])
    if trainer.is_global_zero:
        export_folder(weights, folder, target)
    log.info("cross-entropy %.3f at the first update, %.3f at the last", module.losses[0], module.losses[-1])


def demonstrations(
    tokenizer: ChatTokenizer,
    domains: Mapping[str, Domain],
    per_domain: int,
    context_length: int,
    words: Mapping[str, ToolChat],
) -> list[Rollout]:
    """Demonstrated training tasks in the shape of rollouts, so that they are packed and trained on like rollouts.

    `words`: for each domain with tools, how the policy's template shows them. What a tool said is no action.

    Raises:
        UserError: where none of them fits into `context_length`.
    """
    found = [
        _trajectory(words[task.domain], task, demonstrated(domains[task.domain], task))
        if task.domain in words
        else _demonstration(tokenizer, task, domains[task.domain].demonstration(task))
        for task in _tasks(domains, per_domain)
    ]
    fitting = [one for one in found if len(one.prompt_ids) + len(one.token_ids) <= context_length]
    if not fitting:
        raise UserError(f"No demonstration fits into policy.context_length={context_length}; raise it.")
    return fitting


def _tasks(domains: Mapping[str, Domain], per_domain: int) -> Iterator[Task]:
    for domain in domains.values():
        yield from domain.load("train")[:per_domain]


def _demonstration(tokenizer: ChatTokenizer, task: Task, answer: str) -> Rollout:
    token_ids = tokenizer.encode_answer(answer)
    return _rollout(task, tokenizer.encode(task.messages), token_ids, [1] * len(token_ids), answer)


def _trajectory(words: ToolChat, task: Task, turns: Sequence[Turn]) -> Rollout:
    return _rollout(task, *words.encode_turns(task.messages, turns), text=turns[-1]["content"])


def _rollout(
    task: Task, prompt_ids: Sequence[int], token_ids: Sequence[int], action_mask: Sequence[int], text: str
) -> Rollout:
    return Rollout(
        task_id=task.task_id,
        group_id=f"{task.domain}/{task.task_id}",
        index=0,
        prompt_ids=prompt_ids,
        token_ids=token_ids,
        logprobs=[0.0] * len(token_ids),
        action_mask=action_mask,
        versions=[0] * len(token_ids),
        finish_reason="stop",
        text=text,
    )
