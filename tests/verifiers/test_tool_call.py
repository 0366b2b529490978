"""The verifier `tool_call`: exactly the expected calls, read without evaluating anything."""

import json

import pytest

from rlpt.errors import UserError
from rlpt.records import Task
from rlpt.verifiers.tool_call import ToolCallVerifier
from tests.verifiers.tool_calls import TOOL, as_json, hermes, judge, python, right


@pytest.mark.parametrize(
    "completion",
    [
        '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>',
        'Let me see.\n<tool_call>{"name": "get_weather", "parameters": {"city": "Paris"}}</tool_call> Wait.<|im_end|>',
        '<think>[get_weather(city="Rome")]</think>\n[get_weather(city="Paris")]',
        '{"name": "get_weather", "arguments": {"city": "Paris", "unit": "celsius"}}',
        '[{"name": "get_weather", "parameters": {"unit": "CELSIUS", "city": "paris france"}}]',
        'Sure:\n```json\n[{"name": "get_weather", "arguments": {"city": "Paris"}}]\n```',
        '```\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n```',
        '[get_weather(city="Paris")]',
        "get_weather(city='Paris', unit='celsius')",
        '```python\n[get_weather(\n    city="Paris",  # of France\n)]\n```',
        '```tool_code\nget_weather(city="Paris")\n```',
        '[get_weather(city="Pa" "ris", unit="")]',
    ],
)
def test_a_right_call_in_each_syntax(completion):
    verdict = judge(completion)
    assert (verdict.reward, verdict.parts) == (1.0, {"format": 1.0})


@pytest.mark.parametrize(
    "completion",
    [
        hermes(("get_weather", {"city": "Rome"})),
        hermes(("get_weather", {})),
        hermes(("get_weather", {"city": "Paris", "days": 1})),
        hermes(("get_weather", {"city": "Paris", "unit": None})),
        hermes(("get_weather", {"city": ["Paris"]})),
        hermes(("Get_Weather", {"city": "Paris"})),
        hermes(("get_weather ", {"city": "Paris"})),
        hermes(("get\u200b_weather", {"city": "Paris"})),
        hermes(("\uff47et_weather", {"city": "Paris"})),
        hermes(("get_we\u0430ther", {"city": "Paris"})),
        hermes(("get_weather", {"c\u0456ty": "Paris"})),
        hermes(("get_weather", {"city": "Paris"}), ("get_weather", {"city": "Paris"})),
        hermes(("get_weather", {"city": "Paris"}), ("delete_all", {})),
        python(("get_weather", {"city": "Paris"}), ("delete_all", {})),
        '```python\ndelete_all()\n```\n```python\nget_weather(city="Paris")\n```',
        '[weather.get_weather(city="Paris")]',
    ],
)
def test_other_calls_are_well_formed_and_wrong(completion):
    verdict = judge(completion)
    assert (verdict.reward, verdict.parts) == (0.0, {"format": 1.0})
    assert verdict.detail


@pytest.mark.parametrize(
    "completion",
    [
        "",
        "It is sunny in Paris.",
        'I call get_weather(city="Paris").',
        'Sure! [get_weather(city="Paris")]',
        '<tool_call>{"name": "get_weather", "arguments": {"city": "Paris"}}',
        '<tool_call><tool_call>{"name": "get_weather", "arguments": {"city": "Paris"}}</tool_call>',
        '{"name": "get_weather", "arguments": {"city": "Paris"}}</tool_call>',
        '<tool_call>{"name": "get_weather", "arguments": {"city": "Paris"}} {}</tool_call>',
        '<tool_call>get_weather(city="Paris")</tool_call>',
        '<tool_call>{"name": "get_weather", "arguments": {"city": "Rome", "city": "Paris"}}</tool_call>',
        '<tool_call>{"name": "get_weather", "arguments": "{\\"city\\": \\"Paris\\"}"}</tool_call>',
        '<tool_call>{"name": "get_weather", "city": "Paris"}</tool_call>',
        '<tool_call>{"name": "get_weather", "arguments": {"city": "Paris"}, "parameters": {}}</tool_call>',
        '<tool_call>{"name": "get_weather", "arguments": {"city": "Paris"}, "id": 1}</tool_call>',
        '[{"name": "get_weather", "arguments": {"city": "Paris"}}, 5]',
        '[{"name": "get_weather", "arguments": {"city": "Paris", "unit": NaN}}]',
        '[{"name": "get_weather", "arguments": {"city": "Paris"}},]',
        "[{'name': 'get_weather', 'arguments': {'city': 'Paris'}}]",
        '[get_weather("Paris")]',
        '[get_weather(*["Paris"])]',
        '[get_weather(**{"city": "Paris"})]',
        '[get_weather(city="Rome", city="Paris")]',
        '[get_weather(city=f"Paris")]',
        '[get_weather(city=b"Paris")]',
        '[get_weather(city="Par" + "is")]',
        "[get_weather(city=Paris)]",
        '[get_weather(city=str("Paris"))]',
        '[get_weather(city="Paris"), 5]',
        'get_weather(city="Paris"); get_weather(city="Paris")',
        'x = get_weather(city="Paris")',
        '(lambda: get_weather)()(city="Paris")',
        '[get_weather(city="\\ud800")]',
        "[get_weather(city=1e999)]",
        f"[get_weather(city={'[' * 65}{']' * 65})]",
        '[\uff47et_weather(city="Paris")]',
        '[get_weather(\uff43ity="Paris")]',
        '[weather.\uff47et_weather(city="Paris")]',
        '```python\nimport os\nget_weather(city="Paris")\n```',
    ],
)
def test_what_is_no_call_has_no_format(completion):
    verdict = judge(completion)
    assert (verdict.reward, verdict.parts) == (0.0, {"format": 0.0})


@pytest.mark.parametrize(
    ("text", "value", "accepted_value"),
    [
        ("1", 1, True),
        ("1.0", 1, False),
        ("True", 1, False),
        ("-0", 0, True),
        ("-1", -1, True),
        ("+1", 1, True),
        ("- 1.5", -1.5, True),
        ("-True", -1, False),
        ("--1", 1, False),
        ("0x10", 16, True),
        ("1e999", 1e308, False),
        ("1j", 1, False),
        ("...", "...", False),
        ("None", None, True),
        ("[1, 'a', None]", [1, "a", None], True),
        ("{'a': [True]}", {"a": [[True]]}, True),
        ("{1: 2}", {"1": [2]}, False),
        ("{'a': 2, 'a': 1}", {"a": [1]}, False),
        ("{**{'a': 1}}", {"a": [1]}, False),
        ("{1}", [1], False),
        ("[x for x in [1]]", [1], False),
        ("1 if 1 else 2", 1, False),
        ("(1)", 1, True),
        ("(a := 1)", 1, False),
    ],
)
def test_python_arguments_are_literals(text, value, accepted_value):
    assert right(f"[f(a={text})]", [{"name": "f", "arguments": {"a": [value]}}]) is accepted_value


@pytest.mark.parametrize("write", [hermes, as_json, python])
def test_parallel_calls_are_matched_in_any_order(write):
    calls = [
        {"name": "f", "arguments": {"a": [1, 2]}},
        {"name": "f", "arguments": {"a": [1]}},
        {"name": "math.g", "arguments": {}},
    ]
    one, two, third = ("f", {"a": 1}), ("f", {"a": 2}), ("math.g", {})
    # The first expected call may not take the only one that the second can use.
    assert right(write(one, two, third), calls)
    assert right(write(third, two, one), calls)
    assert not right(write(two, two, third), calls)
    assert not right(write(one, two), calls)
    assert not right(write(one, two, third, third), calls)
    assert right(write(two, one, third), calls, ordered=True)
    assert not right(write(one, two, third), calls, ordered=True)
    assert not right(write(third, two, one), calls, ordered=True)


def test_tools_say_types_and_what_is_needed():
    calls = [{"name": "get_weather", "arguments": {"city": ["Paris", ""], "days": [3, ""]}}]
    assert right('[get_weather(city="Paris")]', calls, tools=[TOOL])
    assert right('[get_weather(city="Paris", days=3)]', calls, tools=[{"type": "function", "function": TOOL}])
    assert not right("[get_weather(days=3)]", calls, tools=[TOOL])
    assert right("[get_weather(days=3)]", calls)
    assert not right('[get_weather(city="Paris", days=3.0)]', calls, tools=[TOOL])
    assert not right('[get_weather(city="Paris", days="3")]', calls, tools=[TOOL])


def test_positional_arguments_need_a_tool_that_names_them():
    assert right('[get_weather("Paris", unit="celsius")]', tools=[TOOL])
    assert right('[get_weather("Paris", "celsius")]', tools=[TOOL])
    assert not right('[get_weather("celsius", "Paris")]', tools=[TOOL])
    assert not right('[get_weather("Paris", city="Paris")]', tools=[TOOL])
    assert not right('[get_weather("Paris", "celsius", 1, 2)]', tools=[TOOL])
    assert not right('[get_weather("Paris")]')


@pytest.mark.parametrize(
    ("completion", "none_made"),
    [
        ("None of the tools fits.", True),
        ("Which city do you mean (Paris in France)?", True),
        ("[]", True),
        ('{"answer": 42}', True),
        ("get_weather needs a city.", True),
        ("", False),
        ("...", False),
        ("<think>none fits", False),
        ("<think>none fits</think>", False),
        (python(("get_weather", {"city": "Paris"})), False),
        (hermes(("unheard_of", {})), False),
        ("unheard_of(a=[)", False),
        ("[unheard_of(a=b)]", False),
        ('Sure: [get_weather(city="Paris")]', False),
        ('<tool_call>{"name": "get_weather", "arguments": {"city": }}</tool_call>', False),
        ('{"name": "get_weather", "arguments": {"city": "Paris"', False),
        ("{'name': 'get_weather'}", False),
        ("<function=get_weather>", False),
        ("```python\nprint(get_weather)\n```", False),
    ],
)
def test_where_no_call_is_right_neither_is_a_failed_attempt(completion, none_made):
    assert right(completion, [], tools=[TOOL]) is none_made


@pytest.mark.parametrize(
    ("completion", "none_made"), [("Use print(1).", False), ("I need the date(s).", True), ("No tool fits.", True)]
)
def test_without_tools_any_name_before_a_parenthesis_is_an_attempt(completion, none_made):
    assert right(completion, []) is none_made


@pytest.mark.parametrize("syntax", ["hermes", "json", "python"])
def test_only_the_syntaxes_asked_for_are_read(syntax):
    call = ("get_weather", {"city": "Paris"})
    for name, write in {"hermes": hermes, "json": as_json, "python": python}.items():
        assert right(write(call), options={"syntax": [syntax]}) is (name == syntax)
        assert not right(write(call), [], options={"syntax": [syntax]})


def test_strict_strings():
    assert right('[get_weather(city="paris")]')
    assert not right('[get_weather(city="paris")]', options={"strict_strings": True})
    assert right('[get_weather(city="Paris")]', options={"strict_strings": True})


def test_a_call_in_the_text_of_an_argument_is_text():
    calls = [{"name": "say", "arguments": {"text": ["<tool_call>{}</tool_call>\n```json\n[]\n```"]}}]
    assert right(json.dumps({"name": "say", "arguments": {"text": calls[0]["arguments"]["text"][0]}}, indent=1), calls)


@pytest.mark.parametrize(
    ("reference", "field"),
    [
        ({}, "calls"),
        ({"calls": None}, "calls"),
        ({"calls": {}}, "calls"),
        ({"calls": ["f"]}, "calls"),
        ({"calls": [{"name": "f"}]}, "calls"),
        ({"calls": [{"name": "", "arguments": {}}]}, "calls"),
        ({"calls": [{"name": "f", "arguments": {}, "args": {}}]}, "calls"),
        ({"calls": [{"name": "f", "arguments": {"a": 1}}]}, "calls"),
        ({"calls": [{"name": "f", "arguments": {"a": []}}]}, "calls"),
        ({"calls": [{"name": "f", "arguments": {"a": [{"b": [1], "c": 2}]}}]}, "calls"),
        ({"calls": [{"name": "f", "arguments": {"a": [[{"b": []}]]}}]}, "calls"),
        ({"calls": [{"name": "f", "arguments": {"a": [float("nan")]}}]}, "reference"),
        ({"calls": [{"name": "f", "arguments": {}}] * 101}, "calls"),
        ({"calls": [], "ordered": "yes"}, "ordered"),
        ({"calls": [], "tools": {"name": "f"}}, "tools"),
        ({"calls": [], "tools": [{}]}, "tools"),
        ({"calls": [], "tools": [TOOL, TOOL]}, "tools"),
        ({"calls": [], "tools": [{"name": "f", "parameters": {"properties": []}}]}, "tools"),
        ({"calls": [], "tools": [{"name": "f", "parameters": {"properties": {"a": {"type": "int"}}}}]}, "tools"),
        ({"calls": [], "tools": [{"name": "f", "parameters": {"properties": {"a": 5}}}]}, "tools"),
        ({"calls": [{"name": "f", "arguments": {}}], "tools": [TOOL]}, "calls"),
        ({"calls": [{"name": "get_weather", "arguments": {}}], "tools": [TOOL]}, "calls"),
        ({"calls": [{"name": "get_weather", "arguments": {"city": [""]}}], "tools": [TOOL]}, "calls"),
        ({"calls": [{"name": "get_weather", "arguments": {"city": ["a"], "b": [1]}}], "tools": [TOOL]}, "calls"),
    ],
    ids=lambda value: str(value)[:60],
)
def test_a_reference_that_no_answer_could_satisfy_is_refused(reference, field):
    verifier = ToolCallVerifier()
    for call in (
        lambda: verifier.check_reference(reference),
        lambda: verifier.verify(Task("tools", "t", [], reference), "[]"),
    ):
        with pytest.raises(UserError, match=rf"^tool_call: .*{field}"):
            call()


@pytest.mark.parametrize("options", [{"syntax": []}, {"syntax": ["xml"]}, {"max_characters": 0}])
def test_unknown_options_are_refused(options):
    with pytest.raises(UserError, match=next(iter(options))):
        ToolCallVerifier(**options)
