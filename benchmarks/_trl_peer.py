"""TRL's side of `trl_gradients.py`, run by the Python of an environment that has TRL; it knows nothing of rlpt.

    python _trl_peer.py WORK.json FOLDER

`WORK.json` holds a model's folder, groups of completions and runs (see `_trl_cases.work`). Each run is trained by
`GRPOTrainer.train` with TRL's own rewards, advantages, accumulation and loss; `FOLDER/RUN.safetensors` then has the
gradient of each update as `UPDATE/PARAMETER`. Prints the versions that took part as JSON.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import torch
import transformers
import trl
from datasets import Dataset
from safetensors.torch import save_file
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from torch import Tensor, nn
from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast
from trl import GRPOConfig, GRPOTrainer
from trl.rewards import get_soft_overlong_punishment
from trl.trainer import grpo_trainer

Reward = Callable[..., list[float | None]]


def main() -> None:
    """Do all runs of the file that the first argument names."""
    work, folder = json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2])
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    # TRL deals the samples of a step out to its updates by chance; here they stay in the order of their groups.
    grpo_trainer.shuffle_sequence_dict = lambda batch: batch
    for run in work["runs"]:
        save_file(gradients(work, run), folder / f"{run['name']}.safetensors")
    print(json.dumps({"trl": trl.__version__, "transformers": transformers.__version__, "torch": torch.__version__}))


def gradients(work: dict[str, Any], run: dict[str, Any]) -> dict[str, Tensor]:
    """Train one step of `run["updates"]` updates and return their gradients."""
    model = AutoModelForCausalLM.from_pretrained(work["folder"], dtype=torch.float32, attn_implementation="sdpa")
    optimizer = Recorder(model.named_parameters(), work["step_length"])
    with tempfile.TemporaryDirectory() as folder:
        trainer = GRPOTrainer(
            model=model,
            reward_funcs=[REWARDS[name](work) for name in run["rewards"]],
            args=GRPOConfig(output_dir=folder, max_steps=run["updates"], **common(work, run), **run["config"]),
            train_dataset=Dataset.from_dict({"prompt": [str(number) for number in range(len(work["groups"]))]}),
            processing_class=tokenizer(work),
            rollout_func=rollouts(work),
            optimizers=(optimizer, None),
        )
        correct(trainer)
        trainer.train()
    return optimizer.gradients


def common(work: dict[str, Any], run: dict[str, Any]) -> dict[str, Any]:
    """What holds for every method. A step is two micro-batches, of one update or of one each."""
    half = len(work["groups"]) * work["group_size"] // 2
    return {
        "per_device_train_batch_size": half,
        "steps_per_generation": 2,
        "gradient_accumulation_steps": 2 // run["updates"],
        "num_generations": work["group_size"],
        "max_completion_length": work["limit"],
        "temperature": work["temperature"],
        "beta": 0.0,
        "max_grad_norm": 0.0,
        "shuffle_dataset": False,
        "lr_scheduler_type": "constant",
        "gradient_checkpointing": False,
        "bf16": False,
        "use_cpu": True,
        "report_to": "none",
        "save_strategy": "no",
        "logging_strategy": "no",
        "disable_tqdm": True,
    }


def correct(trainer: GRPOTrainer) -> None:
    """Let the trainer weigh by the engine's log-probabilities, which it does beside vLLM only."""
    trainer.use_vllm = True
    trainer._last_loaded_step = -1
    trainer.vllm_generation = Engine()


class Engine:
    """In the place of vLLM: the completions are there already, so weights have nowhere to go."""

    def sync_weights(self) -> None:
        """Do nothing."""


def rollouts(work: dict[str, Any]) -> Callable[[list[str], GRPOTrainer], dict[str, Any]]:
    """What TRL asks for completions: each group's, in order."""

    def given(prompts: list[str], trainer: GRPOTrainer) -> dict[str, Any]:
        size = work["group_size"]
        asked = [(work["groups"][int(prompt)], place % size) for place, prompt in enumerate(prompts)]
        return {
            "prompt_ids": [group["prompt_ids"] for group, _ in asked],
            "completion_ids": [group["completion_ids"][member] for group, member in asked],
            "logprobs": [group["logprobs"][member] for group, member in asked],
            "given": [group["rewards"][member] for group, member in asked],
        }

    return given


def verdict(work: dict[str, Any]) -> Reward:
    def reward(given: list[float], **_: object) -> list[float | None]:
        return list(given)

    return reward


def verdict_of_whole(work: dict[str, Any]) -> Reward:
    """None for completions that were cut short."""

    def reward(given: list[float], completion_ids: list[list[int]], **_: object) -> list[float | None]:
        ended = [ids[-1] == work["end"] for ids in completion_ids]
        return [value if whole else None for value, whole in zip(given, ended, strict=True)]

    return reward


def overlong(work: dict[str, Any]) -> Reward:
    return get_soft_overlong_punishment(work["limit"], work["limit"] // 5)


def overlong_of_whole(work: dict[str, Any]) -> Reward:
    """None for completions that were cut short."""
    penalty = overlong(work)

    def reward(completion_ids: list[list[int]], **_: object) -> list[float | None]:
        ended = [ids[-1] == work["end"] for ids in completion_ids]
        values = penalty(completion_ids=completion_ids)
        return [value if whole else None for value, whole in zip(values, ended, strict=True)]

    return reward


REWARDS: dict[str, Callable[[dict[str, Any]], Reward]] = {
    "verdict": verdict,
    "verdict_of_whole": verdict_of_whole,
    "overlong": overlong,
    "overlong_of_whole": overlong_of_whole,
}


def tokenizer(work: dict[str, Any]) -> PreTrainedTokenizerFast:
    """One word a token id. As with many models, padding has no id of its own."""
    words = {f"w{number}": number for number in range(work["vocabulary"])}
    words = {"<end>" if number == work["end"] else word: number for word, number in words.items()}
    plain = Tokenizer(WordLevel(words, unk_token="<end>"))
    return PreTrainedTokenizerFast(tokenizer_object=plain, eos_token="<end>", pad_token="<end>")


class Recorder(torch.optim.Optimizer):
    """Keeps the gradient of every update, and goes a step of fixed length against it."""

    def __init__(self, parameters: Iterable[tuple[str, nn.Parameter]], length: float) -> None:
        self.named = dict(parameters)
        self.length = length
        self.gradients: dict[str, Tensor] = {}
        self.updates = 0
        super().__init__(self.named.values(), {"lr": length})

    @torch.no_grad()
    def step(self, closure: None = None) -> None:
        """Keep the gradients and move."""
        found = {name: value.grad.clone() for name, value in self.named.items() if value.grad is not None}
        self.gradients |= {f"{self.updates}/{name}": gradient for name, gradient in found.items()}
        norm = torch.stack([gradient.double().norm() for gradient in found.values()]).norm()
        for name, gradient in found.items():
            self.named[name] -= gradient * (self.length / float(norm))
        self.updates += 1


if __name__ == "__main__":
    main()
