"""The messages between a client and the supervisor in its sandbox, as bytes. No input or output happens here."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any

from rlpt.sandbox.inside.encode import encode
from rlpt.sandbox.protocol import Calls, Execution, Limits
from rlpt.sandbox.values import read_results

INSIDE = Path(__file__).parent / "inside"
MODULES = (
    "reset", "memory", "confine", "channel", "encode", "watch", "report", "program", "pieces", "child", "session",
    "supervisor",
)  # fmt: skip
"""In the order in which they import each other."""

BOOT = """
import json, os, sys, types
def read(size):
    data = b""
    while len(data) < size:
        part = os.read(0, size - len(data))
        if not part:
            sys.exit()
        data += part
    return data
for name, text in json.loads(read(int.from_bytes(read(4), "big"))):
    module = sys.modules[name] = types.ModuleType(name)
    exec(compile(text, name, "exec"), module.__dict__)
module.main()
"""
"""What the bare Python in a sandbox is started with (`-c`): it takes the supervisor from the channel."""

PYTHON_OPTIONS = ("-s", "-P", "-X", "utf8")
ENVIRONMENT: Mapping[str, str] = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": "/tmp",
    "TMPDIR": "/tmp",
    "LANG": "C.UTF-8",
    "PYTHONHASHSEED": "0",  # a program that depends on the order of a set then does the same each time
    "PYTHONDONTWRITEBYTECODE": "1",
    "LD_BIND_NOW": "1",  # else each copy of the supervisor looks up again the functions that it calls
}
MAX_REPLY_HEADER = 65536
MOST_FILES, LONGEST_NAME = 4000, 2000


@dataclass(frozen=True, slots=True)
class Kernel:
    """What the kernel does for a sandbox.

    `counts_processes`: it counts the sandbox's processes by themselves, so that it can limit their number.
    `own_cpu_share`: priorities inside matter inside alone.
    """

    counts_processes: bool
    own_cpu_share: bool


class BadReplyError(ValueError):
    """What came from the sandbox is no reply."""


def supervisor() -> bytes:
    """The first message: the modules that the sandbox runs."""
    sources = [(f"rlpt.sandbox.inside.{name}", (INSIDE / f"{name}.py").read_text("utf-8")) for name in MODULES]
    return _message(sources)


@dataclass(frozen=True, slots=True)
class Request:
    """A message that asks to run something. `mark`: stands in each result that the program did not write itself."""

    message: bytes
    mark: str
    limits: Limits


def program_request(
    program: str,
    stdin: bytes,
    files: Mapping[str, bytes],
    limits: Limits,
    calls: Calls | None,
    kernel: Kernel,
) -> Request:
    """A program to run. The limits are for the supervisor; what follows them, the program's child alone reads.

    Raises:
        ValueError: for a file's name that leads out of the folder, contents that cannot fit into it, or arguments that
            are no plain values.
    """
    _check_files(files, len(stdin), limits)
    mark = secrets.token_hex(8)
    arguments = [] if calls is None else [encode([list(call.args), dict(call.kwargs)]) for call in calls.calls]
    arguments_text = json.dumps(arguments)
    if '["opaque", ' in arguments_text:  # within a text of JSON the quotes would be escaped
        raise ValueError("an argument of a call is no plain value, or is nested too deep")
    contents = [
        program.encode("utf-8", "surrogatepass"),
        stdin,
        arguments_text.encode(),
        b"" if calls is None else calls.prelude.encode("utf-8", "surrogatepass"),
        *(bytes(content) for content in files.values()),
    ]
    index = {
        "sizes": [len(content) for content in contents],
        "files": list(files),
        "entry_point": None if calls is None else calls.entry_point,
        "mark": mark,
    }
    header = {"kind": "program", **_settings(limits, kernel)}
    return Request(b"".join([_message(header), _message(index), *contents]), mark, limits)


def piece_request(code: str, files: Mapping[str, bytes], limits: Limits, kernel: Kernel) -> Request:
    """The next piece of a program that is written piece by piece. Raises ValueError as `program_request` does."""
    _check_files(files, 0, limits)
    mark = secrets.token_hex(8)
    contents = [code.encode("utf-8", "surrogatepass"), *map(bytes, files.values())]
    index = {"sizes": list(map(len, contents)), "files": list(files), "cpu_s": limits.cpu_s, "mark": mark}
    piece = b"".join([_message(index), *contents])
    header = {"kind": "piece", "size": len(piece), "mark": mark, **_settings(limits, kernel)}
    return Request(_message(header) + piece, mark, limits)


@lru_cache
def _settings(limits: Limits, kernel: Kernel) -> Mapping[str, Any]:
    return {**asdict(limits), **asdict(kernel)}


def files_request(limits: Limits) -> bytes:
    """Ask for the files of a program that is written piece by piece."""
    return _message({"kind": "files", "disk_mb": limits.disk_mb})


def close_request() -> bytes:
    """Ask for the end of such a program."""
    return _message({"kind": "close"})


def _check_files(files: Mapping[str, bytes], more: int, limits: Limits) -> None:
    if len(files) > MOST_FILES:
        raise ValueError(f"{len(files)} files are more than the {MOST_FILES} that fit")
    for name in files:
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts or not path.name or "\0" in name:
            raise ValueError(f"file name {name!r} must be relative and stay in the program's folder")
        encoded = name.encode("utf-8", "replace")
        if len(encoded) > LONGEST_NAME or any(len(part.encode("utf-8", "replace")) > 255 for part in path.parts):
            raise ValueError(f"file name {name[:50]!r}... is too long")
        if encoded.decode() != name:
            raise ValueError(f"file name {name!r} is no text")
        if any(str(parent) in files for parent in path.parents):
            raise ValueError(f"file name {name!r} lies in what is a file itself")
    if more + sum(map(len, files.values())) > limits.disk_mb * 2**20:
        raise ValueError(f"standard input and files are larger than limits.disk_mb={limits.disk_mb}")


def reply_header(text: bytes) -> tuple[dict[str, Any], Sequence[int]]:
    """Read the header of a reply; return it with the sizes of the contents that follow.

    Raises:
        BadReplyError: where it is none.
    """
    try:
        header = json.loads(text)
        sizes = [int(size) for size in header.get("sizes", ())]
    except (ValueError, TypeError, AttributeError) as error:
        raise BadReplyError("the sandbox answered something that is no reply") from error
    return header, sizes


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a request. `clean`: nothing of a program is left, or it stands still, its state kept (`alive`)."""

    execution: Execution
    clean: bool = False
    alive: bool = False


def answer(header: Mapping[str, Any], contents: Sequence[bytes], mark: str) -> Answer:
    """What a reply says of the request with this mark.

    Raises:
        BadReplyError: where it is incomplete.
    """
    try:
        stdout, stderr, results = contents
        if not header["started"]:
            lines = stderr.decode("utf-8", "replace").strip().splitlines() or ["the sandbox could not start a program"]
            return Answer(Execution("infra_error", detail=lines[-1]))  # what is left in its channel is unknown
        finished = read_results(results, mark)
        ended_by_itself = header["status"] in ("ok", "crash")
        execution = Execution(
            status="out_of_memory" if finished.out_of_memory and ended_by_itself else header["status"],
            exit_code=header["exit_code"],
            signal=header["signal"],
            stdout=stdout,
            stderr=stderr,
            truncated=header["truncated"],
            seconds=header["seconds"],
            peak_memory_mb=header["peak_memory_mb"],
            results=finished.results,
            signs=finished.signs,
            reset_s=header["reset_s"],
        )
        return Answer(execution, header["clean"] is True, header.get("alive") is True)
    except (KeyError, ValueError) as error:
        raise BadReplyError("the sandbox answered something that is no reply") from error


def _message(content: object) -> bytes:
    text = json.dumps(content).encode()
    return len(text).to_bytes(4, "big") + text
