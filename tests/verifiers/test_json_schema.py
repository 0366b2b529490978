"""The verifier `json_schema`: one JSON value, strictly read, that a schema accepts."""

import json
import socket
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlpt.errors import UserError
from rlpt.records import Task
from rlpt.verifiers.json_schema import JsonSchemaVerifier
from rlpt.verifiers.pool import VerifierPool
from rlpt.verifiers.structured.formats import FORMATS

CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
DRAFTS = [
    "https://json-schema.org/draft/2020-12/schema",
    "https://json-schema.org/draft/2019-09/schema",
    "http://json-schema.org/draft-07/schema#",
    "http://json-schema.org/draft-06/schema#",
    "http://json-schema.org/draft-04/schema#",
]
TREE = {"type": ["object", "array"], "properties": {"inner": {"$ref": "#"}}, "items": {"$ref": "#"}}


def judge(completion, schema=None, source="text", max_characters=20_000, **reference):
    task = Task("json", "t", [], {"schema": {} if schema is None else schema, **reference})
    return JsonSchemaVerifier(source, max_characters).verify(task, completion)


def accepted(*arguments, **options):
    verdict = judge(*arguments, **options)
    assert (verdict.reward, verdict.status) in {(1.0, "correct"), (0.0, "wrong")}
    assert "\n" not in verdict.detail
    return verdict.reward == 1.0


@pytest.mark.parametrize(
    ("source", "completion", "right"),
    [
        ("fence", 'Here:\n```json\n{"city": "Rome"}\n```', True),
        ("fence", 'Here:\n```\n{"city": "Rome"}\n```\nThat is it.', True),
        ("fence", 'Here:\n```JSON\n{"city": "Rome"}\n```', True),
        ("fence", '~~~json\n{"city": "Rome"}\n~~~', True),
        ("fence", '```json\n{"city": "Rome"}', True),
        ("fence", '```json\n{"city": "Rome"}\n```\n```text\nnot this\n```', True),
        ("fence", '```json\n{"city": "Rome"}\n```\nor\n```json\n[]\n```', False),
        ("fence", '```json\n[]\n```\nrather\n```json\n{"city": "Rome"}\n```', True),
        ("fence", '<think>\n```json\n{"city": "Rome"}\n```\n</think>', False),
        ("fence", '<think>\n```json\n{"city": "Rome"}\n```', False),
        ("fence", '```json\n{"city": "Rome"}\n{"city": "Rome"}\n```', False),
        ("fence", '```json\n// a city\n{"city": "Rome"}\n```', False),
        ("fence", '```python\n{"city": "Rome"}\n```', False),
        ("fence", '{"city": "Rome"}', False),
        ("tag", 'So <answer>{"city": "Rome"}</answer>', True),
        ("tag", '<answer>[]</answer> No, this: <answer> {"city": "Rome"} </answer>', True),
        ("tag", '<answer>[]</answer><answer> {"city": "Rome"} </answer>', False),
        ("tag", '<answer>{"city": "Rome"}</answer><answer>[]</answer>', False),
        ("tag", '<answer>It is {"city": "Rome"}</answer>', False),
        ("tag", '<answer>```json\n{"city": "Rome"}\n```</answer>', False),
        ("tag", '<answer>{"city": "Rome"}', False),
        ("text", ' {"city": "Rome"}\n<|im_end|>', True),
        ("text", '<think>Paris?</think>{"city": "Rome"}', True),
        ("text", 'It is {"city": "Rome"}', False),
        ("text", '```json\n{"city": "Rome"}\n```', False),
        ("text", "", False),
    ],
)
def test_the_answer_is_read_where_it_was_asked_for(source, completion, right):
    assert accepted(completion, CITY, source) is right


@pytest.mark.parametrize(
    ("completion", "parts"),
    [
        ('{"city": "Rome"}', {"format": 1.0, "schema": 1.0}),
        ('{"city": 1}', {"format": 1.0, "schema": 0.0}),
        ("{city: 1}", {"format": 0.0, "schema": 0.0}),
        ("", {"format": 0.0, "schema": 0.0}),
        ('{"city": "' + "x" * 100 + '"}', {"format": 0.0, "schema": 0.0}),
    ],
)
def test_the_parts_say_how_far_an_answer_came(completion, parts):
    assert judge(completion, CITY, max_characters=100).parts == parts


@pytest.mark.parametrize(
    ("text", "schema"),
    [
        ("4.0", {"type": "integer"}),
        ("1e2", {"type": "integer"}),
        ("true", {"type": "integer"}),
        ("true", {"type": "number"}),
        ("1", {"type": "boolean"}),
        ("4.0", {"enum": [4]}),
        ("true", {"const": 1}),
        ("1.0", {"const": 1}),
        ("[true]", {"const": [1]}),
        ("[[1], [true], [1]]", {"uniqueItems": True}),
        ('[{"a": 1, "b": 2}, {"b": 2, "a": 1.0}]', {"uniqueItems": True}),
        ("19.995", {"multipleOf": 0.01}),
        ('"5\\n"', {"pattern": "^[0-9]$"}),
        ('"\u0665"', {"pattern": "^\\d$"}),
        ('{"a\\n": 1}', {"patternProperties": {"^a$": True}, "additionalProperties": False}),
        ('{"a\\n": 1}', {"patternProperties": {"^a$": True}, "unevaluatedProperties": False}),
        ('{"b": 1}', {"patternProperties": {"^a$": True, "^c$": True}, "additionalProperties": False}),
        ('"now"', {"format": "date-time"}),
        ('"2023-02-29"', {"format": "date"}),
        ('"x@"', {"format": "email"}),
        ('"1.2.3"', {"format": "ipv4"}),
        ("{}", {"required": ["a"]}),
        ("[1, 2]", {"prefixItems": [True], "items": False}),
        ("[1, 2]", {"$schema": DRAFTS[2], "items": [True], "additionalItems": False}),
        ("5", {"$schema": DRAFTS[4], "maximum": 5, "exclusiveMaximum": True}),
        ('{"a": 1}', {"$schema": DRAFTS[2], "dependencies": {"c": {}, "a": ["b"]}}),
    ],
)
def test_what_the_schema_does_not_accept(text, schema):
    verdict = judge(text, schema)
    assert (verdict.reward, verdict.parts) == (0.0, {"format": 1.0, "schema": 0.0})
    assert verdict.detail.startswith("$")


@pytest.mark.parametrize(
    ("text", "schema"),
    [
        ("4", {"type": "integer"}),
        ("-0", {"type": "integer", "minimum": 0}),
        ("9" * 308, {"type": "integer", "multipleOf": 0.1}),
        ("4", {"type": "number"}),
        ("4.0", {"type": "number", "enum": [4.0]}),
        ("[1, true, 0, false, [], {}]", {"uniqueItems": True}),
        ("19.99", {"multipleOf": 0.01}),
        ("1e300", {"multipleOf": 1e-300}),
        ('"$5"', {"pattern": "^[$]\\d\\$?$"}),
        ('{"a": 1, "b": 2}', {"patternProperties": {"^a$": True, "^b$": True}, "additionalProperties": False}),
        ('"2024-01-01T00:00:00Z"', {"format": "date-time"}),
        ("5", {"format": "date-time"}),
        ('{"a": 1, "b": 1}', {"$schema": DRAFTS[2], "dependencies": {"c": {}, "a": ["b"]}}),
        ('{"$ref": 5, "pattern": 1}', {"properties": {"$ref": {"type": "integer"}, "pattern": {"const": 1}}}),
        ('{"$ref": "#/nowhere", "pattern": "$"}', {"const": {"$ref": "#/nowhere", "pattern": "$"}}),
        ('{"inner": [{"inner": []}]}', TREE),
        ("[" * 64 + "]" * 64, TREE),
    ],
)
def test_what_the_schema_accepts(text, schema):
    assert accepted(text, schema)


@pytest.mark.parametrize("draft", DRAFTS)
def test_a_schema_that_names_its_draft_is_as_strict(draft):
    """Also behind a reference: the library would take a class of its own there."""
    schema = {
        "$schema": draft,
        "definitions": {"n": {"type": "object", "properties": {"n": {"type": "integer"}, "r": {"$ref": "#"}}}},
        "allOf": [{"$ref": "#/definitions/n"}],
    }
    assert accepted('{"r": {"r": {"n": 4}}}', schema)
    assert not accepted('{"n": 4.0}', schema)
    assert not accepted('{"r": {"r": {"n": 4.0}}}', schema)


@pytest.mark.parametrize(
    ("text", "value", "right"),
    [
        ("1", 1, True),
        ("1.0", 1, False),
        ("1", 1.0, False),
        ("true", 1, False),
        ("1", True, False),
        ("-0", 0, True),
        ("null", None, True),
        ("null", False, False),
        ('{"b": [1, 2], "a": null}', {"a": None, "b": (1, 2)}, True),
        ('{"b": [2, 1], "a": null}', {"a": None, "b": [1, 2]}, False),
        ('{"a": null}', {}, False),
        ("{}", {"a": None}, False),
        ('"\\u00e9"', "é", True),
        ('"e\\u0301"', "é", False),
    ],
)
def test_the_expected_value_counts_with_its_type(text, value, right):
    verdict = judge(text, value=value)
    assert verdict.reward == (1.0 if right else 0.0)
    assert verdict.parts == {"format": 1.0, "schema": 1.0}


@pytest.mark.parametrize(
    "schema",
    [
        None,
        [],
        True,
        "{}",
        {"type": "strin"},
        {"type": 3},
        {"minimum": "1"},
        {"minimum": float("nan")},
        {"required": "a"},
        {"properties": {"a": 5}},
        {"default": {1, 2}},
        {"$schema": "http://json-schema.org/draft-03/schema#"},
        {"$schema": "https://example.com/own"},
        {"$schema": 7},
        {"properties": {"a": {"$schema": DRAFTS[2]}}},
        {"$ref": "#/nowhere"},
        {"$ref": "#nowhere"},
        {"$dynamicRef": "#nowhere"},
        {"$ref": "other.json"},
        {"$ref": "http://127.0.0.1:1/schema.json"},
        {"$ref": "file:///etc/hostname"},
        {"$ref": DRAFTS[0]},
        {"$ref": "http://[bad"},
        {"properties": {"a": {"items": [{"$ref": "#/nowhere"}]}}, "$schema": DRAFTS[2]},
        {"$ref": "#/const", "const": "text"},
        {"$ref": "#/own", "own": {"type": "strin"}},
        {"$ref": "#"},
        {"anyOf": [{"type": "null"}, {"$ref": "#"}]},
        {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"not": {"$ref": "#/$defs/a"}}}},
        {"pattern": "("},
        {"pattern": "\\p{L}"},
        {"patternProperties": {"(": True}, "$schema": DRAFTS[4]},
        {"format": "iri"},
        {"properties": {"a": {"format": "dat"}}},
    ],
    ids=str,
)
def test_a_schema_that_cannot_be_judged_by_is_refused_when_loaded(schema, monkeypatch):
    def connect(*_):
        raise AssertionError("a network connection")

    monkeypatch.setattr(socket.socket, "connect", connect)
    for call in (
        lambda: JsonSchemaVerifier().check_reference({"schema": schema}),
        lambda: JsonSchemaVerifier().verify(Task("json", "t", [], {"schema": schema}), "1"),
    ):
        with pytest.raises(UserError, match=r"^json_schema: .*schema"):
            call()


def test_a_missing_schema_is_an_error():
    with pytest.raises(UserError, match="'schema'"):
        JsonSchemaVerifier().check_reference({"value": 1})


@pytest.mark.parametrize("value", [4.0, "4", float("nan"), float("inf"), {1}, 10**400, "\ud800"])
def test_a_value_that_no_answer_can_have_is_refused(value):
    with pytest.raises(UserError, match="'value'"):
        JsonSchemaVerifier().check_reference({"schema": {"type": "integer"}, "value": value})


@pytest.mark.parametrize("options", [{"source": "fenced"}, {"max_characters": 0}])
def test_unknown_options_are_refused(options):
    with pytest.raises(UserError, match=next(iter(options))):
        JsonSchemaVerifier(**options)


def test_the_reference_stays_as_it_was():
    schema = {"$schema": DRAFTS[0], "pattern": "^a$", "patternProperties": {"b$": {"format": "date"}}}
    copy = json.loads(json.dumps(schema))
    assert judge('"a"', schema) == judge('"a"', schema)
    assert schema == copy


HOSTILE = {
    "brackets": "[" * 10_000,
    "arrays": "[" * 10_000 + "]" * 10_000,
    "objects": '{"inner":' * 10_000 + "{}" + "}" * 10_000,
    "digits": "1" * 100_000,
    "quotes": '"' + '\\"' * 49_000,
    "fences": "```json\n" * 12_000,
    "ticks": "`" * 100_000,
    "tags": "<answer>" * 12_000,
    "ones": "[" + "1," * 49_000 + "1]",
    "objects side by side": "[" + ",".join(f'{{"a":{i}}}' for i in range(8_000)) + "]",
    "keys": "{" + ",".join(f'"{i}":{i}' for i in range(8_000)) + "}",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("source", ["fence", "tag", "text"])
def test_hostile_texts_get_a_verdict_at_once(text, source):
    schemas = [
        {},
        TREE,
        {"uniqueItems": True, "unevaluatedItems": {"type": "object"}, "unevaluatedProperties": {"type": "integer"}},
        {"anyOf": [{"items": {"type": "string"}}, {"additionalProperties": {"type": "string"}}]},
    ]
    started = time.monotonic()
    for schema in schemas:
        judge(text, schema, source, max_characters=100_000)
        judge("<answer>\n```json\n" + text + "\n```\n</answer>", schema, source, max_characters=100_000)
    assert time.monotonic() - started < 20.0


def test_a_schema_whose_cost_doubles_with_every_level_is_bounded():
    doubling = {
        "anyOf": [{"properties": {"inner": {"$ref": "#"}}}, {"required": ["never"]}],
        "unevaluatedProperties": False,
    }
    deep = '{"inner":' * 60 + "{}" + "}" * 60
    assert accepted('{"inner": {"inner": {}}}', doubling)
    started = time.monotonic()
    assert not accepted(deep, doubling)
    assert time.monotonic() - started < 5.0


def test_eight_threads_come_to_the_same_verdicts():
    texts = ['{"inner": [' + str(i) + "]}" for i in range(40)] + ['{"inner": [{}]}'] * 40
    with ThreadPoolExecutor(8) as threads:
        verdicts = list(threads.map(lambda text: judge(text, TREE), texts))
    assert verdicts == [judge(text, TREE) for text in texts]


def test_it_works_in_the_pool_and_hostile_answers_harm_no_other():
    config = {"_target_": "rlpt.verifiers.json_schema.JsonSchemaVerifier", "source": "text", "max_characters": 20_000}
    task = Task("json", "t", [], {"schema": TREE, "value": {"inner": []}})
    with VerifierPool({"json": config}, workers=1) as pool:
        verdicts = pool.score([(task, text) for text in ['{"inner": []}', *HOSTILE.values(), '{"inner": []}']])
    assert [verdict.reward for verdict in verdicts] == [1.0, *[0.0] * len(HOSTILE), 1.0]


@settings(max_examples=200, deadline=None)
@given(st.one_of(st.text(max_size=80), st.text('{}[]":,`json\n<answer>/0123 -e.', max_size=80)))
def test_any_text_gets_a_verdict_and_always_the_same(completion):
    for source in ("fence", "tag", "text"):
        verdict = judge(completion, CITY, source)
        assert verdict.reward in (0.0, 1.0)
        assert set(verdict.parts) == {"format", "schema"}
        assert judge(completion, CITY, source) == verdict


@settings(max_examples=100, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text("abc`<>", max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=3),
    )
)
def test_a_value_equals_itself_in_every_source(value):
    text = json.dumps(value, indent=1)
    assert accepted(text, value=value)
    assert accepted(f"So:\n```json\n{text}\n```", source="fence", value=value)
    assert not accepted(json.dumps([value]), value=value)


def test_nothing_planted_runs(tmp_path):
    flag = tmp_path / "ran"
    for text in (f"__import__('pathlib').Path({str(flag)!r}).touch()", f'{{"__reduce__": "open({str(flag)!r}, 1)"}}'):
        for source in ("fence", "tag", "text"):
            judge(f"<answer>{text}</answer>", CITY, source)
            judge(text, {"format": "date"}, source)
    assert not flag.exists()


def test_the_formats_are_asserted_in_every_draft():
    for draft in DRAFTS:
        for name in FORMATS:
            assert not accepted('"\\u0000"', {"$schema": draft, "format": name})
