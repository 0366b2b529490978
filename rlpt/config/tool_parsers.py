"""The names of vLLM's tool parsers, read from its source: importing vLLM would take seconds."""

from __future__ import annotations

import ast
from importlib.util import find_spec
from pathlib import Path

from rlpt.config.nearest import ALL, nearest, one_of
from rlpt.errors import UserError

TABLE = "_TOOL_PARSERS_TO_REGISTER"


def check_parser(name: str | None) -> None:
    """Refuse a tool parser that vLLM does not have; where vLLM cannot be looked at, the engine will say so.

    Raises:
        UserError: naming those that are like it.
    """
    known = tool_parsers()
    if name is None or not known or name in known:
        return
    near = nearest(name, known)
    hint = f"did you mean {near[0]}?" if near else f"it has {one_of(known, ALL)}."
    raise UserError(f"policy.tool_parser={name}: vLLM has no tool parser of that name; {hint}")


def tool_parsers() -> list[str]:
    """The names, or nothing where there is no vLLM here or it keeps them elsewhere."""
    spec = find_spec("vllm")
    source = Path(spec.origin).parent / "tool_parsers" / "__init__.py" if spec and spec.origin else None
    if source is None or not source.is_file():
        return []
    for node in ast.parse(source.read_text(encoding="utf-8")).body:
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Dict):
            continue
        if any(isinstance(target, ast.Name) and target.id == TABLE for target in node.targets):
            return [str(key.value) for key in node.value.keys if isinstance(key, ast.Constant)]
    return []
