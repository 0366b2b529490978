"""Which part of a completion is the program."""

from __future__ import annotations

import ast
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlpt.verifiers.programs import defines, extract_program, parse

ADD = "def add(a, b):\n    return a + b\n"


@pytest.mark.parametrize(
    ("completion", "program"),
    [
        (f"```python\n{ADD}```", ADD),
        (f"Sure!\n```\n{ADD}```\nDone.", ADD),
        (f"```py\n{ADD}```", ADD),
        (f"```Python3 title=add.py\n{ADD}```", ADD),
        (f"~~~python\n{ADD}~~~", ADD),
        (f"Here: ```python\n{ADD}```", ADD),
        (f"```python\nx = 1\n```\nBetter:\n```python\n{ADD}```", ADD),
        (f"```python\n{ADD}```\nIt prints\n```text\n3\n```", ADD),
        (f"```python\n{ADD}```\n```json\n{{}}\n```\n```bash\nls\n```", ADD),
        (f"```python\n{ADD}", ADD),
        ("```python\ndef f(): return 1```", "def f(): return 1"),
        (f"````python\n{ADD}x = '''\n```\n'''\n````", f"{ADD}x = '''\n```\n'''\n"),
        (ADD, ADD),
        (f"<think>```python\nx\n```</think>```python\n{ADD}```", ADD),
        ("```text\nno program\n```", None),
        ("I do not know.", None),
        ("", None),
        ("\n \n", None),
        (f"<think>I think of\n```python\n{ADD}```", None),
        (f"<THINK>I think of\n```python\n{ADD}```", None),
        (f"```python\n{ADD}```<|im_end|>", ADD),
        ("Inline `code` and ```more``` of it.", None),
    ],
)
def test_the_last_python_block_counts(completion: str, program: str | None) -> None:
    assert extract_program(completion) == program


@given(st.text(alphabet="`~ \npythonx=1<>/think"))
def test_any_text_has_an_answer(completion: str) -> None:
    extract_program(completion)


BOMBS = {
    "backticks": "`" * 60_000,
    "fences": "```\n" * 15_000,
    "openings": "```a" * 15_000,
    "two fences": "~~~\n```\n" * 8_000,
    "thoughts": "<think>" * 9_000,
    "ends of thoughts": "</think>" * 9_000,
    "parentheses": "(" * 60_000,
    "minus": "-" * 60_000 + "1",
    "not": "not " * 15_000 + "1",
    "attributes": "a" + ".b" * 30_000,
    "sums": "1" + "+1" * 30_000,
    "calls": "f(" * 30_000,
    "assignments": "x = " * 15_000 + "1",
    "lambdas": "lambda:" * 9_000 + "1",
    "decorators": "@a\n" * 20_000,
    "format strings": "f'{" * 20_000,
    "digits": "9" * 60_000,
    "a NUL byte": "\0",
    "half a character": "\ud800",
    "indentation": "".join(" " * i + "if x:\n" for i in range(300)),
    "elif": "if x:\n p\n" + "elif x:\n p\n" * 5_000,
    "10 MB": "x" * 10_000_000,
}


@pytest.mark.parametrize("name", BOMBS)
def test_bombs_do_not_go_off(name: str) -> None:
    text = BOMBS[name]
    extract_program(text)
    parse(text)
    extract_program(f"```python\n{text}\n```")


@pytest.mark.parametrize(
    ("program", "defined"),
    [
        (ADD, True),
        ("add = lambda a, b: a + b", True),
        ("add: object = lambda a, b: a + b", True),
        ("from operator import add", True),
        ("import operator as add", True),
        ("async def add(a, b): pass", True),
        ("class add: pass", True),
        ("try:\n    from x import y\nexcept ImportError:\n    pass\nelse:\n    def add(a, b): pass", True),
        ("if True:\n    def add(a, b): pass", True),
        ("def plus(a, b): return a + b", False),
        ("def outer():\n    def add(a, b): pass", False),
        ("add(1, 2)", False),
        ("add: object", False),
        ("# def add(a, b): pass", False),
        ("'def add(a, b): pass'", False),
    ],
)
def test_what_a_program_defines(program: str, defined: bool) -> None:
    assert defines(ast.parse(program), "add") is defined


@pytest.mark.parametrize("program", [r'pattern = "\d"', "x = 1\nprint(x is 1)", "assert (1, 'always true')"])
def test_what_python_finds_odd_is_still_a_program_and_is_not_reported(program: str) -> None:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        assert parse(program) is not None
    assert not seen
