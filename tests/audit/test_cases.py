"""Labelled cases are read whole, or refused in one sentence that names the line."""

from __future__ import annotations

import contextlib
import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlpt.audit.cases import MOST_NESTED, Case, read_cases
from rlpt.errors import UserError

GOOD = {"id": 1, "completion": "\\boxed{5}", "gold": "5", "correct": True}


def write(folder: Path, *lines: object) -> Path:
    file = folder / "cases.jsonl"
    texts = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
    file.write_bytes(b"\n".join(texts))
    return file


def refusal(folder: Path, *lines: object) -> str:
    file = write(folder, *lines)
    with pytest.raises(UserError) as caught:
        read_cases(file)
    sentence = str(caught.value)
    assert sentence.startswith(str(file))
    assert sentence.endswith(".")
    assert sentence.isprintable()
    return sentence.removeprefix(str(file))


def test_every_field_is_read(tmp_path: Path) -> None:
    tests = {"entry_point": "f", "calls": []}
    second = {"id": "b", "completion": "", "reference": tests, "correct": False, "why": "other keys are ignored"}
    assert read_cases(write(tmp_path, GOOD, second)) == [
        Case(1, 1, {"answer": "5"}, "\\boxed{5}", True),
        Case("b", 2, tests, "", False),
    ]


def test_a_case_becomes_what_the_pool_takes(tmp_path: Path) -> None:
    (case,) = read_cases(write(tmp_path, GOOD))
    task, completion = case.item("math")
    assert (task.domain, task.task_id, task.reference, completion) == ("math", "1", {"answer": "5"}, "\\boxed{5}")


def test_gold_may_be_any_value_and_null_is_no_value(tmp_path: Path) -> None:
    number = {**GOOD, "gold": 5, "reference": None}
    assert [case.reference for case in read_cases(write(tmp_path, number))] == [{"answer": 5}]


def test_empty_lines_byte_order_marks_and_windows_line_ends_are_no_cases(tmp_path: Path) -> None:
    line = json.dumps(GOOD).encode()
    file = write(tmp_path, b"\xef\xbb\xbf" + line + b"\r", b"", b"  \r", line.replace(b"1", b"2", 1), b"")
    assert [(case.id, case.line) for case in read_cases(file)] == [(1, 1), (2, 4)]


def test_separators_that_are_no_line_ends_stay_in_their_text(tmp_path: Path) -> None:
    line = json.dumps({**GOOD, "completion": "a\u2028b\x85c"}, ensure_ascii=False).encode()
    assert read_cases(write(tmp_path, line))[0].completion == "a\u2028b\x85c"


def without(key: str) -> dict[str, object]:
    return {name: value for name, value in GOOD.items() if name != key}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b"{'id': 2}", "is not JSON"),
        (b"nonsense", "is not JSON"),
        (b'{"id": 2, "completion": "x", "gold": "5", "correct": true', "is not JSON"),
        (b'{"id": 2, "completion": "x", "gold": NaN, "correct": true}', "NaN is no number of JSON"),
        (
            b'{"id": 2, "completion": "x", "gold": "5", "correct": true, "correct": false}',
            '"correct" stands in it twice',
        ),
        (b'{"id": 2, "gold": ' + b"7" * 5000 + b"}", "is not JSON"),
        (b"[" * 10_000, "nested too deeply"),
        (b'{"id": 2, "gold": ' + b"[" * 10_000 + b"]" * 10_000 + b"}", "nested too deeply"),
        (b'{"id": 2, "gold": ' + b"[" * MOST_NESTED + b"]" * MOST_NESTED + b"}", "nested too deeply"),
        (b'"text"', "is no object"),
        (b"[]", "is no object"),
        (b"null", "is no object"),
        (b'{"id": "\xff"}', "is not UTF-8"),
        ("caf\u00e9".encode("latin-1"), "is not UTF-8"),
        (without("id"), "'id' is missing"),
        (without("completion"), "'completion' is missing"),
        (without("correct"), "'correct' is missing"),
        (without("gold"), "neither"),
        ({**GOOD, "reference": {"answer": "5"}}, "both"),
        ({**GOOD, "gold": None, "reference": "5"}, "'reference' must be an object"),
        ({**GOOD, "gold": None, "reference": ["5"]}, "'reference' must be an object"),
        ({**GOOD, "id": True}, "'id' must be"),
        ({**GOOD, "id": 2.0}, "'id' must be"),
        ({**GOOD, "id": ""}, "'id' must be"),
        ({**GOOD, "id": ["\x1b[31m\u202e"]}, "'id' must be"),
        ({**GOOD, "completion": None}, "'completion' is missing"),
        ({**GOOD, "completion": 5}, "'completion' must be a text"),
        ({**GOOD, "completion": "x", "correct": 1}, "'correct' must be true or false"),
        ({**GOOD, "correct": "true"}, "'correct' must be true or false"),
    ],
    ids=lambda value: repr(value)[:60],
)
def test_a_bad_line_is_named(tmp_path: Path, line: object, expected: str) -> None:
    sentence = refusal(tmp_path, {**GOOD, "id": "first"}, b"", line, {**GOOD, "id": "last"})
    assert sentence.startswith(", line 3")
    assert expected in sentence


@pytest.mark.parametrize(("first", "second"), [(1, 1), ("a", "a"), (1, "1")])
def test_an_id_that_is_there_twice_is_refused(tmp_path: Path, first: object, second: object) -> None:
    sentence = refusal(tmp_path, {**GOOD, "id": first}, {**GOOD, "id": "between"}, {**GOOD, "id": second})
    assert sentence.startswith(", line 3")
    assert "line 1" in sentence


@pytest.mark.parametrize("content", [b"", b"\n\n", b" \r\n", b"\xef\xbb\xbf"])
def test_a_file_without_cases_is_refused(tmp_path: Path, content: bytes) -> None:
    assert "holds no case" in refusal(tmp_path, content)


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    for file in (tmp_path / "nowhere.jsonl", tmp_path):
        with pytest.raises(UserError, match=rf"{re.escape(str(file))} cannot be read \("):
            read_cases(file)


def test_what_may_be_nested_can_be_handed_on(tmp_path: Path) -> None:
    depth = MOST_NESTED - 1
    (case,) = read_cases(write(tmp_path, {**GOOD, "gold": json.loads("[" * depth + "]" * depth)}))
    assert json.loads(json.dumps(case.reference)) == case.reference


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
ROWS = st.fixed_dictionaries({}, optional=dict.fromkeys(("id", "completion", "correct", "gold", "reference"), JSON))


@settings(deadline=None)
@given(st.binary(max_size=200) | ROWS.map(lambda row: json.dumps(row).encode()))
def test_any_bytes_are_cases_or_one_sentence(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    file = tmp_path_factory.mktemp("any") / "cases.jsonl"
    file.write_bytes(content)
    with contextlib.suppress(UserError):
        cases = read_cases(file)
        assert cases
        assert all(isinstance(case.correct, bool) and isinstance(case.completion, str) for case in cases)
