"""`rlpt sandbox run FILE`: runs a program in the sandbox and prints what happened as JSON."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hydra.utils import instantiate

from rlpt.config.composer import composer
from rlpt.config.preflight import compose_checked
from rlpt.config.resolve import resolved
from rlpt.config.rewrite import with_config_dir
from rlpt.errors import UserError

if TYPE_CHECKING:
    from rlpt.sandbox.protocol import Execution, Sandbox

HELP = """rlpt sandbox run FILE [sandbox=auto|docker|process] [sandbox.KEY=VALUE ...]

  FILE   a Python program; - reads it from the standard input

Prints status, exit code, output, seconds and memory as JSON. The exit code is 0 whatever the program did, and 1 where
the sandbox itself failed."""

ROOT = "program"


def main(argv: Sequence[str]) -> int:
    """Run one program.

    Raises:
        UserError: for a file that cannot be read, or a sandbox that does not work here.
    """
    if not argv or argv[0] in ("-h", "--help") or "--help" in argv:
        print(HELP)
        return 0
    files = [word for word in argv[1:] if "=" not in word or Path(word).is_file()]
    if argv[0] != "run" or len(files) != 1:
        raise UserError("Write rlpt sandbox run FILE, and sandbox=docker or sandbox=process behind it if you want one.")
    program = _read(files[0])
    sandbox = _build([word for word in argv[1:] if word not in files])
    try:
        execution = sandbox.run_sync(program)
    finally:
        sandbox.close()
    print(json.dumps({"sandbox": sandbox.name, **as_json(execution)}, indent=2, ensure_ascii=False))
    return 1 if execution.status == "infra_error" else 0


def _read(name: str) -> str:
    try:
        return sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise UserError(f"{name} cannot be read ({reason}); name a Python file.") from error


def _build(overrides: Sequence[str]) -> Sandbox:
    overrides = with_config_dir(overrides, None)
    with composer("sandbox", overrides, ROOT) as session:
        cfg = resolved(compose_checked(session, overrides))
    # Through a partial: `instantiate` would wrap the sandbox's own plain sentence in an error of Hydra's.
    sandbox: Sandbox = instantiate(cfg.sandbox, _partial_=True)()
    return sandbox


def as_json(execution: Execution) -> dict[str, Any]:
    """An Execution without the results of calls, which a program that is run by itself does not have."""
    values = {field.name: getattr(execution, field.name) for field in dataclasses.fields(execution)}
    del values["results"]
    return {
        name: value.decode("utf-8", "replace") if isinstance(value, bytes) else value for name, value in values.items()
    }
