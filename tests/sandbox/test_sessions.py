"""A program that is written piece by piece keeps its state, and nobody else has it."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest

from rlpt.sandbox.protocol import Execution
from rlpt.sandbox.session import WarmSession
from rlpt.sandbox.warm import WarmSandbox


@contextlib.contextmanager
def opened(sandbox: WarmSandbox) -> Iterator[WarmSession]:
    session = sandbox.session()
    try:
        yield session
    finally:
        session.close()


@pytest.fixture
def session(sandbox: WarmSandbox) -> Iterator[WarmSession]:
    with opened(sandbox) as session:
        yield session


def printed(execution: Execution) -> str:
    assert execution.status == "ok", execution
    return execution.stdout.decode()


def test_names_imports_and_functions_stay(session: WarmSession) -> None:
    assert printed(session.run_sync("import math\ndef f(n):\n    return n * k")) == ""
    assert printed(session.run_sync("k = 3")) == ""
    assert printed(session.run_sync("print(f(2))\nmath.floor(2.5)")) == "6\n2\n"


@pytest.mark.parametrize(
    ("code", "output"),
    [
        ("1 + 1", "2\n"),
        ("'a'", "'a'\n"),
        ("None", ""),
        ("x = 5", ""),
        ("for i in range(2):\n    i", ""),
        ("print(1); 2", "1\n2\n"),
        ("_ = 1; _", "1\n"),
        ("", ""),
        ("# nothing", ""),
        ("def f():\n    '''text'''", ""),
        ("print('ä', end='')", "ä"),
        ("10 ** 5000 % 7", "2\n"),
        ("__name__", "'__main__'\n"),
    ],
)
def test_the_value_at_the_end_is_printed_as_at_a_prompt(session: WarmSession, code: str, output: str) -> None:
    assert printed(session.run_sync(code)) == output


def test_the_last_value_is_kept_as_at_a_prompt(session: WarmSession) -> None:
    session.run_sync("6 * 7")
    assert printed(session.run_sync("_ + 1")) == "43\n"


@pytest.mark.parametrize(
    ("code", "last"),
    [
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("x = (", "SyntaxError: '(' was never closed"),
        ("raise BaseException('b')", "BaseException: b"),
        ("print('a\0b')", "SyntaxError: source code string cannot contain null bytes"),
    ],
)
def test_an_exception_ends_the_piece_alone(session: WarmSession, code: str, last: str) -> None:
    session.run_sync("x = 1")
    failed = session.run_sync(code)
    assert failed.status == "crash"
    assert failed.stderr.decode().splitlines()[-1].startswith(last[:20])
    assert "rlpt" not in failed.stderr.decode()
    assert printed(session.run_sync("x")) == "1\n"


def test_a_traceback_shows_the_lines_of_each_piece(session: WarmSession) -> None:
    session.run_sync("def f():\n    raise ValueError('first piece')")
    error = session.run_sync("f()  # second piece").stderr.decode()
    assert "f()  # second piece" in error
    assert "raise ValueError('first piece')" in error


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("while True: pass", "timeout"),
        ("import time; time.sleep(100)", "timeout"),
        ("b = [0] * 10**9", "out_of_memory"),
        ("while True: print('x' * 1000)", "output_limit"),
        ("import sys; sys.exit(0)", "ok"),
        ("import os; os._exit(3)", "crash"),
        ("import os; os.kill(os.getpid(), 9)", "crash"),
        ("import os; os.write = os.read = None", "crash"),
        ("import os\nfor fd in range(64):\n    try: os.close(fd)\n    except OSError: pass", "crash"),
    ],
)
def test_after_a_limit_or_its_end_the_interpreter_starts_afresh(session: WarmSession, code: str, status: str) -> None:
    session.run_sync("x = 1")
    limits = replace(session.limits, wall_s=1.0) if status == "timeout" else None
    ended = session.run_sync(code, limits=limits)
    assert ended.status == status, ended
    assert ended.state_lost
    assert "x" not in printed(session.run_sync("dir()"))
    kept = session.run_sync("1")
    assert printed(kept) == "1\n"
    assert not kept.state_lost


def test_cpu_time_is_of_each_piece(session: WarmSession) -> None:
    burn = "import time\nend = time.process_time() + 0.7\nwhile time.process_time() < end: pass"
    limits = replace(session.limits, cpu_s=1.0)
    assert [session.run_sync(burn, limits=limits).status for _ in range(3)] == ["ok"] * 3
    assert session.run_sync("while True: pass", limits=limits).status == "timeout"


def test_files_go_in_and_come_out(session: WarmSession) -> None:
    read = session.run_sync("print(open('in/a.bin', 'rb').read())", files={"in/a.bin": b"\0\xff"})
    assert printed(read) == "b'\\x00\\xff'\n"
    session.run_sync("import os\nos.makedirs('out/deep')\nopen('out/deep/b', 'w').write('b')\nopen('ä', 'w').write('')")
    assert session.files() == {"in/a.bin": b"\0\xff", "out/deep/b": b"b", "ä": b""}


def test_files_that_are_none_stay_inside(session: WarmSession) -> None:
    session.run_sync(
        "import os\nos.symlink('/etc/passwd', 'link')\nos.symlink('/', 'root')\nos.mkfifo('pipe')\n"
        "os.symlink('loop', 'loop')\nopen('plain', 'w').write('1')\n"
        "path = '.'\nfor _ in range(300):\n    path += '/d' * 10\n    os.makedirs(path, exist_ok=True)\n    break"
    )
    assert session.files() == {"plain": b"1"}


@pytest.mark.parametrize("name", ["/etc/x", "../x", "a/../../x", "", "a\0b"])
def test_a_file_that_would_lie_elsewhere_is_refused(session: WarmSession, name: str) -> None:
    with pytest.raises(ValueError, match="must be relative"):
        session.run_sync("1", files={name: b""})


def test_it_stands_still_between_two_pieces(session: WarmSession) -> None:
    session.run_sync(
        "import threading, time, os\nn = 0\ndef count():\n    global n\n    while True:\n        n += 1\n"
        "        time.sleep(0.001)\nthreading.Thread(target=count, daemon=True).start()\n"
        "if os.fork() == 0:\n    while True: open('beat', 'a').write('x'); time.sleep(0.001)"
    )
    before = len(session.files().get("beat", b""))
    threading.Event().wait(0.3)
    assert len(session.files().get("beat", b"")) == before
    assert session.run_sync("time.sleep(0.05); n").status == "ok"
    assert len(session.files()["beat"]) > before


def test_a_copy_of_itself_answers_nothing(session: WarmSession) -> None:
    session.run_sync("import os\npid = os.fork()")
    assert printed(session.run_sync("pid > 0")) == "True\n"
    assert printed(session.run_sync("2")) == "2\n"


def test_what_it_writes_to_its_results_is_a_sign(session: WarmSession) -> None:
    forged = session.run_sync("import os\nn = os.write(3, b'[\"x\", \"done\"]\\n')\nprint('real')")
    assert printed(forged) == "real\n"
    assert forged.signs


def test_the_next_session_finds_nothing(sandbox: WarmSandbox) -> None:
    opened_before = sandbox.opened
    for _ in range(3):
        with opened(sandbox) as session:
            assert (
                printed(session.run_sync("import os, sys\nos.listdir('/tmp'), 'secret' in globals()"))
                == "([], False)\n"
            )
            session.run_sync("secret = 1\nopen('left', 'w').write('x')\nos.system('sleep 100 &')\nsys.left = 1")
    after = sandbox.run_sync("import os, sys\nprint(os.listdir('/tmp'), hasattr(sys, 'left'))")
    assert after.stdout == b"[] False\n"
    assert sandbox.opened <= opened_before + 1  # a session has a place beside those of programs


def test_two_sessions_know_nothing_of_each_other(sandbox: WarmSandbox) -> None:
    with opened(sandbox) as one, opened(sandbox) as other:
        one.run_sync("x = 1\nopen('x', 'w').write('1')")
        other.run_sync("x = 2")
        assert printed(one.run_sync("x")) == "1\n"
        assert other.files() == {}


def test_more_sessions_than_places_run_together(sandbox: WarmSandbox) -> None:
    async def count(n: int) -> str:
        with opened(sandbox) as session:
            for _ in range(3):
                await session.run(f"x = globals().get('x', {n}) + 1")
            return printed(await session.run("x"))

    async def everything() -> list[str]:
        return await asyncio.gather(*(count(n) for n in range(2 * sandbox.concurrency + 1)))

    assert asyncio.run(everything()) == [f"{n + 3}\n" for n in range(2 * sandbox.concurrency + 1)]


def test_a_lost_cell_is_made_again(sandbox: WarmSandbox) -> None:
    """With all that was done, and nobody is told."""
    with opened(sandbox) as session:
        session.run_sync("x = [1]", files={"data": b"1"})
        session.run_sync("x.append(2)")
        assert session._cell is not None
        session._cell.end()
        assert printed(session.run_sync("x.append(3); x")) == "[1, 2, 3]\n"
        assert session.files() == {"data": b"1"}


def test_closing_twice_or_unused_does_nothing(sandbox: WarmSandbox) -> None:
    session = sandbox.session()
    session.close()
    session.close()
    assert printed(session.run_sync("1")) == "1\n"
    session.close()


def test_limits_above_the_sandboxs_own_are_refused(session: WarmSession) -> None:
    with pytest.raises(ValueError, match="above the sandbox's own"):
        session.run_sync("1", limits=replace(session.limits, wall_s=1e6))
