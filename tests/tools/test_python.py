"""The tool `python` over a real sandbox: what the model reads, and what one rollout sees of another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from rlpt.errors import UserError
from rlpt.sandbox.process import why_not
from rlpt.sandbox.protocol import Execution, Limits
from rlpt.tools.protocol import ToolResult, ToolSession
from rlpt.tools.python import PythonTool, cut, shown

SANDBOX = {
    "_target_": "rlpt.sandbox.process.process_sandbox",
    "limits": {**asdict(Limits()), "wall_s": 2.0, "memory_mb": 128},
    "concurrency": 2,
}


def make(files: Mapping[str, str] | None = None, **changed: Any) -> PythonTool:
    settings = {"sandbox": SANDBOX, "sessions": 4, "max_output_characters": 200} | changed
    return PythonTool("python", "Runs Python.", files=files or {}, **settings)


@pytest.fixture(scope="module")
def tool(need: Callable[[str | None], None]) -> Iterator[PythonTool]:
    need(why_not())
    tool = make()
    yield tool
    tool.close()


@pytest.fixture
def session(tool: PythonTool) -> Iterator[ToolSession]:
    session = tool.open()
    yield session
    session.close()


def test_the_schema_is_in_the_openai_format_and_needs_no_sandbox() -> None:
    function = make(sandbox={"_target_": "nowhere.at_all"}).schema()["function"]
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


def test_nothing_is_shared_between_two_rollouts(tool: PythonTool) -> None:
    first, second = tool.open(), tool.open()
    first.call({"code": "secret = 1\nopen('left', 'w').write('x')"})
    assert "NameError" in second.call({"code": "secret"}).text
    assert "FileNotFoundError" in second.call({"code": "open('left')"}).text
    first.close()
    third = tool.open()
    assert third.call({"code": "import os\nos.listdir()"}).text == "[]"
    for session in (first, second, third):
        session.close()


def test_sessions_are_used_at_once(tool: PythonTool) -> None:
    sessions = [tool.open() for _ in range(6)]
    with ThreadPoolExecutor(6) as threads:
        texts = list(threads.map(lambda n: sessions[n].call({"code": f"print({n} * 10)"}).text, range(6)))
    assert texts == ["0", "10", "20", "30", "40", "50"]
    for session in sessions:
        session.close()


@pytest.fixture
def with_file(need: Callable[[str | None], None], tmp_path: Path) -> Iterator[ToolSession]:
    need(why_not())
    (tmp_path / "table.csv").write_text("a,b\n1,2\n")
    tool = make({"data.csv": str(tmp_path / "table.csv")})
    session = tool.open()
    yield session
    session.close()
    tool.close()


def test_files_lie_in_the_folder_from_the_start(with_file: ToolSession) -> None:
    assert with_file.call({"code": "print(open('data.csv').read().split()[1])"}).text == "1,2"
    with_file.call({"code": "open('data.csv', 'w').write('own')"})
    assert with_file.call({"code": "print(open('data.csv').read())"}).text == "own", "they are not written again"


@pytest.mark.parametrize("end", ["while True: pass", "import os\nos._exit(0)", "exit()"])
def test_files_lie_there_again_once_the_interpreter_was_started_afresh(with_file: ToolSession, end: str) -> None:
    with_file.call({"code": "open('data.csv', 'w').write('own')"})
    assert "started afresh" in with_file.call({"code": end}).text
    assert with_file.call({"code": "print(open('data.csv').read().split()[1])"}).text == "1,2"


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"tool\.python\.files\.data\.csv=.*cannot be read"):
        make({"data.csv": str(tmp_path / "none")})


def test_rollouts_that_begin_at_once_share_one_sandbox(need: Callable[[str | None], None]) -> None:
    need(why_not())
    tool = make()
    assert tool.counters() == {}
    with ThreadPoolExecutor(4) as threads:
        sessions = list(threads.map(lambda _: tool.open(), range(4)))
    assert [session.call({"code": "1 + 1"}).text for session in sessions] == ["2"] * 4, "the first thread has ended"
    assert len({id(session._session._sandbox) for session in sessions}) == 1
    assert tool.counters()["sandbox/programs"] == 4
    for session in sessions:
        session.close()
    tool.close()


def test_nothing_to_be_shown_is_refused() -> None:
    with pytest.raises(UserError, match="set it to 1 or more"):
        make(max_output_characters=0)


def test_a_sandbox_that_fails_is_no_fault_of_the_model(need: Callable[[str | None], None]) -> None:
    need(why_not())
    tool = make()
    session = tool.open()
    tool.close()
    assert session.call({"code": "1"}).status == "infra_error"
    session.close()


def test_lost_output_is_said() -> None:
    assert shown(Execution("ok", stdout=b"x", truncated=True), 10) == "x\n(output beyond the limit was lost)"
    assert shown(Execution("output_limit", truncated=True, state_lost=True), 10) == (
        "(too much output; the interpreter was started afresh)"
    )
