"""The tool `python` over a real sandbox: what the model reads, and what one rollout sees of another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from rlpt.errors import UserError
from rlpt.sandbox.process import process_sandbox, why_not
from rlpt.sandbox.protocol import Execution, Limits, Sandbox
from rlpt.tools.protocol import ToolResult, ToolSession
from rlpt.tools.python import PythonTool, cut, shown


def make(sandbox: Sandbox | None, files: Mapping[str, str] | None = None, **changed: Any) -> PythonTool:
    settings = {"sessions": 4, "max_output_characters": 200} | changed
    return PythonTool("python", "Runs Python.", sandbox, files=files or {}, **settings)


@pytest.fixture(scope="module")
def sandbox(need: Callable[[str | None], None]) -> Iterator[Sandbox]:
    need(why_not())
    sandbox = process_sandbox(Limits(wall_s=2.0, memory_mb=128), concurrency=2)
    yield sandbox
    sandbox.close()


@pytest.fixture
def session(sandbox: Sandbox) -> Iterator[ToolSession]:
    session = make(sandbox).open()
    yield session
    session.close()


def test_the_schema_is_in_the_openai_format() -> None:
    function = make(None).schema()["function"]
    assert (function["name"], function["parameters"]["required"]) == ("python", ["code"])


def test_output_and_value_are_shown_and_the_state_is_kept(session: ToolSession) -> None:
    assert session.call({"code": "x = 6\nprint('six')"}) == ToolResult("six", "ok")
    assert session.call({"code": "x * 7"}) == ToolResult("42", "ok")
    assert session.call({"code": "y = x"}) == ToolResult("(no output)", "ok")


def test_an_exception_is_shown_by_its_end_below_the_output_and_the_state_is_kept(session: ToolSession) -> None:
    result = session.call({"code": "x = 1\nprint('before')\nundefined_name"})
    assert result.status == "error"
    assert result.text.startswith("before\n")
    assert "NameError: name 'undefined_name' is not defined" in result.text.splitlines()[-1]
    assert session.call({"code": "x"}).text == "1"


def test_limits_are_said_in_words(session: ToolSession) -> None:
    session.call({"code": "x = 1"})
    result = session.call({"code": "print('working', flush=True)\nwhile True: pass"})
    assert result == ToolResult("working\n(timeout after 2 s; the interpreter was started afresh)", "error")
    assert "NameError" in session.call({"code": "x"}).text
    result = session.call({"code": "x = bytearray(10**9)\nx[::1000] = b'1' * 10**6"})
    assert result.status == "error"
    assert "MemoryError" in result.text or "(out of memory; the interpreter was started afresh)" in result.text


def test_code_that_ends_its_interpreter_is_told_so(session: ToolSession) -> None:
    session.call({"code": "x = 1"})
    assert "the interpreter was started afresh" in session.call({"code": "import os\nos._exit(0)"}).text
    assert session.call({"code": "'x' in globals()"}).text == "False"


def test_of_a_long_output_the_middle_is_left_out(session: ToolSession) -> None:
    text = session.call({"code": "print('a' * 150 + 'b' * 1000 + 'c' * 150)"}).text
    assert text == "a" * 100 + "\n(... 1100 characters left out ...)\n" + "c" * 100
    assert [cut("abcd", limit) for limit in (4, 3)] == ["abcd", "ab\n(... 1 characters left out ...)\nd"]


@pytest.mark.parametrize("arguments", [{}, {"code": 3}, {"code": None}, {"code": " \n"}, {"source": "1"}])
def test_bad_arguments_come_back_as_a_text(session: ToolSession, arguments: dict[str, Any]) -> None:
    result = session.call(arguments)
    assert (result.status, '"code"' in result.text) == ("error", True)


@pytest.mark.parametrize(
    "code", ["\x00", "(" * 100_000, "\ud800", "print('\\ud800')", "import sys; sys.stdout.buffer.write(b'\\xff')"]
)
def test_odd_code_is_the_models_affair(session: ToolSession, code: str) -> None:
    result = session.call({"code": code})
    assert result.status in ("ok", "error")
    result.text.encode()
    assert session.call({"code": "1 + 1"}).text == "2"


def test_nothing_is_shared_between_two_rollouts(sandbox: Sandbox) -> None:
    tool = make(sandbox)
    first, second = tool.open(), tool.open()
    first.call({"code": "secret = 1\nopen('left', 'w').write('x')"})
    assert "NameError" in second.call({"code": "secret"}).text
    assert "FileNotFoundError" in second.call({"code": "open('left')"}).text
    first.close()
    third = tool.open()
    assert third.call({"code": "import os\nos.listdir()"}).text == "[]"
    for session in (first, second, third):
        session.close()


def test_sessions_are_used_at_once(sandbox: Sandbox) -> None:
    tool = make(sandbox)
    sessions = [tool.open() for _ in range(6)]
    with ThreadPoolExecutor(6) as threads:
        texts = list(threads.map(lambda n: sessions[n].call({"code": f"print({n} * 10)"}).text, range(6)))
    assert texts == ["0", "10", "20", "30", "40", "50"]
    for session in sessions:
        session.close()


def test_files_lie_in_the_folder_from_the_start(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("a,b\n1,2\n")
    session = make(sandbox, {"data.csv": str(tmp_path / "table.csv")}).open()
    assert session.call({"code": "print(open('data.csv').read().split()[1])"}).text == "1,2"
    session.close()
    with pytest.raises(UserError, match=r"tool\.python\.files\.data\.csv=.*cannot be read"):
        make(sandbox, {"data.csv": str(tmp_path / "none")})


@pytest.mark.parametrize("changed", [{"sessions": 0}, {"max_output_characters": 0}])
def test_numbers_that_are_too_small_are_refused(changed: dict[str, int]) -> None:
    with pytest.raises(UserError, match="set it to 1 or more"):
        make(None, **changed)


def test_a_sandbox_that_fails_is_no_fault_of_the_model(need: Callable[[str | None], None]) -> None:
    need(why_not())
    sandbox = process_sandbox(concurrency=1)
    session = make(sandbox).open()
    sandbox.close()
    assert session.call({"code": "1"}).status == "infra_error"
    session.close()


def test_lost_output_is_said() -> None:
    assert shown(Execution("ok", stdout=b"x", truncated=True), 10) == "x\n(output beyond the limit was lost)"
    assert shown(Execution("output_limit", truncated=True, detail="starts afresh"), 10) == (
        "(too much output; the interpreter was started afresh)"
    )
