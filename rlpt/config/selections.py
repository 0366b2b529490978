"""What the command line selects from the groups: overrides that cannot be meant as they are written.

These are looked at before composing, because Hydra takes some of them in silence: `algorithm.loss=reinforce`, written
for `algorithm/loss=reinforce`, would put a word in the place of a node.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hydra.core.override_parser.types import Override

from rlpt.config.nearest import ALL, nearest, one_of
from rlpt.errors import UserError

Groups = Mapping[str, Sequence[str]]

SEVERAL = frozenset({"domain", "tool"})
"""Groups of which more than one option may be chosen at once."""


def check_selection(override: Override, groups: Groups) -> None:
    """Refuse an override that names a group or an option which does not exist, or names it in the wrong way.

    Raises:
        UserError: naming the right way.
    """
    key, value = override.key_or_group, override.value()
    if override.is_delete() or isinstance(value, dict):
        return
    if key in groups:
        _check_options(override, groups)
    elif "/" in key:
        _check_slashes(override, groups)
    elif "." in key:
        _check_dots(override, groups)


def _check_options(override: Override, groups: Groups) -> None:
    key, value, group = override.get_key_element(), override.value(), override.key_or_group
    options = groups[group]
    if override.is_force_add():
        raise UserError(f"{override.input_line}: '++' is for keys; choose from a group with {group}={options[0]}.")
    if value is None or value in ("", []):
        none = " ('none' switches it off)" if "none" in options else ""
        raise UserError(f"{key}= selects nothing; it takes {one_of(options, ALL)}{none}.")
    chosen = value if isinstance(value, list) else [value]
    for option in chosen:
        if str(option) not in options:
            near = nearest(str(option), options)
            hint = f"; did you mean {near[0]}?" if near else "."
            raise UserError(f"{group} has no option '{option}' (it has {one_of(options, ALL)}){hint}")
    if isinstance(value, list) and not override.is_add() and group not in SEVERAL and not group.startswith("hydra/"):
        names = ",".join(map(str, value))
        raise UserError(
            f"{group} takes one option at a time; write {key}={value[0]}, or run each with -m {key}={names}."
        )


def _check_slashes(override: Override, groups: Groups) -> None:
    key = override.key_or_group
    group, _, option = key.rpartition("/")
    if option in groups.get(group, ()):
        raise UserError(f"'{key}' is an option, not a group; write {group}={option}.")
    inner = [name for name in groups if "/" in name and name.split("/")[0] == key.split("/")[0]]
    if near := nearest(key, inner):
        raise UserError(f"There is no group '{key}'; did you mean '{near[0]}'?")
    dotted = key.replace("/", ".")
    raise UserError(f"There is no group '{key}'; a key is written with dots: {dotted}={override.value()}.")


def _check_dots(override: Override, groups: Groups) -> None:
    key, value = override.key_or_group, override.value()
    slashed = key.replace(".", "/")
    if slashed in groups and isinstance(value, str | list):
        near = nearest(str(value), groups[slashed])
        option = near[0] if near else groups[slashed][0]
        raise UserError(f"'{key}' is a group, which is chosen with a slash; write {slashed}={option}.")
    head, _, last = slashed.rpartition("/")
    # A switch may be called as an option that sets it: evaluation.greedy=true, evaluation=greedy.
    if last in groups.get(head, ()) and not isinstance(value, bool):
        written = f"[{last}]" if head in SEVERAL else last
        raise UserError(
            f"'{key}' is an option of the group '{head}'; choose it with {head}={written}, "
            f"or set one of its keys with {key if head in SEVERAL else head}.KEY=VALUE."
        )
