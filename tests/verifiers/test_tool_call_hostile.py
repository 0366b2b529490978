"""The verifier `tool_call` under hostile and random texts: always a verdict, the same one, and nothing runs."""

import json
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlpt.records import Task
from rlpt.verifiers.pool import VerifierPool
from rlpt.verifiers.tool_call import ToolCallVerifier
from tests.verifiers.tool_calls import TOOL, WEATHER, as_json, hermes, judge, python, right

HOSTILE = {
    "brackets": "[" * 10_000,
    "nested json": '{"name": "f", "arguments": {"a": ' + "[" * 10_000 + "]" * 10_000 + "}}",
    "nested objects": '{"name": "f", "arguments": ' + '{"a":' * 10_000 + "1" + "}" * 10_000 + "}",
    "nested python": "[f(a=" + "[" * 10_000 + "]" * 10_000 + ")]",
    "nested a little": "[f(a=" + "[" * 150 + "]" * 150 + ")]",
    "nested calls": "f(" * 10_000 + ")" * 10_000,
    "signs": "[f(a=" + "-" * 60_000 + "1)]",
    "sums": "[f(a=" + "1+" * 30_000 + "1)]",
    "attributes": "[f" + ".f" * 30_000 + "(a=1)]",
    "chains": "f" + "()" * 30_000,
    "digits": "[f(a=" + "9" * 60_000 + ")]",
    "hexadecimal digits": "[f(a=0x" + "f" * 60_000 + ")]",
    "many calls": "[" + "f(a=1)," * 10_000 + "]",
    "many json calls": "[" + ",".join(['{"name":"f","arguments":{}}'] * 3_500) + "]",
    "many blocks": '<tool_call>{"name":"f","arguments":{"a":1}}</tool_call>' * 1_800,
    "opening tags": "<tool_call>" * 9_000,
    "closing tags": "</tool_call>" * 8_000,
    "fences": "```\n" * 25_000,
    "ticks": "`" * 100_000,
    "quotes": '"' * 100_000,
    "backslashes": '{"name": "' + '\\"' * 49_000,
    "odd letters": "[\u00e9" + "\u0301" * 50_000 + "(a=1)]",
    "NUL": "[f(a=\x00)]",
    "words": "f " * 50_000,
    "names": "f(" * 50_000,
    "keys": '"name":' * 14_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_texts_get_a_verdict_at_once(text):
    calls = [{"name": "f", "arguments": {"a": [1]}}]
    started = time.monotonic()
    for completion in (text, f"<tool_call>{text}</tool_call>", f"```\n{text}\n```"):
        for limit in (20_000, 200_000):
            assert not right(completion, calls, options={"max_characters": limit})
            judge(completion, [], options={"max_characters": limit})
    assert time.monotonic() - started < 10.0


def test_it_works_in_the_pool_and_hostile_answers_harm_no_other():
    config = {"_target_": "rlpt.verifiers.tool_call.ToolCallVerifier", "syntax": ["hermes", "python"]}
    task = Task("tools", "t", [], {"calls": WEATHER, "tools": [TOOL]})
    good = '[get_weather("Paris")]'
    with VerifierPool({"tools": config}, workers=1) as pool:
        verdicts = pool.score([(task, text) for text in [good, *HOSTILE.values(), good]])
    assert [verdict.reward for verdict in verdicts] == [1.0, *[0.0] * len(HOSTILE), 1.0]


def test_eight_threads_come_to_the_same_verdicts():
    texts = [f'[get_weather(city="Paris", unit="{unit}")]' for unit in ("celsius", "kelvin")] * 50
    with ThreadPoolExecutor(8) as threads:
        rewards = [verdict.reward for verdict in threads.map(judge, texts)]
    assert rewards == [1.0, 0.0] * 50


def test_nothing_planted_runs(tmp_path):
    flag = tmp_path / "ran"
    touch = f"__import__('pathlib').Path({str(flag)!r}).touch()"
    for text in (
        f"[get_weather(city={touch})]",
        touch,
        f"[{touch}]",
        f'<tool_call>{{"name": "get_weather", "arguments": {{"city": {touch}}}}}</tool_call>',
        f"```python\n{touch}\n```",
        f"[get_weather(city=f'{{{touch}}}')]",
        f"@{touch}\ndef get_weather(): pass",
    ):
        for calls in (WEATHER, []):
            assert not right(text, calls)
    assert not flag.exists()


def test_the_reference_stays_as_it_was():
    reference = {"calls": WEATHER, "tools": [TOOL], "ordered": False}
    copy = json.loads(json.dumps(reference))
    task = Task("tools", "t", [], reference)
    verifier = ToolCallVerifier()
    assert verifier.verify(task, '[get_weather("Paris")]') == verifier.verify(task, '[get_weather("Paris")]')
    assert reference == copy


PIECES = [
    *(
        "<tool_call>",
        "</tool_call>",
        '{"name": "get_weather", "arguments": ',
        '{"city": "Paris"}',
        "}",
        "[",
        "]",
        "text",
    ),
    *("get_weather(", 'city="Paris"', ")", ", ", "```\n", "```python\n", "\n```\n", "<think>"),
]
TEXTS = st.one_of(
    st.text(max_size=80),
    st.text("[]{}()=:,.\"'`\n<>/ -1aftgetweher_", max_size=80),
    st.lists(st.sampled_from(PIECES), max_size=10).map("".join),
)


@settings(max_examples=300, deadline=None)
@given(TEXTS)
def test_any_text_gets_a_verdict_and_always_the_same(completion):
    for calls in (WEATHER, []):
        verdict = judge(completion, calls, tools=[TOOL])
        assert verdict.reward in (0.0, 1.0)
        assert verdict.parts["format"] >= verdict.reward
        assert judge(completion, calls, tools=[TOOL]) == verdict


@settings(max_examples=300, deadline=None)
@given(TEXTS)
def test_no_text_is_right_both_as_a_call_and_as_none(completion):
    assert not (right(completion, WEATHER) and right(completion, []))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=5,
).filter(lambda value: value != "")


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.sampled_from(["a", "b", "c"]), VALUES, max_size=3))
def test_a_call_is_right_in_every_syntax_and_no_longer_with_one_argument_more(arguments):
    calls = [{"name": "tools.f", "arguments": {key: [value] for key, value in arguments.items()}}]
    for write in (hermes, as_json, python):
        assert right(write(("tools.f", arguments)), calls)
        assert not right(write(("tools.f", {**arguments, "d": 1})), calls)
        assert not right(write(("tools.f", arguments), ("tools.f", arguments)), calls)
