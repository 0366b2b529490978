"""Tab completion in real shells, through their line editors: what the user sees after pressing TAB."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import shutil
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

WAIT_S = 60.0


class Terminal:
    """An interactive shell in a terminal of its own."""

    def __init__(self, command: list[str], environment: dict[str, str], folder: Path) -> None:
        self._pid, self._fd = pty.fork()
        if self._pid == 0:
            os.chdir(folder)
            os.execvpe(command[0], command, environment)
        # Wide enough for the line editor not to wrap what is typed.
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 500, 0, 0))

    def type(self, keys: str) -> None:
        os.write(self._fd, keys.encode())

    def read_until(self, pattern: str) -> str:
        seen = ""
        deadline = time.monotonic() + WAIT_S
        while time.monotonic() < deadline:
            if select.select([self._fd], [], [], 0.2)[0]:
                seen += os.read(self._fd, 65536).decode(errors="replace").replace("\a", "").replace("\r", "")
            if re.search(pattern, seen):
                return seen
        raise AssertionError(f"waited for {pattern!r}, saw {seen!r}")

    def close(self) -> None:
        os.close(self._fd)
        os.waitpid(self._pid, 0)


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A home folder with the command rlpt on its PATH."""
    command = tmp_path / "rlpt"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m rlpt "$@"\n')
    command.chmod(0o755)
    passed_on = {name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ}
    return {"PATH": f"{tmp_path}:/usr/bin:/bin", "TERM": "dumb", "PS1": "$ ", "HOME": str(tmp_path), **passed_on}


@pytest.fixture
def open_terminal(environment: dict[str, str], tmp_path: Path) -> Iterator[Callable[[str, str], Terminal]]:
    """`open_terminal("bash --norc", install)`: a shell in which `install` has been run."""
    opened: list[Terminal] = []

    def start(command: str, install: str) -> Terminal:
        shell = command.split()[0]
        if shutil.which(shell) is None:
            pytest.skip(f"{shell} is not installed: apt-get install {shell}")
        terminal = Terminal(command.split(), environment, tmp_path)
        opened.append(terminal)
        terminal.type(f'{install}; echo re""ady\n')
        terminal.read_until("ready")
        return terminal

    yield start
    for terminal in opened:
        terminal.close()


@pytest.mark.parametrize("install", ["rlpt completion bash", "rlpt train -sc install=bash"])
def test_bash_completes_verbs_groups_options_and_keys(
    open_terminal: Callable[[str, str], Terminal], install: str
) -> None:
    bash = open_terminal("bash --norc --noprofile", f'eval "$({install})"')
    for typed, completed in [
        ("rlpt trai\t", "rlpt train "),
        ("hardware=cpu_\t", "hardware=cpu_fsdp2 "),
        ("algorithm/adv\t", "algorithm/advantage="),
        ("leave\t", "leave_one_out "),
        ("algorithm.optimizer.lear\t", "algorithm.optimizer.learning_rate="),
        ("\t", "2e-05 "),
        ("verifier@domain.arithmetic.verifier=unit\t", "verifier@domain.arithmetic.verifier=unit_tests "),
        ("domain=[arithmetic,inst\t", r"domain=\[arithmetic,instructions"),
    ]:
        bash.type(typed)
        bash.read_until(completed)


def test_bash_lists_what_there_is(open_terminal: Callable[[str, str], Terminal]) -> None:
    bash = open_terminal("bash --norc --noprofile", 'eval "$(rlpt completion bash)"')
    bash.type("rlpt train algorithm=\t\t")
    # Only what stands behind the word break `=`, so that the list is short.
    assert re.search(r"dr_grpo\s+.*grpo\s+.*reinforce\s+.*rloo", bash.read_until("rloo"), re.DOTALL)


def test_zsh_completes(open_terminal: Callable[[str, str], Terminal]) -> None:
    zsh = open_terminal("zsh -f", 'autoload -Uz compinit && compinit -D; eval "$(rlpt completion zsh)"')
    for typed, completed in [
        ("rlpt trai\t", "rlpt train "),
        ("hardware=cpu_\t", "hardware=cpu_fsdp2 "),
        ("algorithm/adv\t", "algorithm/advantage="),
        ("leave\t", "leave_one_out "),
        ("algorithm.optimizer.lear\t", "algorithm.optimizer.learning_rate="),
    ]:
        zsh.type(typed)
        zsh.read_until(completed)


def test_fish_completes(environment: dict[str, str], tmp_path: Path) -> None:
    if shutil.which("fish") is None:
        pytest.skip("fish is not installed: apt-get install fish")
    program = 'rlpt completion fish | source; complete -C "rlpt train hardware=cpu_"; complete -C "rlpt trai"'
    command = ["fish", "--no-config", "-c", program]
    result = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert result.stdout.split() == ["hardware=cpu_fsdp2", "train"]
