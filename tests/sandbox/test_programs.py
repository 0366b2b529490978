"""What an ordinary program may rely on, in both sandboxes."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace

import pytest

from rlpt.errors import UserError
from rlpt.sandbox.process import process_sandbox
from rlpt.sandbox.protocol import BOUNDS, Call, CallResult, Calls, Limits
from rlpt.sandbox.warm import WarmSandbox


def output(sandbox: WarmSandbox, program: str, **more: object) -> str:
    execution = sandbox.run_sync(program, **more)  # type: ignore[arg-type]
    assert execution.status == "ok", execution
    return execution.stdout.decode()


def test_it_ends_as_python_does(sandbox: WarmSandbox) -> None:
    ended = sandbox.run_sync("print('out')\nimport sys\nprint('err', file=sys.stderr)")
    assert (ended.status, ended.exit_code, ended.signal) == ("ok", 0, None)
    assert (ended.stdout, ended.stderr, ended.truncated) == (b"out\n", b"err\n", False)
    assert ended.seconds > 0
    assert ended.peak_memory_mb > 1


@pytest.mark.parametrize(
    ("program", "exit_code", "signal"),
    [
        ("exit(3)", 3, None),
        ("import sys; sys.exit('text')", 1, None),
        ("import os; os._exit(7)", 7, None),
        ("1 / 0", 1, None),
        ("def broken(:", 1, None),
        ("import os; os.kill(os.getpid(), 11)", None, 11),
    ],
)
def test_another_ending_is_a_crash(sandbox: WarmSandbox, program: str, exit_code: int | None, signal: int | None):
    ended = sandbox.run_sync(program)
    assert (ended.status, ended.exit_code, ended.signal) == ("crash", exit_code, signal)


def test_a_traceback_shows_the_program_alone(sandbox: WarmSandbox) -> None:
    stderr = sandbox.run_sync("def f():\n    return 1 / 0\nf()").stderr.decode()
    assert "return 1 / 0" in stderr
    assert stderr.count("File ") == 2


def test_standard_input_and_files(sandbox: WarmSandbox) -> None:
    program = "import helper, sys\nprint(input(), len(list(sys.stdin)), helper.name, open('data/x.bin', 'rb').read())"
    files = {"helper.py": b"name = 'helped'", "data/x.bin": b"\0\xff"}
    assert output(sandbox, program, stdin=b"first\na\nb\n", files=files) == "first 2 helped b'\\x00\\xff'\n"


def test_bytes_and_long_numbers_can_be_printed(sandbox: WarmSandbox) -> None:
    assert output(sandbox, "import sys; sys.stdout.buffer.write(b'raw')") == "raw"
    assert len(output(sandbox, "print(10 ** 5000)")) == 5002


def test_the_main_part_and_atexit_run(sandbox: WarmSandbox) -> None:
    program = "import atexit\natexit.register(print, 'last')\nif __name__ == '__main__':\n    print('main')"
    assert output(sandbox, program) == "main\nlast\n"


def test_threads_are_waited_for(sandbox: WarmSandbox) -> None:
    program = "import threading, time\nthreading.Thread(target=lambda: (time.sleep(0.1), print('done'))).start()"
    assert output(sandbox, program) == "done\n"


def test_four_processes_of_its_own(sandbox: WarmSandbox) -> None:
    pool = "from multiprocessing import Pool\nwith Pool(4) as pool:\n    print(pool.map(abs, [-1, -2, -3, -4]))"
    assert output(sandbox, pool) == "[1, 2, 3, 4]\n"
    again = "import subprocess, sys\nprint(subprocess.check_output([sys.executable, '-c', 'print(6 * 7)']))"
    assert output(sandbox, again) == "b'42\\n'\n"


def test_asyncio_dataclasses_and_temporary_files(sandbox: WarmSandbox) -> None:
    program = """
import asyncio, dataclasses, tempfile
@dataclasses.dataclass
class Point:
    x: int
async def main():
    await asyncio.sleep(0)
    with tempfile.TemporaryFile() as file:
        return file.write(b'abc')
print(Point(asyncio.run(main())))
"""
    assert output(sandbox, program) == "Point(x=3)\n"


def test_most_of_the_memory(sandbox: WarmSandbox) -> None:
    mb = int(sandbox.limits.memory_mb * 0.9) - 15  # Python itself needs some
    program = f"import time\nx = b'x' * ({mb} << 20)\ntime.sleep(0.1)\nprint(len(x) >> 20)"
    ended = sandbox.run_sync(program)
    assert ended.stdout.decode() == f"{mb}\n", ended
    assert ended.peak_memory_mb > mb


def test_shared_memory_counts_once(sandbox: WarmSandbox) -> None:
    program = """
import os, time
x = b'x' * (150 << 20)
children = []
for _ in range(4):
    pid = os.fork()
    if pid == 0:
        time.sleep(0.3)
        os._exit(0)
    children.append(pid)
print([os.waitpid(pid, 0)[1] for pid in children])
"""
    assert output(sandbox, program) == "[0, 0, 0, 0]\n"


def test_most_of_the_time(sandbox: WarmSandbox) -> None:
    program = "import time\ntime.sleep(0.9)\nprint('in time')"
    assert output(sandbox, program, limits=replace(sandbox.limits, wall_s=3.0)) == "in time\n"


def test_output_up_to_the_limit(sandbox: WarmSandbox) -> None:
    most = sandbox.limits.output_bytes
    assert len(output(sandbox, f"print('x' * {most - 1})")) == most
    over = sandbox.run_sync(f"print('x' * {most})")
    assert (over.status, over.truncated, len(over.stdout)) == ("output_limit", True, most)


def test_limits_of_one_program(sandbox: WarmSandbox) -> None:
    little_memory = replace(sandbox.limits, memory_mb=64)
    assert sandbox.run_sync("x = b'x' * (100 << 20)", limits=little_memory).status == "out_of_memory"
    assert sandbox.run_sync("print('x' * 20)", limits=replace(sandbox.limits, output_bytes=10)).stdout == b"x" * 10
    spent = sandbox.run_sync("while True: pass", limits=replace(sandbox.limits, cpu_s=1.0))
    assert spent.status == "timeout"
    assert spent.seconds < sandbox.limits.wall_s


def test_more_than_the_sandbox_has_is_refused(sandbox: WarmSandbox) -> None:
    with pytest.raises(ValueError, match="memory_mb"):
        sandbox.run_sync("", limits=replace(sandbox.limits, memory_mb=100_000))
    with pytest.raises(ValueError, match="disk_mb"):
        sandbox.run_sync("", stdin=b"x" * (sandbox.limits.disk_mb * 2**20 + 1))


@pytest.mark.parametrize("name", ["../x", "/tmp/x", "a/../../x", "", ".", "a\0b"])
def test_a_file_stays_in_the_folder(sandbox: WarmSandbox, name: str) -> None:
    with pytest.raises(ValueError, match="file name"):
        sandbox.run_sync("", files={name: b""})


def test_the_same_program_does_the_same_each_time(sandbox: WarmSandbox) -> None:
    program = "print({'a', 'b', 'c', 'd', 'e'}, hash('x'))"
    assert len({output(sandbox, program) for _ in range(3)}) == 1
    assert len({output(sandbox, "import random; print(random.random())") for _ in range(3)}) == 3


def test_calls(sandbox: WarmSandbox) -> None:
    program = """
import enum
class Color(enum.IntEnum):
    RED = 3
class Index:
    def __index__(self):
        return 4
def f(kind, times=1):
    print('noise')
    return {'int': Color.RED, 'index': Index(), 'float': 0.5, 'tuple': (1, [True]), 'long': 7 ** 6000}[kind] * times
if __name__ == '__main__':
    raise SystemExit('not called as a script')
"""
    calls = [Call(["int"]), Call(["float"], {"times": 4}), Call(["tuple"]), Call(["nothing"]), Call(["long"])]
    ended = sandbox.run_sync(program, calls=Calls("f", calls))
    assert ended.status == "ok"
    assert [result.value for result in ended.results] == [3, 2.0, (1, [True]), None, 7**6000]
    assert type(ended.results[0].value) is int
    assert ended.results[3] == CallResult(False, error="KeyError: 'nothing'")
    index = sandbox.run_sync(
        "class I:\n    def __index__(self): return 4\ndef f(): return I()", calls=Calls("f", [Call()])
    )
    assert index.results == (CallResult(True, 4),)


def test_what_was_returned_before_the_end_counts(sandbox: WarmSandbox) -> None:
    program = "import os\ndef f(n):\n    if n == 3: os._exit(0)\n    return n"
    ended = sandbox.run_sync(program, calls=Calls("f", [Call([n]) for n in (1, 2, 3, 4)]))
    assert [result.value for result in ended.results] == [1, 2]


def test_many_at_once_from_asyncio(sandbox: WarmSandbox) -> None:
    async def all_of_them() -> list[str]:
        executions = await asyncio.gather(*(sandbox.run(f"print({n})") for n in range(200)))
        return [execution.stdout.decode().strip() for execution in executions]

    assert asyncio.run(all_of_them()) == [str(n) for n in range(200)]


def test_waiting_for_a_place_is_no_part_of_the_time(sandbox: WarmSandbox) -> None:
    limits = replace(sandbox.limits, wall_s=2.0)

    async def all_of_them() -> list[str]:
        naps = (sandbox.run("import time; time.sleep(0.5)", limits=limits) for _ in range(10))
        return [execution.status for execution in await asyncio.gather(*naps)]

    assert asyncio.run(all_of_them()) == ["ok"] * 10


@pytest.mark.parametrize("name", ["x" * 300, "d/" * 1500 + "x", "\udcff"])
def test_a_file_whose_name_cannot_be_is_refused(sandbox: WarmSandbox, name: str) -> None:
    with pytest.raises(ValueError, match="file name"):
        sandbox.run_sync("pass", files={name: b""})


def test_a_file_within_a_file_is_refused(sandbox: WarmSandbox) -> None:
    with pytest.raises(ValueError, match="lies in what is a file"):
        sandbox.run_sync("pass", files={"a": b"", "a/b": b""})


@pytest.mark.parametrize(
    ("name", "value"),
    [("wall_s", float("inf")), ("cpu_s", float("nan")), ("memory_mb", 10**9), ("output_bytes", 10**11), ("disk_mb", 0)],
)
def test_limits_that_nothing_can_keep_are_refused(name: str, value: float) -> None:
    with pytest.raises(UserError, match=f"limits.{name}="):
        Limits(**{name: value})


def test_the_largest_limits_can_be_kept() -> None:
    most = Limits(**{name: type(getattr(Limits(), name))(bounds[1]) for name, bounds in BOUNDS.items()})
    sandbox = process_sandbox(most, concurrency=1)
    try:
        assert sandbox.run_sync("print(1)").stdout == b"1\n"
    finally:
        sandbox.close()


def test_a_forked_process_may_not_use_it(process: WarmSandbox) -> None:
    child = os.fork()
    if child == 0:
        try:
            process.run_sync("pass")
        except RuntimeError:
            os._exit(7)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
