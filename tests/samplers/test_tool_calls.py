"""Tool calls as vLLM's own parsers read them, in the real engine's process."""

from __future__ import annotations

import pytest

from rlpt.config.tool_parsers import tool_parsers
from rlpt.errors import UserError
from rlpt.policy.tokenizer import ChatTokenizer
from rlpt.samplers.protocol import SamplerError
from rlpt.samplers.restarting import RestartingSampler
from rlpt.samplers.vllm import VLLMSampler
from rlpt.samplers.vllm_tool_calls import CallReader

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "python",
            "description": "Runs Python.",
            "parameters": {"type": "object", "properties": {"code": {"type": "string"}}, "required": ["code"]},
        },
    }
]
CALL = '<tool_call>{"name": "python", "arguments": {"code": "print(2)"}}</tool_call>'


@pytest.fixture(scope="module")
def sampler(make_sampler):
    return RestartingSampler(lambda: make_sampler(tool_parser="hermes"))


@pytest.fixture(scope="module")
def read(sampler, model_folder):
    chat = ChatTokenizer(model_folder)
    return lambda *texts: sampler.tool_calls([chat.encode_answer(text) for text in texts], TOOLS)


def test_calls_are_read_turn_by_turn(read):
    one, none, two = read(CALL, "no call", f"I call {CALL}\n{CALL.replace('2', '3')}")
    assert [(call.name, call.arguments) for call in one] == [("python", '{"code": "print(2)"}')]
    assert none == []
    assert [call.arguments for call in two] == ['{"code": "print(2)"}', '{"code": "print(3)"}']
    assert len({call.call_id for call in two}) == 2


@pytest.mark.parametrize(
    "text",
    [
        "",
        "<tool_call>",
        "<tool_call></tool_call>",
        "<tool_call>{</tool_call>",
        '<tool_call>{"name": "python"}</tool_call>',
        "<tool_call>[1]</tool_call>",
        '<tool_call>{"name": 3, "arguments": {}}</tool_call>',
        "<tool_call>" + "[" * 90,
        "</tool_call><tool_call>",
        "\x00\ufffd",
    ],
)
def test_odd_text_is_no_call_and_the_engine_lives(read, text):
    odd, good = read(text, CALL)
    assert odd == []
    assert len(good) == 1


def test_an_engine_without_a_parser_says_so(make_sampler):
    bare = make_sampler()
    with pytest.raises(SamplerError, match="without a tool parser"):
        bare.tool_calls([[5, 1]], TOOLS)


@pytest.mark.parametrize(
    ("parser", "reason"), [("hermess", "hermess"), ("mistral", "could not locate"), (None, "without")]
)
def test_what_fails_in_every_turn_is_no_turn_without_calls(model_folder, parser, reason):
    with pytest.raises(Exception, match=reason):
        CallReader(str(model_folder), parser, [1]).read([[5, 1]], TOOLS)


def test_a_missing_tokenizer_is_no_turn_without_calls(tmp_path):
    with pytest.raises(Exception, match="tokenizer"):
        CallReader(str(tmp_path), "hermes", [1]).read([[5, 1]], TOOLS)


def test_nothing_asked_is_nothing_answered(sampler):
    assert sampler.tool_calls([], TOOLS) == []


def test_an_unknown_parser_is_refused_before_the_engine_starts(model_folder, tmp_path):
    with pytest.raises(UserError, match="did you mean hermes"):
        VLLMSampler(model_folder=model_folder, log_path=tmp_path / "log", stop_token_ids=[1], tool_parser="hermess")
    assert not (tmp_path / "log").exists()


def test_the_names_are_those_that_vllm_registers():
    assert {"hermes", "qwen3_coder", "llama3_json", "mistral"} <= set(tool_parsers())
