"""What fine-tuning trains on: the policy's tokens of a demonstration, and none of a tool's."""

from __future__ import annotations

import pytest

from rlpt.domains.protocol import build_domains
from rlpt.policy import tiny
from rlpt.policy.tokenizer import ChatTokenizer
from rlpt.policy.tool_chat import ToolChat
from rlpt.records import Rollout
from rlpt.tools.python import PythonTool
from rlpt.training.sft import demonstrations

SETTINGS = {
    "_target_": "rlpt.domains.calculator.Calculator",
    "name": "calculator",
    "seed": 0,
    "train_tasks": 20,
    "validation_tasks": 2,
    "test_tasks": 2,
    "operators": ["+", "*"],
    "max_operand": 999,
    "max_factor": 99,
}
SCHEMA = PythonTool("python", "Runs Python.", {}, 1, 100, {}).schema()


@pytest.fixture(scope="module")
def chat(tmp_path_factory: pytest.TempPathFactory) -> ChatTokenizer:
    folder = tmp_path_factory.mktemp("demonstrations") / "model"
    tiny.write_fresh_model(["What is 2 + 3? The answer is 5."] * 9, folder, seed=0)
    return ChatTokenizer(folder)


def shown(chat: ChatTokenizer, with_tools: bool) -> list[Rollout]:
    words = {"calculator": ToolChat(chat, "tiny", [SCHEMA])} if with_tools else {}
    return demonstrations(chat, build_domains({"calculator": SETTINGS}), 10, 512, words)


def test_a_trajectory_is_trained_on_where_the_policy_wrote_it(chat: ChatTokenizer):
    for rollout in shown(chat, with_tools=True):
        left, symbol, right = rollout.task_id.split()
        result = str(int(left) + int(right) if symbol == "+" else int(left) * int(right))
        assert "python(code)" in chat._tokenizer.decode(rollout.prompt_ids)
        tokens = list(zip(rollout.token_ids, rollout.action_mask, strict=True))
        told = chat._tokenizer.decode([token for token, own in tokens if not own])
        written = chat._tokenizer.decode([token for token, own in tokens if own])
        assert told == f"<|tool|>{result}<|end|><|assistant|>"
        code = f'{{"code": "print({rollout.task_id})"}}'
        assert written == (
            f'<tool_call>{{"name": "python", "arguments": {code}}}</tool_call><|end|>'
            f"The answer is \\boxed{{{result}}}.<|end|>"
        )


def test_without_tools_the_answer_alone_is_shown(chat: ChatTokenizer):
    for rollout in shown(chat, with_tools=False):
        assert set(rollout.action_mask) == {1}
        assert chat.decode(rollout.token_ids).startswith("The answer is")
        assert "python(code)" not in chat._tokenizer.decode(rollout.prompt_ids)
