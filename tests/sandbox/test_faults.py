"""What sandboxes stand on fails: an engine that dies, restarts or hangs, and more programs than places."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks._docker_engine import start_engine, startable, wait_for_engine
from rlpt.records import Task
from rlpt.sandbox.docker import docker_sandbox
from rlpt.sandbox.protocol import Execution, Limits
from rlpt.sandbox.warm import WarmSandbox
from rlpt.verifiers.pool import VerifierPool

LIMITS = Limits(wall_s=10.0)


class Engine:
    """A Docker engine that may be killed, stopped and started again."""

    def __init__(self, dockerd: str, folder: str) -> None:
        self.dockerd, self.folder = dockerd, folder
        self.server = self._start()

    def kill(self) -> None:
        """At once, as the kernel does for memory."""
        self.server.kill()
        self.server.wait()
        # Its containerd too, which would hold on to what the next engine needs.
        self._kill_those_with(f"{self.folder}/exec/containerd/containerd.toml")

    def restart(self) -> None:
        # Where nobody reaps the dead, their numbers seem to be in use.
        for name in ("pid", "exec/containerd/containerd.pid"):
            Path(self.folder, name).unlink(missing_ok=True)
        self.server = self._start()

    def end(self) -> None:
        self.server.send_signal(signal.SIGCONT)
        self.server.terminate()
        self.server.wait(60)
        self._kill_those_with(f"{self.folder}/exec/containerd/containerd.sock")  # what outlived an engine
        for place in reversed(Path("/proc/self/mounts").read_text().splitlines()):
            if place.split()[1].startswith(self.folder):
                subprocess.run(["umount", "-l", place.split()[1]], check=True)

    def _kill_those_with(self, word: str) -> None:
        for file in Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(OSError):
                if word in file.read_text().split("\0"):
                    os.kill(int(file.parent.name), signal.SIGKILL)

    def _start(self) -> subprocess.Popen[bytes]:
        server = start_engine(self.dockerd, self.folder)
        wait_for_engine(server, Path(self.folder, "log"))
        return server


@pytest.fixture
def faulty(engine: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    dockerd = startable()
    if dockerd is None:
        pytest.skip("only root may start a Docker engine of its own, which these tests kill")
    with tempfile.TemporaryDirectory(prefix="rlpt-faulty-") as folder:
        monkeypatch.setenv("DOCKER_HOST", f"unix://{folder}/docker.sock")
        faulty = Engine(dockerd, folder)
        yield faulty
        faulty.end()


@pytest.fixture
def fragile(faulty: Engine) -> Iterator[WarmSandbox]:
    """A sandbox on the engine that fails."""
    sandbox = docker_sandbox(LIMITS, concurrency=2)
    yield sandbox
    sandbox.close()


def run_all(sandbox: WarmSandbox, programs: list[str]) -> list[Execution]:
    async def everything() -> list[Execution]:
        return await asyncio.gather(*(sandbox.run(program) for program in programs))

    return asyncio.run(everything())


def test_an_engine_that_is_killed_and_restarted_in_mid_batch_costs_no_program(
    faulty: Engine, fragile: WarmSandbox
) -> None:
    def fail() -> None:
        time.sleep(0.7)
        faulty.kill()
        faulty.restart()

    failing = threading.Thread(target=fail)
    failing.start()
    executions = run_all(fragile, [f"import time; time.sleep(0.2); print({n})" for n in range(20)])
    failing.join()
    assert [execution.stdout for execution in executions] == [f"{n}\n".encode() for n in range(20)]
    counters = fragile.counters()
    assert counters["sandbox/retries"] > 0
    assert counters["sandbox/infra_errors"] == 0
    assert counters["sandbox/opened"] > 2


def test_an_engine_that_stays_away_is_no_programs_fault(faulty: Engine, fragile: WarmSandbox) -> None:
    faulty.kill()
    executions = run_all(fragile, ["print(1)"] * 4)
    assert {execution.status for execution in executions} == {"infra_error"}
    assert fragile.counters()["sandbox/infra_errors"] == 4
    faulty.restart()
    assert fragile.run_sync("print(1)").stdout == b"1\n"


def test_an_engine_that_hangs_is_given_up_and_used_again_later(faulty: Engine, fragile: WarmSandbox) -> None:
    """What went through it before it hung comes to nothing; no verdict says that the program was slow."""
    faulty.server.send_signal(signal.SIGSTOP)
    hung = fragile.run_sync("print(1)", limits=Limits(wall_s=0.5))
    assert hung.status == "infra_error", hung
    faulty.server.send_signal(signal.SIGCONT)
    assert fragile.run_sync("print(2)").stdout == b"2\n"


def test_a_session_outlives_its_engine(faulty: Engine, fragile: WarmSandbox) -> None:
    session = fragile.session()
    session.run_sync("x = 41")
    faulty.kill()
    faulty.restart()
    assert session.run_sync("x + 1").stdout == b"42\n"
    session.close()


def test_a_verifier_pool_scores_none_0_for_an_engine_that_died(faulty: Engine) -> None:
    node = {"_target_": "rlpt.sandbox.docker.docker_sandbox", "concurrency": 1}
    verifiers = {"code": {"_target_": "rlpt.verifiers.unit_tests.UnitTestsVerifier", "sandbox": node}}
    task = Task("code", "t", [], {"entry_point": "f", "calls": [{"args": [1], "expected": 2}]})
    right = "```python\nimport time\ndef f(n):\n    time.sleep(0.2)\n    return n + 1\n```"
    with VerifierPool(verifiers, workers=2, timeout_s=30.0) as pool:
        pool.check()
        failing = threading.Timer(1.0, lambda: (faulty.kill(), faulty.restart()))
        failing.start()
        verdicts = pool.score([(task, right)] * 20)
        failing.join()
    assert [verdict.status for verdict in verdicts] == ["correct"] * 20


@pytest.mark.parametrize("requests", [200])
def test_many_requests_at_once_wait_their_turn(sandbox: WarmSandbox, requests: int) -> None:
    """Waiting is no part of a program's time, and no request is lost."""
    before = sandbox.counters()
    limits = Limits(wall_s=2.0)

    async def everything() -> list[Execution]:
        return await asyncio.gather(
            *(sandbox.run(f"import time; time.sleep(0.02); print({n})", limits=limits) for n in range(requests))
        )

    executions = asyncio.run(everything())
    assert [execution.stdout for execution in executions] == [f"{n}\n".encode() for n in range(requests)]
    after = sandbox.counters()
    assert after["sandbox/programs"] - before["sandbox/programs"] == requests
    assert after["sandbox/lost"] == before["sandbox/lost"]
    assert len(threading.enumerate()) < requests


def test_requests_from_many_threads_are_told_how_long_they_waited(sandbox: WarmSandbox) -> None:
    before = sandbox.counters()["sandbox/queued_s"]
    threads = [threading.Thread(target=sandbox.run_sync, args=("import time; time.sleep(0.1)",)) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sandbox.counters()["sandbox/queued_s"] > before + 1.0


def test_a_full_disk_is_the_programs_own(sandbox: WarmSandbox) -> None:
    fill = "f = open('/tmp/big', 'wb')\nwhile True:\n    f.write(bytes(2**20)); f.flush()"
    many = "n = 0\nwhile True:\n    open(f'/tmp/{n}', 'w').close(); n += 1"
    for program in (fill, many, fill.replace("/tmp", "/dev/shm")):
        full = sandbox.run_sync(program)
        assert full.status in ("crash", "out_of_memory"), full
        after = sandbox.run_sync("print(open('a', 'w').write('x' * 1000))", files={"b": b"y"}, stdin=b"z")
        assert after.stdout == b"1000\n", after


def test_a_pool_is_opened_beforehand(engine: str) -> None:
    sandbox = docker_sandbox(LIMITS, concurrency=3)
    try:
        deadline = time.monotonic() + 60
        while sandbox.opened < 3:
            assert time.monotonic() < deadline, "the pool stays cold"
            time.sleep(0.05)
        assert sandbox.counters()["sandbox/programs"] == 0
    finally:
        sandbox.close()


def test_an_unknown_runtime_is_named(engine: str) -> None:
    with pytest.raises(Exception, match="runsc"):
        docker_sandbox(LIMITS, runtime="runsc")
