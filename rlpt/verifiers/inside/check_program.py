"""The host of a program that check code judges, as text inside a sandbox; nothing of the check is there.

Arguments come as `rlpt.sandbox.inside.encode` writes them, since JSON alone has no tuples, no sets and no keys but
texts.
"""

from __future__ import annotations

import json
import sys
from types import ModuleType
from typing import Any

SOLUTION = ModuleType("solution")
COLLECTIONS: dict[str, type] = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}


def load(prelude: str, program: str) -> None:
    """Execute what the task gave and then the program as one module: the program's names replace the others."""
    sys.modules["solution"] = SOLUTION
    for name, text in (("prelude.py", prelude), ("solution.py", program)):
        exec(compile(text, name, "exec", dont_inherit=True), SOLUTION.__dict__)


def call(entry_point: str, arguments: str) -> Any:  # noqa: ANN401
    """Call the program's function with arguments as `rlpt.verifiers.inside.check_replay.written` wrote them."""
    args, kwargs = decode(json.loads(arguments))
    return getattr(SOLUTION, entry_point)(*args, **kwargs)


def decode(encoded: Any) -> Any:  # noqa: ANN401
    """Return the value that `encode` wrote. Raises ValueError where it holds one that is not plain."""
    if not isinstance(encoded, list):
        return encoded
    kind, content = encoded
    if kind == "int":
        return int(content, 16)
    if kind == "bytes":
        return bytes.fromhex(content)
    if kind == "dict":
        return {decode(key): decode(item) for key, item in content}
    if kind not in COLLECTIONS:
        raise ValueError("not a plain value")
    return COLLECTIONS[kind](map(decode, content))
