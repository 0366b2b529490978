"""One process for each rank of this node."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

from rlpt.errors import UserError

INTERRUPTED = 130


def local_rank() -> int:
    """Number of this process among the ranks of its node, before a process group exists."""
    return int(os.environ.get("LOCAL_RANK", "0"))


def launch_ranks(verb: str, count: int, run_dir: Path) -> None:
    """Start `count` processes that run the configuration in `run_dir`, and wait for them.

    When one of them ends with an error the others are ended too: they would wait for it for ever.

    Raises:
        UserError: where a rank ended with an error, which it has printed itself.
        KeyboardInterrupt: where the ranks were interrupted and have saved.
    """
    port = _free_port()
    processes = [_start(verb, run_dir, number, count, port) for number in range(count)]
    previous = signal.signal(signal.SIGTERM, _raise_terminated)
    try:
        code = _wait(processes)
    except _Terminated:
        for process in processes:
            process.send_signal(signal.SIGTERM)
        code = _wait(processes)
    except KeyboardInterrupt:
        # The ranks got the same Ctrl-C and are saving; a second one ends them as well.
        code = _wait(processes)
    finally:
        signal.signal(signal.SIGTERM, previous)
        for process in processes:
            if process.poll() is None:
                process.kill()
    if code != 0:
        if code == INTERRUPTED:
            raise KeyboardInterrupt("The ranks have stopped; above stands how to go on.")
        raise UserError(f"A rank ended with exit code {code}; what it said stands above.")


class _Terminated(Exception):  # noqa: N818 - a request, no error
    """This process was told to end (SIGTERM)."""


def _raise_terminated(number: int, frame: FrameType | None) -> None:
    raise _Terminated


def _start(verb: str, run_dir: Path, number: int, count: int, port: int) -> subprocess.Popen[bytes]:
    environment = {
        **os.environ,
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
        "WORLD_SIZE": str(count),
        "NODE_RANK": "0",
        "LOCAL_RANK": str(number),
    }
    return subprocess.Popen([sys.executable, "-m", "rlpt.training.rank", verb, str(run_dir)], env=environment)


def _wait(processes: Sequence[subprocess.Popen[bytes]], grace_s: float = 20.0, finish_s: float = 600.0) -> int:
    """Wait until all have ended, and return the exit code of the first that did not end well.

    The others have `grace_s` seconds to notice that one has failed, and `finish_s` to save and close their records
    where one was interrupted, as all of them then were.
    """
    while True:
        codes = [process.poll() for process in processes]
        failed = [code for code in codes if code]
        if failed:
            interrupted = all(code == INTERRUPTED for code in failed)
            deadline = time.monotonic() + (finish_s if interrupted else grace_s)
            if not interrupted:
                for process in processes:
                    process.send_signal(signal.SIGTERM)
            while time.monotonic() < deadline and any(process.poll() is None for process in processes):
                time.sleep(0.1)
            return failed[0] if failed[0] > 0 else 128 - failed[0]
        if all(code == 0 for code in codes):
            return 0
        time.sleep(0.1)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
