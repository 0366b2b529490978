"""A domain with tools through the whole system: real engine, real sandbox, real verifier."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from rlpt.evaluation.sample import sample_from_json
from rlpt.policy.tokenizer import ChatTokenizer
from rlpt.records import Group
from rlpt.run_dir import RunDir
from rlpt.sandbox.process import why_not
from rlpt.tracking.local import read_rollouts
from rlpt.tracking.results import read_results
from tests.system.conftest import CHEAP, metrics, only_run

FEW_PLACES = "tool.python.sessions=5"


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory, need: Callable[[str | None], None]) -> Path:
    """The directory of a finished run of one step."""
    need(why_not())
    folder = tmp_path_factory.mktemp("tools")
    options = ["domain=[calculator]", "budget.steps=1", "tracker=none", "sandbox=process", FEW_PLACES]
    command = [sys.executable, "-m", "rlpt", "train", *CHEAP, *options]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=500, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.count("sandbox: process") == 1, "one sandbox, said once"
    return only_run(folder)


@pytest.fixture(scope="module")
def groups(finished: Path) -> list[Group]:
    return [group for group, _ in read_rollouts(RunDir(finished).rollouts(1))]


def test_rollouts_call_the_tool_and_go_on_with_what_it_said(groups: list[Group]) -> None:
    rollouts = [rollout for group in groups for rollout in group.rollouts]
    assert len(rollouts) == 24
    talking = [rollout for rollout in rollouts if len(rollout.messages) > 1]
    assert len(talking) > 12, "the tiny policy was shown nothing else"
    for rollout in talking:
        call, told, *_ = rollout.messages
        answer = [message for message in rollout.messages if message["role"] == "assistant"][-1]
        code = call["content"].partition('"print(')[2].partition(')"')[0]
        if told["status"] == "ok":
            left, symbol, right = code.split()
            a, b = int(left), int(right)
            assert told["content"] == str({"+": a + b, "-": a - b, "*": a * b}[symbol])
        # What verifiers see has no marks; the tiny policy may write one anywhere.
        assert re.sub(r"</?tool_call>", "", answer["content"]) == rollout.text


def test_what_the_tool_said_is_no_action(finished: Path, groups: list[Group]) -> None:
    chat = ChatTokenizer(finished / "policy")
    for rollout in (rollout for group in groups for rollout in group.rollouts):
        told = [token for token, own in zip(rollout.token_ids, rollout.action_mask, strict=True) if not own]
        expected = [message["content"] for message in rollout.messages if message["role"] == "tool"]
        text = "".join(f"<|tool|>{content}<|end|><|assistant|>" for content in expected)
        assert chat.transcribe([*told, 1]) == text
        assert {own for own, value in zip(rollout.action_mask, rollout.logprobs, strict=True) if value < 0} <= {1}
        assert len(rollout.prompt_ids) + len(rollout.token_ids) <= 256
        assert rollout.actions <= 96


def test_answers_are_judged_and_the_engine_agrees_with_the_trainer(finished: Path, groups: list[Group]) -> None:
    assert all(verdict.reward is not None for group in groups for verdict in group.verdicts)
    last = metrics(finished)[-1]
    assert last["train/calculator/turns"] > 1.5
    assert 0 <= last["train/calculator/tool_errors"] < 1
    assert last["train/calculator/unscored"] == 0
    if last["rl/updates"]:
        assert last["mismatch/max"] < 1e-4, "also of tokens after those of a tool"
        assert last["perf/action_token_share"] < 1


def test_evaluations_record_what_was_said(finished: Path) -> None:
    samples = [sample_from_json(row) for row in read_results(RunDir(finished).evaluation(0))]
    assert any(message["role"] == "tool" for sample in samples for message in sample.messages)


def test_the_result_calls_its_tool_when_it_is_evaluated(finished: Path, rlpt, tmp_path: Path) -> None:
    options = ["domain=[calculator]", "evaluation.tasks_per_domain=4", "sandbox=process"]
    result = rlpt("eval", f"policy={finished}", *options)
    assert result.returncode == 0, result.stdout + result.stderr
    samples = [sample_from_json(row) for row in read_results(RunDir(only_run(tmp_path)).evaluation(0))]
    assert any(message["role"] == "tool" for sample in samples for message in sample.messages)


def test_a_template_that_shows_no_tools_is_refused_with_the_fix(finished: Path, rlpt, tmp_path: Path) -> None:
    plain = "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}<|end|>{% endfor %}<|assistant|>"
    (tmp_path / "plain.jinja").write_text(plain)
    options = ["policy.chat_template=plain.jinja", "domain=[calculator]", "sandbox=process"]
    result = rlpt("eval", f"policy={finished}", *options)
    assert result.returncode == 1, result.stdout + result.stderr
    assert "does not show tools" in result.stderr
    assert "policy.chat_template=FILE" in result.stderr
