"""Starts a command in namespaces of its own, on a root that holds Python and nothing else.

`python namespaces.py PLAN`, PLAN being JSON: see `rlpt.sandbox.process`. It runs before anything untrusted does, on the
machine's own Python, with the standard library alone; descriptors 0, 1 and 2 go to the command. What cannot be done
ends it with one line on standard error: there is no weaker protection to fall back to.

User, pid, mount, network, IPC and UTS namespaces. As root, it first builds everything as root and then becomes
`nobody`, so that the command could do nothing with what root may even if it got out.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import signal
import socket
import sys
from pathlib import Path
from typing import Any, NoReturn

NEW_MOUNTS, NEW_CGROUP, NEW_UTS, NEW_IPC = 0x00020000, 0x02000000, 0x04000000, 0x08000000
NEW_USER, NEW_PIDS, NEW_NETWORK = 0x10000000, 0x20000000, 0x40000000
ALL_BUT_USER = NEW_MOUNTS | NEW_CGROUP | NEW_UTS | NEW_IPC | NEW_PIDS | NEW_NETWORK
READ_ONLY, NO_SUID, NO_DEVICES, NO_EXEC, REMOUNT, BIND, RECURSIVE, PRIVATE = 1, 2, 4, 8, 32, 4096, 16384, 1 << 18
KEPT = {os.ST_NOEXEC: NO_EXEC, os.ST_NOATIME: 1024, os.ST_NODIRATIME: 2048, os.ST_RELATIME: 1 << 21}
"""Flags of a file system that may not be dropped when it is made read-only, as statvfs and as mount(2) have them."""

DETACH = 2
PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS = 1, 4, 38
NOBODY = 65534
DEVICES = ("null", "zero", "full", "random", "urandom")
SCRATCH = ("/tmp", "/dev/shm")
MAX_FILES = 4096

libc = ctypes.CDLL(None, use_errno=True)


def main() -> None:
    plan = json.loads(sys.argv[1])
    try:
        start(plan)
    except OSError as error:
        sys.exit(f"{error.strerror or error} ({error.filename})" if error.filename else str(error.strerror or error))


def start(plan: dict[str, Any]) -> NoReturn:
    """Enter the namespaces, start the command as process 1 of them, wait for it and end as it did."""
    is_root = os.geteuid() == 0 and owns_all_users()
    if not is_root:
        enter_user_namespace()
    unshare(ALL_BUT_USER, "new namespaces are refused")
    child = os.fork()
    if child:
        # Only the command may hold the channel. No path can be used here: the child is exchanging the root of both.
        os.close(0)
        os.close(1)
        _, status = os.waitpid(child, 0)
        os._exit(os.waitstatus_to_exitcode(status) & 0xFF)
    try:
        os.umask(0o022)
        build_root(plan)
        socket.sethostname("sandbox")
        if is_root:
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
            control(PR_SET_DUMPABLE, 1)  # the change of user took the right to write to its own /proc/self away
            enter_user_namespace()
        Path("/proc/sys/user/max_user_namespaces").write_text("0")  # or a program could be root in one of its own
        os.chdir("/tmp")
        control(PR_SET_NO_NEW_PRIVS, 1)
        control(PR_SET_PDEATHSIG, signal.SIGKILL)
        os.execve(plan["command"][0], plan["command"], plan["environment"])
    except OSError as error:
        print(f"{error.strerror} ({error.filename})" if error.filename else error.strerror, file=sys.stderr)
    finally:
        os._exit(1)


def owns_all_users() -> bool:
    """Whether this is the machine's own root, not that of a container with a user namespace."""
    return Path("/proc/self/uid_map").read_text().split() == ["0", "0", str(2**32 - 1)]


def enter_user_namespace() -> None:
    """A user namespace with one user, `nobody`, who is this process's user outside."""
    user, group = os.geteuid(), os.getegid()
    unshare(NEW_USER, "user namespaces are refused")
    try:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{NOBODY} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{NOBODY} {group} 1")
    except OSError as error:
        raise OSError(error.errno, "user namespaces have no rights here") from error


def build_root(plan: dict[str, Any]) -> None:
    """Leave the machine's root for one with Python, read-only, few devices, /proc, and empty folders to write to."""
    mount(None, "/", None, RECURSIVE | PRIVATE)
    mount("tmpfs", "/tmp", "tmpfs", NO_SUID | NO_DEVICES, "size=4m,mode=755")
    Path("/tmp/machine").mkdir()
    pivot = PIVOT_ROOT[os.uname().machine]
    check(libc.syscall(pivot, b"/tmp", b"/tmp/machine"), "a root of its own is refused")
    os.chdir("/")
    for folder in plan["folders"]:
        Path(folder).mkdir(parents=True, exist_ok=True)
        show(folder, NO_DEVICES)
        for name in plan["left_out"]:
            if Path(folder, name).is_dir():
                mount("tmpfs", f"{folder}/{name}", "tmpfs", READ_ONLY | NO_SUID | NO_DEVICES, "size=4k,mode=755")
    for file in plan["files"]:
        Path(file).parent.mkdir(parents=True, exist_ok=True)
        Path(file).touch()
        show(file, NO_DEVICES)
    for path, target in plan["links"]:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).symlink_to(target)
    Path("/dev").mkdir()
    for name in DEVICES:
        Path(f"/dev/{name}").touch()
        show(f"/dev/{name}", NO_EXEC)
    Path("/dev/fd").symlink_to("/proc/self/fd")
    for folder in ("/etc", "/proc", *SCRATCH):
        Path(folder).mkdir(exist_ok=True)
    Path("/etc/passwd").write_text(f"nobody:x:{NOBODY}:{NOBODY}:nobody:/tmp:/bin/false\n")
    Path("/etc/group").write_text(f"nogroup:x:{NOBODY}:\n")
    for folder in SCRATCH:
        options = f"size={plan['disk_mb']}m,nr_inodes={MAX_FILES},mode=1777"
        mount("tmpfs", folder, "tmpfs", NO_SUID | NO_DEVICES | NO_EXEC, options)
    mount("proc", "/proc", "proc", NO_SUID | NO_DEVICES | NO_EXEC)
    check(libc.umount2(b"/machine", DETACH), "leaving the machine's root is refused")
    Path("/machine").rmdir()
    mount(None, "/", None, REMOUNT | BIND | READ_ONLY | NO_SUID | NO_DEVICES)
    refuse_writable()


def show(path: str, flags: int) -> None:
    """Make a file or folder of the machine visible at the same place, read-only."""
    mount(f"/machine{path}", path, None, BIND | RECURSIVE)
    kept = sum(new for old, new in KEPT.items() if os.statvfs(path).f_flag & old)
    mount(None, path, None, REMOUNT | BIND | READ_ONLY | NO_SUID | flags | kept)


def refuse_writable() -> None:
    """Look at the result: nothing but the scratch folders and /proc may be writable."""
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        place, options = line.split()[4:6]
        if place not in (*SCRATCH, "/proc") and "ro" not in options.split(","):
            raise OSError(errno.EPERM, f"{place} would be writable")


def mount(source: str | None, place: str, kind: str | None, flags: int, options: str | None = None) -> None:
    texts = [None if text is None else text.encode() for text in (source, place, kind, options)]
    source_text, place_text, kind_text, options_text = texts
    result = libc.mount(source_text, place_text, kind_text, ctypes.c_ulong(flags), options_text)
    check(result, f"mounting {place} is refused")


def unshare(flags: int, refused: str) -> None:
    check(libc.unshare(flags), refused)


def control(option: int, argument: int) -> None:
    check(libc.prctl(option, *map(ctypes.c_ulong, (argument, 0, 0, 0))), f"prctl({option}) is refused")


def check(result: int, refused: str) -> None:
    if result != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{refused}: {os.strerror(code)}")


if __name__ == "__main__":
    main()
