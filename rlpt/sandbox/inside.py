"""What runs inside a sandbox: a supervisor that runs one program after the other. Standard library only.

It is started as `python -I -S inside.py MODE`, where MODE is `process` (it builds its own namespaces first) or
`container` (somebody else has isolated it), and speaks frames over stdin and stdout: a request is a header of fixed
size and a JSON payload; an answer is a length and a JSON payload.

The supervisor itself never reads a payload. For each request it forks a runner, which reads the payload, forks the
program, waits for it under the limits, ends everything that it started and writes the answer. So no program finds
anything of an earlier one in its memory.
"""

import ctypes
import json
import os
import resource
import select
import shutil
import signal
import struct
import sys
import time

HEADER = struct.Struct("!Q")  # length of the payload in bytes
SCRATCH = "/tmp"
NOBODY = 65534
OVERHEAD_MB = 96  # address space that the interpreter itself maps
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 1, 2, 4, 8, 32, 4096, 16384, 1 << 18
CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = (
    0x20000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000,
)  # fmt: skip
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS = 1, 4, 38
libc = ctypes.CDLL(None, use_errno=True)


def main():
    mode = sys.argv[1]
    libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    if mode == "process":
        enter_namespaces(json.loads(sys.argv[2]))
    write_all(1, HEADER.pack(0))  # ready
    while True:
        header = read_exactly(0, HEADER.size)
        if header is None:
            return
        (length,) = HEADER.unpack(header)
        runner = os.fork()
        if runner == 0:
            try:
                run_request(mode, length)
            finally:
                os._exit(0)
        _, status = os.waitpid(runner, 0)
        if status != 0:
            return  # the runner was killed: the client replaces a sandbox that ends
        if mode == "container" and not reset_container():
            return


# --- one request -----------------------------------------------------------------------------------------------------


def run_request(mode, length):
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    request = json.loads(read_exactly(0, length))
    limits = request["limits"]
    pipes = {name: os.pipe() for name in ("stdout", "stderr", "results", "report", "ending")}
    if mode == "process":
        check(libc.unshare(CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC), "unshare")
    started = time.monotonic()
    child = os.fork()
    if child == 0:
        try:
            for reading, _ in pipes.values():
                os.close(reading)
            become_program(mode, request, {name: writing for name, (_, writing) in pipes.items()})
        except BaseException as error:
            os.write(pipes["ending"][1], f"failed {type(error).__name__}: {error}".encode()[:200])
        finally:
            os._exit(70)
    for _, writing in pipes.values():
        os.close(writing)
    answer = watch(child, limits, started, {name: reading for name, (reading, _) in pipes.items()})
    payload = json.dumps(answer).encode()
    write_all(1, HEADER.pack(len(payload)) + payload)


def watch(child, limits, started, pipes):
    """Collect what the program writes until it ends or breaks a limit; then end all of its processes."""
    texts = {name: bytearray() for name in pipes}
    most = {"stdout": limits["output_bytes"], "stderr": limits["output_bytes"], "results": 16_000_000, "report": 64, "ending": 256}
    open_pipes = {fd: name for name, fd in pipes.items()}
    deadline = started + limits["wall_s"]
    broken, status, usage = None, None, None
    while broken is None:
        left = deadline - time.monotonic()
        if left <= 0:
            broken = "timeout"
            break
        readable, _, _ = select.select(list(open_pipes), [], [], min(left, 0.02 if status is None else 0))
        for fd in readable:
            name = open_pipes[fd]
            chunk = os.read(fd, 65536)
            if not chunk:
                del open_pipes[fd]
            elif len(texts[name]) + len(chunk) > most[name]:
                texts[name] += chunk[: most[name] - len(texts[name])]
                broken = "output_limit"
            else:
                texts[name] += chunk
        if status is not None and not readable:
            break  # ended, and its pipes are empty; what it started may still hold them open
        if status is None:
            pid, code, used = os.wait4(child, os.WNOHANG)
            if pid:
                status, usage = code, used
            elif resident_mb(child) > limits["memory_mb"]:
                broken = "out_of_memory"
    end_program(child, status is None)
    if status is None:
        _, status, usage = os.wait4(child, 0)
    return describe(texts, broken, status, usage, time.monotonic() - started)


def end_program(child, running):
    """Kill whatever is left."""
    assert os.getppid() == 1, "the supervisor is the sandbox's first process; a kill of all would reach further"
    if running:
        try:
            os.kill(child, signal.SIGKILL)
        except ProcessLookupError:
            pass
    try:
        os.kill(-1, signal.SIGKILL)  # everything in the sandbox but the supervisor, its first process, and this one
    except ProcessLookupError:
        pass


def describe(texts, broken, status, usage, seconds):
    ending = bytes(texts["ending"]).decode("utf-8", "replace")
    if ending.startswith("ended "):
        status = int(ending.split()[1])  # the program's own, as its init saw it
    code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else None
    number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
    ended = broken
    if ending.startswith("failed "):
        ended = "infra_error"
    if ended is None and bytes(texts["report"]) == b"memory":
        ended = "out_of_memory"
    if ended is None and (number == signal.SIGXCPU):
        ended = "timeout"
    if ended is None:
        ended = "ok" if code == 0 else "crash"
    return {
        "status": ended,
        "exit_code": code,
        "signal": number,
        "stdout": bytes(texts["stdout"]).decode("latin-1"),
        "stderr": bytes(texts["stderr"]).decode("latin-1"),
        "results": bytes(texts["results"]).decode("latin-1"),
        "detail": ending.removeprefix("failed ") if ended == "infra_error" else "",
        "truncated": broken == "output_limit",
        "seconds": seconds,
        "peak_memory_mb": usage.ru_maxrss / 1024,
    }


def resident_mb(child):
    """Resident memory of the program and all its descendants, in MiB."""
    total, pending = 0, [child]
    while pending:
        pid = pending.pop()
        try:
            with open(f"/proc/{pid}/statm") as file:
                total += int(file.read().split()[1])
            with open(f"/proc/{pid}/task/{pid}/children") as file:
                pending += file.read().split()
        except (OSError, IndexError, ValueError):
            continue
    return total * resource.getpagesize() / 2**20


# --- the program's own process -----------------------------------------------------------------------------------------


def become_program(mode, request, pipes):
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if mode == "process":
        own_mounts()
        drop_privileges()
        stay_as_init(pipes["ending"])
    os.setsid()
    os.chdir(SCRATCH)
    for name, text in request["files"].items():
        with open(name, "wb") as file:
            file.write(text.encode("latin-1"))
    stdin = os.memfd_create("stdin")
    write_all(stdin, request["stdin"].encode("latin-1"))
    os.lseek(stdin, 0, os.SEEK_SET)
    for target, source in enumerate((stdin, pipes["stdout"], pipes["stderr"])):
        os.dup2(source, target)
    # Results and report get numbers of their own; everything else that was open is closed.
    moved = [os.dup(pipes["results"]), os.dup(pipes["report"])]
    os.dup2(moved[0], 3)
    os.dup2(moved[1], 4)
    os.closerange(5, 1024)
    apply_limits(request["limits"])
    os.environ.clear()
    os.environ.update({"PATH": "/usr/bin:/bin", "HOME": SCRATCH, "LANG": "C.UTF-8"})
    execute(request["source"], request["calls"])


def stay_as_init(ending):
    """Go on as a child of the namespace's first process, which keeps the status of the program's ending.

    As first process itself the program could not be ended by its own signals. What it leaves running dies with init.
    """
    program = os.fork()
    if program == 0:
        return
    while True:
        pid, status = os.wait()
        if pid == program:
            os.write(ending, f"ended {status}".encode())
            os._exit(0)


def apply_limits(limits):
    def limit(what, value):
        resource.setrlimit(what, (value, value))

    limit(resource.RLIMIT_CORE, 0)
    limit(resource.RLIMIT_NOFILE, 64)
    limit(resource.RLIMIT_AS, (limits["memory_mb"] + OVERHEAD_MB) * 2**20)
    limit(resource.RLIMIT_CPU, int(limits["wall_s"] * 4) + 1)  # of one process; the wall clock is kept outside
    limit(resource.RLIMIT_FSIZE, 64 * 2**20)
    limit(resource.RLIMIT_NPROC, limits["processes"])
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def execute(source, calls):
    """Run the source as `__main__`, then make the calls and write their values. Ends the process."""
    # Taken before the program can replace them.
    write, dumps, encode_value, flush_exit, error_type = os.write, json.dumps, encode, os._exit, MemoryError
    code = 1
    try:
        if hasattr(sys, "set_int_max_str_digits"):
            sys.set_int_max_str_digits(0)
        module = type(sys)("__main__")
        sys.modules["__main__"] = module
        sys.argv = ["program.py"]
        sys.stdin = open(0, encoding="utf-8", errors="replace", closefd=False)
        sys.stdout = open(1, "w", encoding="utf-8", errors="backslashreplace", closefd=False)
        sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)
        exec(compile(source, "program.py", "exec"), module.__dict__)
        for call in calls:
            value = module.__dict__[call["function"]](*call["args"], **call["kwargs"])
            data = dumps(encode_value(value)).encode() + b"\n"
            while data:
                data = data[write(3, data) :]
        code = 0
    except SystemExit as error:
        # Without calls this is how a program may end; with calls it has not answered them.
        code = 0 if error.code in (None, 0) else 1
    except error_type:
        write(4, b"memory")
    except BaseException:
        import traceback

        traceback.print_exc()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:
        pass
    flush_exit(code)


def encode(value, depth=0):
    """A value as JSON, its exact type kept; what JSON cannot carry becomes `["other", type]`.

    Subclasses of int, str, list and the like are `other`: their methods are the program's, and nobody here calls them.
    """
    kind = type(value)
    if value is None or kind is bool or kind is str:
        return value
    if kind is int:
        return value if -(2**53) < value < 2**53 else ["int", hex(value)]
    if kind is float:
        return ["float", value.hex()]
    if depth < 50:
        if kind is list or kind is tuple:
            return [kind.__name__, [encode(entry, depth + 1) for entry in value]]
        if kind is dict:
            return ["dict", [[encode(key, depth + 1), encode(entry, depth + 1)] for key, entry in value.items()]]
        if kind is set or kind is frozenset:
            return ["set", [encode(entry, depth + 1) for entry in value]]
    return ["other", kind.__name__]


# --- isolation ---------------------------------------------------------------------------------------------------------


def enter_namespaces(settings):
    """New user, mount, network, IPC and UTS namespaces, and a root folder that holds only what Python needs."""
    check(libc.unshare(CLONE_NEWUSER), "unshare")
    write_all(1, b"u")  # the client writes the id maps now
    if read_exactly(0, 1) is None:
        sys.exit(1)
    check(libc.unshare(CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS), "unshare")
    become_first_process()
    check(libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None), "mount private")
    root = settings["root"]
    check(libc.mount(b"tmpfs", root.encode(), b"tmpfs", MS_NOSUID | MS_NODEV, b"mode=755,size=1m"), "mount root")
    for path in settings["read_only"]:
        if os.path.islink(path):
            target = root + path
            os.makedirs(os.path.dirname(target), exist_ok=True)
            os.symlink(os.readlink(path), target)
        elif os.path.exists(path):
            bind(path, root + path, read_only=True)
    for device in ("null", "zero", "urandom", "random"):
        bind(f"/dev/{device}", f"{root}/dev/{device}", read_only=False)
    for folder in ("proc", "tmp", "dev/shm", "old"):
        os.makedirs(f"{root}/{folder}", exist_ok=True)
    check(libc.mount(b"proc", f"{root}/proc".encode(), b"proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, None), "mount proc")
    os.chdir(root)
    check(libc.pivot_root(b".", b"old"), "pivot_root")
    os.chdir("/")
    check(libc.umount2(b"/old", 2), "umount")
    os.rmdir("/old")
    os.umask(0o077)


def become_first_process():
    """Go on as first process of the new pid namespace: when it dies, the kernel ends everything in the sandbox."""
    supervisor = os.fork()
    if supervisor == 0:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        return
    os.close(0)
    os.close(1)
    os.waitpid(supervisor, 0)
    os._exit(0)


def bind(source, target, read_only):
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        os.close(os.open(target, os.O_CREAT, 0o644))
    check(libc.mount(source.encode(), target.encode(), None, MS_BIND, None), f"bind {source}")
    # Flags that the source has are locked in a user namespace: a remount must repeat them.
    flags = os.statvfs(target).f_flag & (MS_NOSUID | MS_NODEV | MS_NOEXEC | os.ST_NOATIME | os.ST_NODIRATIME | os.ST_RELATIME)
    if read_only:
        flags |= MS_RDONLY | MS_NODEV
    check(libc.mount(None, target.encode(), None, MS_BIND | MS_REMOUNT | MS_NOSUID | flags, None), f"remount {source}")


def own_mounts():
    """For one program: its own /proc, and empty /tmp and /dev/shm that vanish with it."""
    check(libc.mount(b"proc", b"/proc", b"proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, None), "mount proc")
    for folder in (b"/tmp", b"/dev/shm"):
        check(
            libc.mount(b"tmpfs", folder, b"tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, b"mode=1777,size=16m"), "mount tmpfs"
        )
    check(libc.mount(None, b"/", None, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV, None), "remount root")


def drop_privileges():
    """Become nobody where that user is mapped; in any case keep no capability."""
    if "65534" in open("/proc/self/uid_map").read().split():
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    for capability in range(64):
        libc.prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP; fails for numbers that the kernel does not know
    header = struct.pack("=Ii", 0x20080522, 0)
    check(libc.capset(header, struct.pack("=6I", *[0] * 6)), "capset")


def reset_container():
    """Between two programs in a container: no other process, no file. False where that did not work."""
    deadline = time.monotonic() + 2.0
    while True:
        try:
            os.kill(-1, signal.SIGKILL)
        except ProcessLookupError:
            break
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            pass
        if time.monotonic() > deadline:
            return False
    for entry in os.scandir(SCRATCH):
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path, ignore_errors=True)
        else:
            os.unlink(entry.path)
    return not os.listdir(SCRATCH)


# --- bytes -------------------------------------------------------------------------------------------------------------


def read_exactly(fd, length):
    data = b""
    while len(data) < length:
        chunk = os.read(fd, min(length - len(data), 1 << 20))
        if not chunk:
            return None
        data += chunk
    return data


def write_all(fd, data):
    while data:
        data = data[os.write(fd, data) :]


def check(result, what):
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


if __name__ == "__main__":
    main()
