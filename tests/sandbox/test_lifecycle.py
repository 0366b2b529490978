"""Sandboxes that end, and clients that do: nothing stays behind, nothing is blamed on a program that did not do it."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from docker import from_env

from rlpt.sandbox.docker import docker_sandbox
from rlpt.sandbox.process import process_sandbox
from rlpt.sandbox.protocol import Limits
from rlpt.sandbox.warm import WarmSandbox

CLIENT = """
import sys, time
from rlpt.sandbox.{kind} import {kind}_sandbox
sandbox = {kind}_sandbox(concurrency=1)
print('ready', flush=True)
sandbox.run_sync("import time; open('/tmp/{mark}', 'w'); time.sleep(600)") if {busy} else time.sleep(600)
"""


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline, "it takes too long"
        time.sleep(0.05)


class Cells:
    """What a client holds: launchers and supervisors, or containers. Other sandboxes of this machine do not count."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.before = self._now(os.getpid())
        self.found: set[str] = set()

    def look(self, client: int | None = None) -> None:
        """Take note of what has come."""
        self.found = self._now(client or os.getpid()) - self.before

    def gone(self) -> bool:
        still = {entry.name for entry in Path("/proc").iterdir()} if self.kind == "process" else containers()
        return not self.found & still

    def _now(self, client: int) -> set[str]:
        return descendants(client) if self.kind == "process" else containers()

    def kill(self) -> None:
        """Kill each supervisor: its process, or the container from outside."""
        if self.kind == "docker":
            with closing(from_env()) as client:
                for name in self.found:
                    client.api.kill(name)
            return
        for pid in self.found:
            if b"module.main()" in Path(f"/proc/{pid}/cmdline").read_bytes():
                os.kill(int(pid), signal.SIGKILL)


def containers() -> set[str]:
    with closing(from_env()) as client:
        return {container["Id"] for container in client.api.containers(all=True)}


def descendants(pid: int | str) -> set[str]:
    children = Path(f"/proc/{pid}/task").glob("*/children")
    found = {child for file in children for child in file.read_text().split()}
    return found.union(*(descendants(child) for child in found))


def descriptors() -> int:
    gc.collect()
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.fixture(params=["process", "docker"])
def kind(request: pytest.FixtureRequest) -> str:
    request.getfixturevalue(request.param)  # it works here
    return str(request.param)


def make(kind: str, reuse: int = 1000) -> WarmSandbox:
    """A sandbox with one cell."""
    return {"process": process_sandbox, "docker": docker_sandbox}[kind](Limits(), concurrency=1, reuse=reuse)


@pytest.fixture
def fresh(kind: str) -> Iterator[WarmSandbox]:
    """A sandbox of this test alone."""
    sandbox = make(kind)
    yield sandbox
    sandbox.close()


@pytest.mark.parametrize("busy", [False, True], ids=["idle", "busy"])
def test_a_client_that_is_killed_takes_its_sandbox_along(kind: str, busy: bool) -> None:
    cells = Cells(kind)
    program = CLIENT.format(kind=kind, busy=busy, mark="mark")
    client = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
    assert client.stdout is not None
    assert client.stdout.readline() == b"ready\n"
    if busy:
        time.sleep(0.3)
    cells.look(client.pid)
    assert cells.found
    client.kill()
    client.wait()
    client.stdout.close()
    wait_until(cells.gone)


def test_closing_leaves_nothing(kind: str) -> None:
    before = descriptors()
    cells = Cells(kind)
    fresh = make(kind)
    cells.look()
    assert cells.found
    fresh.close()
    fresh.close()
    wait_until(cells.gone)
    assert descriptors() == before
    assert fresh.run_sync("print(1)").status == "infra_error"


def test_closing_ends_a_program_that_runs(fresh: WarmSandbox) -> None:
    statuses = []
    thread = threading.Thread(target=lambda: statuses.append(fresh.run_sync("import time; time.sleep(600)").status))
    thread.start()
    time.sleep(0.3)
    fresh.close()
    thread.join(30)
    assert statuses == ["infra_error"]


@pytest.mark.parametrize("busy", [False, True], ids=["idle", "busy"])
def test_a_supervisor_that_is_killed_is_replaced_and_the_program_repeated(kind: str, busy: bool) -> None:
    cells = Cells(kind)
    fresh = make(kind)
    try:
        cells.look()
        killer = threading.Timer(0.5 if busy else 0.0, cells.kill)
        killer.start()
        if not busy:
            killer.join()
        ended = fresh.run_sync("import time; time.sleep(1.0); print(2)")
        killer.join()
        assert (ended.status, ended.stdout) == ("ok", b"2\n")
        assert (fresh.opened, fresh.lost, fresh.infra_errors) == (2, 1, 0)
    finally:
        fresh.close()


def test_many_programs_leave_descriptors_and_memory_as_they_were(fresh: WarmSandbox) -> None:
    def state() -> tuple[int, int]:
        resident = int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        return descriptors(), resident

    for _ in range(20):
        fresh.run_sync("print('x' * 100000)")
    before, resident = state()
    for n in range(100):
        fresh.run_sync("print('x' * 100000)" if n % 10 else "while True: print('x' * 1000)")
    assert state()[0] == before
    assert state()[1] < resident + 8 * 2**20
    assert fresh.opened == 1


@pytest.mark.parametrize(("reuse", "opened"), [(3, 3), (1, 8), (0, 8)])
def test_a_cell_is_replaced_after_its_number_of_programs(kind: str, reuse: int, opened: int) -> None:
    """The one for the next program is opened at once."""
    sandbox = make(kind, reuse)
    try:
        assert [sandbox.run_sync(f"print({n})").stdout for n in range(7)] == [f"{n}\n".encode() for n in range(7)]
        wait_until(lambda: sandbox.opened == opened)
        assert sandbox.lost == 0
    finally:
        sandbox.close()
