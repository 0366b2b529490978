"""Whether every `_target_` names something that exists, found out without importing it.

Importing a target could load torch, and a target that fails to import would otherwise be noticed only when the run is
halfway up.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib.machinery import PathFinder
from importlib.util import find_spec
from pathlib import Path

from omegaconf import DictConfig

from rlpt.config.keys import children
from rlpt.config.nearest import nearest, one_of
from rlpt.errors import UserError


def check_targets(cfg: DictConfig) -> None:
    """Refuse a resolved config in which a `_target_` cannot be found.

    Raises:
        UserError: naming the nearest thing that exists.
    """
    for key, target in targets(cfg):
        if problem := problem_with(target):
            raise UserError(f"{key}={target}: {problem}")


def targets(node: DictConfig, prefix: str = "") -> Iterator[tuple[str, str]]:
    """Every `_target_` below `node`, as dotted key and value."""
    if isinstance(node.get("_target_"), str):
        yield f"{prefix}_target_", node["_target_"]
    for key, child in children(node):
        yield from targets(child, f"{prefix}{key}.")


def problem_with(target: str) -> str | None:
    """Say what is wrong with a dotted name, or return None where nothing is, or where only importing could tell."""
    package, *rest = target.split(".")
    if not rest or not all(part.isidentifier() for part in (package, *rest)):
        return "a target is written module.name."
    spec = find_spec(package)
    if spec is None:
        return f"there is no module '{package}' here; install it, or start rlpt in the folder that holds it."
    place, found = spec.origin, package
    folders = spec.submodule_search_locations
    while folders and rest:
        inner = PathFinder.find_spec(rest[0], [str(folder) for folder in folders])
        if inner is None:
            break
        found, place, folders = f"{found}.{rest[0]}", inner.origin, inner.submodule_search_locations
        rest = rest[1:]
    if not rest:
        return f"'{found}' is a module; name something in it."
    names = _names(place)
    if names is None or rest[0] in names:
        return None
    if folders:
        names |= {file.stem for folder in folders for file in Path(folder).glob("*.py") if file.stem != "__init__"}
    public = sorted(name for name in names if not name.startswith("_"))
    near = nearest(rest[0], public)
    return f"'{found}' has no {rest[0]}; " + (
        f"did you mean {found}.{near[0]}?" if near else f"it has {one_of(public)}."
    )


def _names(origin: str | None) -> set[str] | None:
    """Names that a module's source binds at its top, or None where the source does not say."""
    if origin is None or not origin.endswith(".py"):
        return set() if origin is None else None
    try:
        tree = ast.parse(Path(origin).read_text(encoding="utf-8"))
    except (OSError, SyntaxError, UnicodeError):
        return None
    names: set[str] = set()
    for statement in ast.walk(tree):
        if isinstance(statement, ast.ImportFrom) and any(alias.name == "*" for alias in statement.names):
            return None
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(statement.name)
        elif isinstance(statement, ast.Import | ast.ImportFrom):
            names |= {(alias.asname or alias.name).split(".")[0] for alias in statement.names}
        elif isinstance(statement, ast.Name) and isinstance(statement.ctx, ast.Store):
            names.add(statement.id)
    return None if "__getattr__" in names else names
