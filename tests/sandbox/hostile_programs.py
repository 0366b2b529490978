"""Programs that attack a sandbox or its judge, by kind. Each answers TASK wrongly and none can know its secret."""

from __future__ import annotations

from rlpt.records import Task

SECRET = 86753090
TASK = Task(
    domain="hostile",
    task_id="add-secret",
    messages=[{"role": "user", "content": "Write solve(n)."}],
    reference={
        "entry_point": "solve",
        "calls": [{"args": [n], "expected": n + SECRET} for n in range(1, 4)],
    },
)
HONEST = f"def solve(n):\n    return n + {SECRET}\n"
WRONG = "\ndef solve(n):\n    return n\n"

EXITS = {
    "exit at import": "import sys\nsys.exit(0)" + WRONG,
    "quit at import": "quit()" + WRONG,
    "_exit at import": "import os\nos._exit(0)" + WRONG,
    "exit in the function": "import sys\ndef solve(n):\n    sys.exit(0)",
    "_exit in the function": "import os\ndef solve(n):\n    os._exit(0)",
    "SystemExit with a text": "def solve(n):\n    raise SystemExit('all passed')",
    "an exception that is no Exception": "class Odd(BaseException): pass\ndef solve(n):\n    raise Odd",
    "KeyboardInterrupt": "def solve(n):\n    raise KeyboardInterrupt",
    "a signal to itself": "import os\ndef solve(n):\n    os.kill(os.getpid(), 9)",
    "a signal to its group": "import os\ndef solve(n):\n    os.killpg(0, 15)",
    "atexit": "import atexit, os\natexit.register(os._exit, 0)" + WRONG,
    "abort": "import os\ndef solve(n):\n    os.abort()",
    "the last call only": "import os\ndef solve(n):\n    return n + 86753090 if n < 3 else os._exit(0)",
}
EQUAL_TO_ALL = (
    "    def __eq__(self, other): return True\n    def __ne__(self, other): return False\n    __hash__ = None\n"
)
OBJECTS = {
    f"always equal, a {base}": f"class Equal({base}):\n{EQUAL_TO_ALL}\ndef solve(n):\n    return Equal()"
    for base in ("object", "int", "str", "list", "float", "dict", "tuple")
} | {
    "a class that lies": (
        "class Lie:\n    @property\n    def __class__(self): return int\n    def __int__(self): return 7\n"
        "    def __index__(self): return 7\ndef solve(n):\n    return Lie()"
    ),
    "an index that never comes": (
        "class Slow:\n    def __index__(self):\n        while True: pass\ndef solve(n): return Slow()"
    ),
    "a text that never comes": (
        "class Slow(Exception):\n    def __str__(self):\n        while True: pass\ndef solve(n):\n    raise Slow"
    ),
    "no function": "solve = 5",
    "a generator without end": "def solve(n):\n    while True:\n        yield n",
    "a list in itself": "def solve(n):\n    x = []\n    x.append(x)\n    return x",
    "a list a million deep": "def solve(n):\n    x = []\n    for _ in range(10**6):\n        x = [x]\n    return x",
    "a result without end": "def solve(n):\n    return 'x' * 10**8",
    "True for every number": "def solve(n):\n    return True",
    "not a number": "def solve(n):\n    return float('nan')",
}
PATCHES = {
    "builtins": "import builtins\nbuiltins.isinstance = lambda *a: True\nbuiltins.len = lambda *a: 3" + WRONG,
    "all of builtins": "import builtins\nfor name in dir(builtins):\n    setattr(builtins, name, None)" + WRONG,
    "json": "import json\njson.dumps = lambda *a, **k: '[\"returned\", 86753091]'" + WRONG,
    "modules": "import sys\nfor name in list(sys.modules):\n    sys.modules[name] = None" + WRONG,
    "unittest": "import unittest, sys\nunittest.TestCase.assertEqual = print\nsys.modules['unittest'] = None" + WRONG,
    "int's methods": "import ctypes, os\nos.write = lambda fd, data: len(data)" + WRONG,
    "clocks": "import time\ntime.time = time.monotonic = time.perf_counter = lambda: 0.0\ntime.sleep = print" + WRONG,
    "the harness": (
        "import sys\nharness = sys.modules['rlpt.sandbox.inside.program']\n"
        "harness.encode = lambda *a: 86753091\nharness.describe = lambda *a: 'fine'" + WRONG
    ),
    "a trace hook": (
        "import sys\ndef hook(frame, event, arg):\n    frame.f_trace_opcodes = True\n"
        "    for name in list(frame.f_locals):\n        frame.f_locals[name] = 86753091\n    return hook\n"
        "sys.settrace(hook)\nsys.setprofile(hook)\nsys._getframe().f_back.f_trace = hook" + WRONG
    ),
}
SEARCH = """
import gc, os, sys
def numbers(thing, seen, depth=0):
    if depth > 6 or id(thing) in seen:
        return
    seen.add(id(thing))
    if type(thing) is int and thing > 86000000 and thing < 87000000:
        yield thing
    elif isinstance(thing, (list, tuple, set, frozenset)):
        for item in thing:
            yield from numbers(item, seen, depth + 1)
    elif isinstance(thing, dict):
        for item in list(thing.values()):
            yield from numbers(item, seen, depth + 1)
def solve(n):
    for found in places():
        return found
    return -1
"""
SEARCHES = {
    "frames": SEARCH
    + """
def places():
    frame = sys._getframe()
    while frame:
        for scope in (frame.f_locals, frame.f_globals):
            yield from numbers(dict(scope), set())
        frame = frame.f_back
""",
    "every object": SEARCH
    + """
def places():
    for thing in gc.get_objects():
        if type(thing) in (list, tuple, dict):
            yield from numbers(thing, set())
""",
    "files of the machine": SEARCH
    + """
import re
def places():
    for folder in ('/proc', '/tmp', '/etc', '/dev/shm', '/root', '/home', '/work', '/var', '/run', '/opt'):
        for path, folders, files in os.walk(folder):
            for name in files:
                if name in ('kmsg', 'kcore', 'kpagecount', 'kpageflags', 'kallsyms', 'pagemap'):
                    continue
                try:
                    fd = os.open(os.path.join(path, name), os.O_RDONLY | os.O_NONBLOCK)
                    text = os.read(fd, 200000)
                    os.close(fd)
                except OSError:
                    continue
                yield from map(int, re.findall(rb'8675' + rb'309[0-9]', text))
""",
    "memory of processes": SEARCH
    + """
import re
def places():
    for pid in ('1', 'self'):
        try:
            lines = open(f'/proc/{pid}/maps').read().splitlines()
            memory = open(f'/proc/{pid}/mem', 'rb', 0)
        except OSError:
            continue
        for line in lines:
            start, end = (int(part, 16) for part in line.split()[0].split('-'))
            try:
                memory.seek(start)
                text = memory.read(end - start)
            except (OSError, OverflowError, ValueError):
                continue
            yield from map(int, re.findall(b'8675' + b'309[0-9]', text or b''))
""",
    "environment and descriptors": SEARCH
    + """
import re
def places():
    text = repr(os.environ).encode() + repr(sys.argv).encode()
    for fd in range(64):
        try:
            os.set_blocking(fd, False)
            text += os.read(fd, 100000)
        except OSError:
            pass
    yield from map(int, re.findall(b'8675' + b'309[0-9]', text))
""",
}
FORGERIES = {
    "a result on every descriptor": """
import os
for fd in range(64):
    try:
        os.write(fd, b'["returned", 86753092]\\n' * 3)
    except OSError:
        pass
os._exit(0)
def solve(n): pass
""",
    "a reply on every descriptor": """
import json, os
text = json.dumps({"status": "ok", "started": True, "exit_code": 0, "signal": None, "truncated": False, "seconds": 0,
                   "peak_memory_mb": 1, "clean": True, "sizes": [0, 0, 0]}).encode()
for fd in range(64):
    try:
        os.write(fd, len(text).to_bytes(4, "big") + text)
    except OSError:
        pass
os._exit(0)
def solve(n): pass
""",
    "nonsense as results": "import os\nos.write(3, b'\\xff\\x00[[[[' * 1000 + b'\\n')" + WRONG,
    "deep nonsense as results": "import os\nos.write(3, b'[' * 50000 + b'\\n')" + WRONG,
    "a huge number as result": "import os\nos.write(3, b'[\"returned\", ' + b'9' * 50000 + b']\\n')" + WRONG,
    "the word passed": "print('OK'); print('3 passed'); print('86753091')" + WRONG,
}
AT_LENGTH = {
    "a loop": ("def solve(n):\n    while True: pass", "timeout"),
    "a loop at import": ("while True: pass" + WRONG, "timeout"),
    "a sleep": ("import time\ndef solve(n):\n    time.sleep(1000)", "timeout"),
    "signals ignored": (
        "import signal\nfor n in range(1, 65):\n    try: signal.signal(n, signal.SIG_IGN)\n"
        "    except (OSError, ValueError): pass\n"
        "signal.alarm(0)\ndef solve(n):\n    while True: pass",
        "timeout",
    ),
    "stopped": ("import os\ndef solve(n):\n    os.kill(os.getpid(), 19)", "timeout"),
    "descriptors closed": ("import os\nos.closerange(0, 64)\ndef solve(n):\n    while True: pass", "timeout"),
    "a regular expression": ("import re\ndef solve(n):\n    return re.match('(a+)+$', 'a' * 64 + 'b')", "timeout"),
    "a power tower": ("def solve(n):\n    return 9 ** 9 ** 9 ** 9", None),
    "output": ("def solve(n):\n    while True: print('x' * 1000)", "output_limit"),
    "errors": ("import sys\ndef solve(n):\n    while True: sys.stderr.write('x' * 1000)", "output_limit"),
    "results": ("import os\ndef solve(n):\n    while True: os.write(3, b'x' * 1000)", "output_limit"),
    "memory": ("def solve(n):\n    x = []\n    while True: x.append(bytearray(10**7))", "out_of_memory"),
    "memory at once": ("def solve(n):\n    return len(bytearray(10**11))", "out_of_memory"),
    "memory, caught": (
        "def solve(n):\n    x = []\n    while True:\n        try: x.append(bytearray(10**6))\n"
        "        except MemoryError: pass",
        "timeout",
    ),
    "shared memory": (
        "import mmap\ndef solve(n):\n    m = mmap.mmap(-1, 10**9)\n    m.write(b'x' * 10**8)\n"
        "    for _ in range(8): m.write(b'x' * 10**8)\n    while True: pass",
        "out_of_memory",
    ),
    "memory of many": (
        "import os, time\ndef solve(n):\n    for _ in range(8):\n        if os.fork() == 0:\n"
        "            x = b'x' * 10**8\n            time.sleep(100)\n    time.sleep(100)",
        "out_of_memory",
    ),
    "processes": (
        "import os\ndef solve(n):\n    while True:\n        try: os.fork()\n        except OSError: pass",
        None,
    ),
    "processes in sessions": (
        "import os\ndef solve(n):\n    while True:\n        try:\n            if os.fork() == 0: os.setsid()\n"
        "        except OSError: pass",
        None,
    ),
    "threads": (
        "import threading, time\ndef solve(n):\n    while True:\n"
        "        threading.Thread(target=time.sleep, args=(1000,)).start()",
        None,
    ),
    "recursion": ("import sys\nsys.setrecursionlimit(10**9)\ndef solve(n):\n    return solve(n + 1)", None),
    "recursion in C": (
        "import sys\nsys.setrecursionlimit(10**9)\nclass A:\n    def __repr__(self): return repr(self)\n"
        "def solve(n):\n    return repr(A())",
        None,
    ),
    "a bad address": ("import ctypes\ndef solve(n):\n    return ctypes.string_at(8)", "suspicious"),
    "files": (
        "import os\ndef solve(n):\n    i = 0\n    while True:\n        i += 1\n        try:\n"
        "            open(f'/tmp/{i}', 'wb').write(b'x' * 10**6)\n"
        "        except OSError: return -1",
        None,
    ),
    "many files": (
        "def solve(n):\n    i = 0\n    while True:\n        i += 1\n        try: open(f'/tmp/{i}', 'wb').close()\n"
        "        except OSError: return -1",
        None,
    ),
    "a file without end": (
        "def solve(n):\n    with open('/dev/shm/x', 'wb') as f:\n        while True: f.write(b'x' * 10**6)",
        None,
    ),
    "open files": ("def solve(n):\n    return [open('/dev/null') for _ in range(10**6)]", None),
    "a pipe full": (
        "import os\ndef solve(n):\n    r, w = os.pipe()\n    while True: os.write(w, b'x' * 10**6)",
        "timeout",
    ),
}
BREAKOUTS = {
    "everything deleted": "import os, shutil\nshutil.rmtree('/', ignore_errors=True)\nos.system('rm -rf /*')" + WRONG,
    "the supervisor killed": "import os\nfor n in range(1, 65):\n    try: os.kill(1, n)\n    except OSError: pass"
    + WRONG,
    "everybody killed": "import os\nos.kill(-1, 9)" + WRONG,
    "the supervisor limited": (
        "import resource\nfor n in range(16):\n    try: resource.prlimit(1, n, (0, 0))\n"
        "    except (OSError, ValueError): pass" + WRONG
    ),
    "the supervisor slowed": (
        "import os\nfor act in (lambda: os.setpriority(0, 1, 19), lambda: os.setpriority(2, 0, 19),\n"
        "            lambda: os.sched_setscheduler(1, os.SCHED_IDLE, os.sched_param(0)),\n"
        "            lambda: os.sched_setaffinity(1, [0])):\n"
        "    try: act()\n    except OSError: pass" + WRONG
    ),
    "the supervisor traced": (
        "import ctypes\nlibc = ctypes.CDLL(None)\n"
        "assert libc.ptrace(16, 1, 0, 0) != 0\nassert libc.ptrace(0x4206, 1, 0, 0) != 0" + WRONG
    ),
    "the supervisor's descriptors": "import os\nprint(os.listdir('/proc/1/fd'))" + WRONG,
    "new namespaces": (
        "import ctypes\nlibc = ctypes.CDLL(None)\n"
        "for flag in (0x10000000, 0x20000, 0x40000000, 0x20000000, 0x10020000): assert libc.unshare(flag) != 0\n"
        "import os, platform\nclone = {'x86_64': 56, 'aarch64': 220}[platform.machine()]\n"
        "made = libc.syscall(clone, 0x10000011, 0, 0, 0, 0)\nif made == 0: os._exit(0)\nassert made == -1\n"
        "assert libc.mount(b'none', b'/tmp', b'tmpfs', 0, None) != 0\nassert libc.chroot(b'/tmp') != 0" + WRONG
    ),
    "a way out by sockets": """
import socket
for family in range(1, 45):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
        try:
            s = socket.socket(family, kind)
            assert family in (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6), family
        except OSError:
            continue
for address in (('1.1.1.1', 53), ('10.0.0.1', 80), ('172.17.0.1', 2375), ('169.254.169.254', 80)):
    s = socket.socket()
    s.settimeout(0.5)
    try:
        s.connect(address)
    except OSError:
        continue
    raise AssertionError(address)
"""
    + WRONG,
    "a daemon": """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        while True:
            try:
                os.kill(-1, 9)
                open('/tmp/daemon', 'w').write('here')
            except OSError:
                pass
    os._exit(0)
time.sleep(0.2)
"""
    + WRONG,
    "modules left behind": """
for folder in ('/tmp', '/dev/shm'):
    for name in ('sitecustomize.py', 'usercustomize.py', 'conftest.py', 'json.py', 'math.py', 'x.pth'):
        open(f'{folder}/{name}', 'w').write('raise SystemExit(0)')
"""
    + WRONG,
    "a maze left behind": """
import os
os.chdir('/tmp')
for i in range(1500):
    os.mkdir('d')
    os.chdir('d')
open('file', 'w').close()
os.symlink('/', 'link')
os.mkfifo('pipe')
os.chmod('.', 0)
os.chdir('/tmp')
os.chmod('/tmp/d', 0)
"""
    + WRONG,
    "memory left behind": """
import ctypes
libc = ctypes.CDLL(None)
assert libc.shmget(7, 1000, 0o1666) == -1
assert libc.msgget(7, 0o1666) == -1
assert libc.semget(7, 1, 0o1666) == -1
assert libc.syscall(248, b'user', b'name', b'content', 7, -2) == -1
try:
    open('/dev/mqueue/queue', 'w').close()
except OSError:
    pass
"""
    + WRONG,
}
SOURCES = {
    "a NUL byte": "x = '\0'" + WRONG,
    "10 MB": "x = 1\n" * 1_700_000 + WRONG,
    "one long line": "x = [" + "1," * 4_000_000 + "]" + WRONG,
    "parentheses": "(" * 100_000 + WRONG,
    "brackets within the limit": "x = " + "[" * 30_000 + WRONG,
    "minus signs": "x = " + "-" * 60_000 + "1" + WRONG,
    "attributes": "x = a" + ".b" * 30_000 + WRONG,
    "half a character": "x = '\ud800'" + WRONG,
    "nothing": "",
}
LASTING = {name: source for name, (source, _) in AT_LENGTH.items()}
ALL = EXITS | OBJECTS | PATCHES | SEARCHES | FORGERIES | LASTING | BREAKOUTS | SOURCES
