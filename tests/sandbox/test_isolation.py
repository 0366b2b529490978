"""What a program can see and change: nothing of the machine, nothing of the program before it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import rlpt
from rlpt.sandbox.warm import WarmSandbox


def look(sandbox: WarmSandbox, program: str) -> str:
    execution = sandbox.run_sync(program)
    assert execution.status == "ok", execution
    return execution.stdout.decode().strip()


def test_it_is_nobody_without_rights(sandbox: WarmSandbox) -> None:
    status = look(sandbox, "print(open('/proc/self/status').read())")
    fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    assert fields["Uid"].split() == ["65534"] * 4
    assert fields["CapEff"] == fields["CapPrm"] == fields["CapAmb"] == "0" * 16
    assert fields["NoNewPrivs"] == "1"
    assert fields["Seccomp"] == "2"


def test_it_sees_no_other_process(sandbox: WarmSandbox) -> None:
    assert (
        look(sandbox, "import os; print(sorted({p for p in os.listdir('/proc') if p.isdigit()} - {str(os.getpid())}))")
        == "['1']"
    )


def test_it_sees_no_network(sandbox: WarmSandbox) -> None:
    assert (
        look(sandbox, "print([line.split(':')[0].strip() for line in open('/proc/net/dev').readlines()[2:]])")
        == "['lo']"
    )


@pytest.mark.parametrize(
    "path",
    [
        Path.cwd(),
        Path.home() / ".cache",
        Path(rlpt.__file__).parent,
        Path(__file__),
        Path("/etc/shadow"),
        Path("/var/run"),
    ],
    ids=["checkout", "home", "package", "tests", "passwords", "run"],
)
def test_it_sees_no_file_of_the_machine(sandbox: WarmSandbox, path: Path) -> None:
    assert look(sandbox, f"import os; print(os.path.exists({str(path)!r}))") == "False"


def test_it_finds_no_package(sandbox: WarmSandbox) -> None:
    program = """
import importlib.util
print([name for name in ('rlpt', 'torch', 'hydra', 'pip', 'setuptools', 'pytest') if importlib.util.find_spec(name)])
"""
    assert look(sandbox, program) == "[]"


def test_it_can_write_to_its_folders_alone(sandbox: WarmSandbox) -> None:
    program = """
import os
found = []
for folder, _, _ in os.walk('/'):
    if folder.startswith('/proc'):
        continue
    try:
        open(f'{folder}/new', 'x').close()
        found.append(folder)
    except OSError:
        pass
print(sorted(found))
"""
    assert look(sandbox, program) == "['/dev/shm', '/tmp']"


def test_it_has_no_descriptor_but_its_own(sandbox: WarmSandbox) -> None:
    program = """
import os
for fd in os.listdir('/proc/self/fd'):
    try:
        print(fd, os.readlink(f'/proc/self/fd/{fd}').split(':')[0])
    except OSError:
        pass
"""
    kinds = [line.split(maxsplit=1) for line in look(sandbox, program).splitlines()]
    assert [fd for fd, _ in kinds] == ["0", "1", "2", "3"]
    assert [kind for _, kind in kinds][1:] == ["pipe"] * 3


def test_its_environment_says_nothing(sandbox: WarmSandbox) -> None:
    os.environ["RLPT_TEST_SECRET"] = "expected value"
    try:
        assert "expected" not in look(sandbox, "import os; print(os.environ)")
    finally:
        del os.environ["RLPT_TEST_SECRET"]


def test_nothing_of_a_program_is_left_for_the_next(sandbox: WarmSandbox) -> None:
    leave = """
import builtins, json, os, random, sys
builtins.left = json.left = os.left = sys.left = 'here'
json.dumps = print
random.seed(1)
os.environ['LEFT'] = 'here'
open('/tmp/left', 'w').write('here')
open('/dev/shm/left', 'w').write('here')
os.umask(0o777)
os.chmod('/tmp', 0o777) if os.stat('/tmp').st_uid == os.getuid() else None
if os.fork() == 0:
    os.setsid()
    import time
    while True: time.sleep(1)
"""
    program = """
import builtins, json, os, sys
print([hasattr(module, 'left') for module in (builtins, json, os, sys)], json.dumps(1), 'LEFT' in os.environ)
print(os.listdir('/tmp'), os.listdir('/dev/shm'), len([p for p in os.listdir('/proc') if p.isdigit()]), os.umask(0))
"""
    before = look(sandbox, program)
    for _ in range(2 * sandbox.concurrency):
        sandbox.run_sync(leave)
    assert look(sandbox, program) == before


def test_what_a_program_read_and_wrote_is_in_no_memory(sandbox: WarmSandbox) -> None:
    """The next program shares the supervisor's memory as it was when the supervisor forked."""
    word = "quartz-sphinx"
    halves = (word[:6], word[6:])
    sandbox.run_sync(
        f"print('{word}' * 1000)\nimport sys\nsys.stderr.write('{word}' * 1000)", stdin=word.encode() * 1000
    )
    program = f"""
import re
word = (re.escape({halves[0]!r}) + '(?:)' + re.escape({halves[1]!r})).encode()
found = 0
with open('/proc/self/mem', 'rb', 0) as memory:
    for line in open('/proc/self/maps'):
        start, end = (int(part, 16) for part in line.split()[0].split('-'))
        try:
            memory.seek(start)
            text = memory.read(end - start) or b''
        except (OSError, ValueError, OverflowError):
            continue
        found += len(re.findall(word, text))
        del text
print(found)
"""
    for _ in range(2 * sandbox.concurrency):
        assert look(sandbox, program) == "0"
