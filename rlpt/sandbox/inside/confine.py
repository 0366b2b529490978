"""Forbids system calls (seccomp): what Docker's own filter forbids, which sandboxes without Docker lack, and more."""

from __future__ import annotations

import ctypes
import platform
import struct
from collections.abc import Mapping, Sequence

# By name: numbers on x86_64 and on aarch64. What changes the machine, other processes, or leaves something behind that
# lives longer than a process: keys, System V memory, message queues.
DENIED = {
    "acct": (163, 89), "add_key": (248, 217), "bpf": (321, 280), "chroot": (161, 51), "delete_module": (176, 106),
    "finit_module": (313, 273), "fsconfig": (431, 431), "fsmount": (432, 432), "fsopen": (430, 430),
    "fspick": (433, 433), "init_module": (175, 105), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425), "ioprio_set": (251, 30), "kcmp": (312, 272), "kexec_file_load": (320, 294),
    "kexec_load": (246, 104), "keyctl": (250, 219), "memfd_create": (319, 279), "memfd_secret": (447, 447),
    "mount": (165, 40), "mount_setattr": (442, 442), "move_mount": (429, 429), "mq_open": (240, 180),
    "msgget": (68, 186), "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265), "open_tree": (428, 428),
    "perf_event_open": (298, 241), "personality": (135, 92), "pidfd_getfd": (438, 438), "pivot_root": (155, 41),
    "process_madvise": (440, 440), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "ptrace": (101, 117), "quotactl": (179, 60), "reboot": (169, 142), "request_key": (249, 218),
    "sched_setaffinity": (203, 122), "sched_setattr": (314, 274), "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119), "semget": (64, 190), "setns": (308, 268),
    "shmget": (29, 194), "swapoff": (168, 225), "swapon": (167, 224), "syslog": (103, 116), "umount2": (166, 39),
    "unshare": (272, 97), "userfaultfd": (323, 282),
}  # fmt: skip
# AF_UNIX, AF_INET, AF_INET6: a network namespace holds them. It does not hold, say, AF_VSOCK.
LOCAL_SOCKETS = (1, 2, 10)
# Here each of the first arguments must be one of these. Limits and priority: those of the calling process alone.
ITSELF = (0,)
RESTRICTED: Mapping[str, tuple[tuple[int, int], Sequence[Sequence[int]]]] = {
    "prlimit64": ((302, 261), [ITSELF]),
    "setpriority": ((141, 140), [ITSELF, ITSELF]),
    "socket": ((41, 198), [LOCAL_SOCKETS]),
    "socketpair": ((53, 199), [LOCAL_SOCKETS]),
}
ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""Column of the tables, and the number by which the kernel's audit knows the architecture."""

LIBC = ctypes.CDLL(None, use_errno=True)
PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 4, 22, 38
FILTER_MODE = 2
LOAD, JUMP_EQUAL, JUMP_AT_LEAST, ANSWER = 0x20, 0x15, 0x35, 0x06
REFUSE, ALLOW, KILL = 0x00050001, 0x7FFF0000, 0x80000000  # REFUSE: EPERM
NUMBER, ARCHITECTURE, FIRST_ARGUMENT, ARGUMENT_SIZE = 0, 4, 16, 8  # in the kernel's struct seccomp_data
FIRST_X32_NUMBER = 0x40000000

Instruction = tuple[int, int, int, int]
"""Of classic BPF: operation, steps to skip where a comparison holds and where not, operand."""


def confine() -> None:
    """Forbid this process and all its children the calls above, and close its memory to them.

    Raises:
        OSError: where the kernel does not do that. KeyError: on other architectures.
    """
    column, architecture = ARCHITECTURES[platform.machine()]
    code = b"".join(struct.pack("HBBI", *step) for step in _filter(column, architecture))
    steps = ctypes.create_string_buffer(code, len(code))
    rules = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(code) // 8, ctypes.addressof(steps)))
    control(PR_SET_NO_NEW_PRIVS, 1)
    control(PR_SET_SECCOMP, FILTER_MODE, ctypes.addressof(rules))
    control(PR_SET_DUMPABLE, 0)


def control(option: int, *arguments: int) -> None:
    """Call prctl(2). Raises OSError where the kernel refuses."""
    padded = (*arguments, 0, 0, 0, 0)[:4]
    if LIBC.prctl(ctypes.c_int(option), *map(ctypes.c_ulong, padded)) != 0:
        raise OSError(ctypes.get_errno(), f"prctl({option}) is refused")


def _filter(column: int, architecture: int) -> list[Instruction]:
    code = [(LOAD, 0, 0, ARCHITECTURE), (JUMP_EQUAL, 1, 0, architecture), (ANSWER, 0, 0, KILL), (LOAD, 0, 0, NUMBER)]
    if column == 0:
        code += [(JUMP_AT_LEAST, 0, 1, FIRST_X32_NUMBER), (ANSWER, 0, 0, REFUSE)]
    for numbers in DENIED.values():
        code += [(JUMP_EQUAL, 0, 1, numbers[column]), (ANSWER, 0, 0, REFUSE)]
    for numbers, arguments in RESTRICTED.values():
        checks = [step for index, values in enumerate(arguments) for step in _check(index, values)]
        code += [(JUMP_EQUAL, 0, len(checks) + 1, numbers[column]), *checks, (ANSWER, 0, 0, ALLOW)]
    return [*code, (ANSWER, 0, 0, ALLOW)]


def _check(index: int, values: Sequence[int]) -> list[Instruction]:
    """Refuse unless an argument is one of the values; else go on behind these steps."""
    comparisons = [(JUMP_EQUAL, len(values) - i, 0, value) for i, value in enumerate(values)]
    return [(LOAD, 0, 0, FIRST_ARGUMENT + ARGUMENT_SIZE * index), *comparisons, (ANSWER, 0, 0, REFUSE)]
