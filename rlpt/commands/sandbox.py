"""`rlpt sandbox run FILE` runs a program in the sandbox; `rlpt sandbox bench` says how fast it is on this machine."""

from __future__ import annotations

import dataclasses
import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rlpt.config.build import build
from rlpt.config.composer import composer
from rlpt.config.preflight import compose_checked
from rlpt.config.resolve import resolved
from rlpt.config.rewrite import with_config_dir
from rlpt.errors import UserError

if TYPE_CHECKING:
    from rlpt.sandbox.protocol import Execution
    from rlpt.sandbox.warm import WarmSandbox

HELP = """rlpt sandbox run FILE [sandbox=auto|docker|process] [sandbox.KEY=VALUE ...]
rlpt sandbox bench [out=FILE] [sandbox=auto|docker|process] [sandbox.KEY=VALUE ...]

run    runs a program and prints status, exit code, output, seconds and memory as JSON;
       docs/sandboxes.md says what each field is
bench  prints how many programs this machine's sandbox runs in a second, as many at once as it has
       places, and what starting it and cleaning up after a program cost

  FILE   a Python program; - reads it from the standard input. A program from a file reads what is
         piped into this command as its own standard input
  out    a file for the figures, as JSON

The exit code is 0 whatever the program did, 1 where the sandbox itself failed, and 2 where a
setting or a file is no good, or the sandbox does not work here."""

ROOT = "program"
BENCH_S = 1.5
"""Seconds for which each program is run again and again."""


def main(argv: Sequence[str]) -> int:
    """Run one program, or measure.

    Raises:
        UserError: for a file that cannot be read or written, or a sandbox that does not work here.
    """
    if not argv or argv[0] in ("-h", "--help") or "--help" in argv:
        print(HELP)
        return 0
    part = PARTS.get(argv[0])
    if part is None:
        raise UserError(f"There is no rlpt sandbox {argv[0]}; write rlpt sandbox run FILE, or rlpt sandbox bench.")
    return part(argv[1:])


def run(words: Sequence[str]) -> int:
    """`rlpt sandbox run WORDS`."""
    files = [word for word in words if "=" not in word or Path(word).is_file()]
    if len(files) != 1:
        raise UserError("Write rlpt sandbox run FILE, and sandbox=docker or sandbox=process behind it if you want one.")
    program, stdin = _program_and_input(files[0])
    sandbox = _build([word for word in words if word not in files])
    try:
        execution = sandbox.run_sync(program, stdin)
    except ValueError as error:
        raise UserError(f"The program cannot be run: {error}; give it less, or raise the limit.") from error
    finally:
        sandbox.close()
    print(json.dumps({"sandbox": sandbox.name, **as_json(execution)}, indent=2, ensure_ascii=False))
    return 1 if execution.status == "infra_error" else 0


def bench(words: Sequence[str]) -> int:
    """`rlpt sandbox bench WORDS`."""
    unknown = next((word for word in words if "=" not in word), None)
    if unknown is not None:
        raise UserError(f"rlpt sandbox bench runs programs of its own; leave out {unknown}.")
    outs = [Path(word.removeprefix("out=")) for word in words if word.startswith("out=")]
    for out in outs:
        _write(out, "")  # a file that cannot be written is said before anything is measured
    figures = _measured([word for word in words if not word.startswith("out=")])
    for out in outs:
        _write(out, json.dumps(figures, indent=2) + "\n")
    print(report(figures))
    return 1 if any("infra_error" in one["statuses"] for one in figures["programs"].values()) else 0


PARTS: Mapping[str, Callable[[Sequence[str]], int]] = {"run": run, "bench": bench}


def report(figures: Mapping[str, Any]) -> str:
    """The figures of a sandbox, for a person."""
    lines = [
        f"sandbox: {figures['sandbox']} ({figures['chosen_because']})",
        f"places: {figures['places']} programs at once",
        f"first program: {figures['first_program_s']:.2f} s after starting",
        "",
        f"{'program':14}{'a second':>10}{'one, ms':>10}{'of which reset, ms':>20}  ended",
    ]
    for name, one in figures["programs"].items():
        ended = ", ".join(f"{status} {count}" for status, count in one["statuses"].items())
        milliseconds = f"{one['median_s'] * 1e3:10.1f}{one['reset_median_s'] * 1e3:20.2f}"
        lines.append(f"{name:14}{one['per_s']:10.0f}{milliseconds}  {ended}")
    return "\n".join(lines)


def as_json(execution: Execution) -> dict[str, Any]:
    """An Execution without the results of calls, which a program that is run by itself does not have."""
    values = {field.name: getattr(execution, field.name) for field in dataclasses.fields(execution)}
    del values["results"], values["state_lost"]
    return {
        name: value.decode("utf-8", "replace") if isinstance(value, bytes) else value for name, value in values.items()
    }


def _measured(overrides: Sequence[str]) -> dict[str, Any]:
    from rlpt.sandbox.measuring import PROGRAMS, measure

    start = time.monotonic()
    sandbox = _build(overrides)
    try:
        sandbox.run_sync("pass")
        first_s = time.monotonic() - start
        return {
            "sandbox": sandbox.name,
            "chosen_because": sandbox.chosen_because,
            "places": sandbox.concurrency,
            "first_program_s": first_s,
            "programs": {
                name: dataclasses.asdict(measure(sandbox, program, BENCH_S)) for name, program in PROGRAMS.items()
            },
        }
    finally:
        sandbox.close()


def _program_and_input(name: str) -> tuple[str, bytes]:
    """The program's text, and what it shall read: what is piped into this command, where that is not the program."""
    try:
        if name == "-":
            return sys.stdin.read(), b""
        program = Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise UserError(f"{name} cannot be read ({reason}); name a Python file.") from error
    piped = sys.stdin is not None and not sys.stdin.isatty()
    return program, sys.stdin.buffer.read() if piped else b""


def _write(out: Path, text: str) -> None:
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(f"out={out} cannot be written ({error.strerror}); name another file.") from error


def _build(overrides: Sequence[str]) -> WarmSandbox:
    overrides = with_config_dir(overrides, None)
    with composer("sandbox", overrides, ROOT) as session:
        cfg = resolved(compose_checked(session, overrides))
    sandbox: WarmSandbox = build(cfg.sandbox)
    return sandbox
