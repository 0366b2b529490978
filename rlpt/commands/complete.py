"""Tab completion: what may stand next on a command line of a verb that composes a config."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from pathlib import Path

from omegaconf import DictConfig, OmegaConf

from rlpt.commands import options
from rlpt.config.composer import Composer
from rlpt.config.explain import COMPOSITION_ERRORS
from rlpt.config.keys import children, type_of, without_none
from rlpt.config.selections import SEVERAL

PATH_KEYS = frozenset({"resume", "cases", "out", "cache_dir", "policy.path", "hydra.run.dir", "hydra.sweep.dir"})

FLAG_VALUES = {
    "--cfg": options.CFG,
    "-c": options.CFG,
    "--info": options.INFO,
    "-i": options.INFO,
}


def complete(session: Composer, before: Sequence[str], word: str) -> list[str]:
    """Return the words that `word` may become, given the arguments `before` it; sorted.

    A candidate that ends in `=`, `.` or `/` is to be written on.
    """
    previous = before[-1] if before else ""
    if previous in FLAG_VALUES:
        candidates = list(FLAG_VALUES[previous])
    elif previous in ("--config-dir", "-cd"):
        candidates = files(word)
    elif word.startswith("-"):
        parser = options.parser(session.verb)
        candidates = [option for action in parser._actions for option in action.option_strings]
    elif "=" in word:
        candidates = _values(session, before, word)
    else:
        candidates = _names(session, before, word)
    return sorted({candidate for candidate in candidates if candidate.startswith(word)})


def _names(session: Composer, before: Sequence[str], word: str) -> list[str]:
    """Groups and keys; the inner ones only once the word says that they are wanted."""
    sign = word[:1] if word[:1] in ("+", "~") else ""
    plus = "+" * (len(word) - len(word.lstrip("+"))) or sign
    bare = word[len(plus) :]
    cfg = _composed(session, before)
    names = [*_groups(session, cfg, bare), *_keys(session, cfg, bare)]
    if plus == "+":  # adds what the config does not have yet
        return [name for name in names if name.startswith("+")]
    return [plus + name for name in names if not _of_hydra(name) or _of_hydra(bare)]


def _groups(session: Composer, cfg: DictConfig, bare: str) -> list[str]:
    """An outer group is offered without what lies in it, an inner one from its parent's slash on."""
    places = [str(place) for place in cfg.hydra.runtime.choices]
    placed = {place.partition("@")[0] for place in places if "@" in place}
    absent = {group for group in session.groups if "/" not in group} - {*places, *SEVERAL, "hydra"}
    found = [f"{group}=" for group in session.groups if "/" in group and "/" in bare]
    found += [f"{group.split('/')[0]}/" for group in session.groups if "/" in group and bare and "/" not in bare]
    found += [f"{'+' if group in absent else ''}{group}=" for group in session.groups if "/" not in group]
    found += [f"{place}=" for place in places if "@" in place]
    return [name for name in found if name.strip("+=") not in {*placed, "hydra"}]


def _keys(session: Composer, cfg: DictConfig, bare: str) -> list[str]:
    parent = bare.rpartition(".")[0]
    node = OmegaConf.select(cfg, parent, default=None) if parent else cfg
    if not isinstance(node, DictConfig):
        return []
    prefix = f"{parent}." if parent else ""
    inner = {key for key, _ in children(node)}
    # A node that is a group is offered as such first; its dot appears once a letter of it is typed.
    keys = [str(key) for key in node if bare or str(key) not in session.groups]
    return [f"{prefix}{key}." if key in inner else f"{prefix}{key}=" for key in keys]


def _values(session: Composer, before: Sequence[str], word: str) -> list[str]:
    left, _, right = word.partition("=")
    key = left.lstrip("+~")
    group = key.partition("@")[0]
    if group in session.groups:
        # `domain=[a,b` and the sweep `algorithm=a,b`: complete the last one, offer only those not taken yet.
        head = right[: max(right.rfind(","), right.rfind("[")) + 1]
        taken = set(head.strip("[").split(","))
        found = [f"{left}={head}{option}" for option in session.groups[group] if option not in taken]
        if group == "policy" and "/" in right:
            found += [f"{left}={path}" for path in files(right)]
        return found
    if key in PATH_KEYS:
        return [f"{left}={path}" for path in files(right)]
    return [f"{left}={value}" for value in _choices(_composed(session, before), key)]


def _choices(cfg: DictConfig, key: str) -> list[str]:
    inner, optional = without_none(type_of(cfg, key))
    if inner is bool:
        values = ["true", "false"]
    elif isinstance(inner, type) and issubclass(inner, Enum):
        values = [member.name for member in inner]
    else:
        current = OmegaConf.select(cfg, key, default=None)
        values = [] if current is None or isinstance(current, DictConfig) else [str(current).replace(" ", "")]
    return [*values, "null"] if optional else values


def _composed(session: Composer, before: Sequence[str]) -> DictConfig:
    """The config of the overrides so far, or the default one while they do not compose."""
    given = [text for text in before if "=" in text and not text.startswith("-")]
    try:
        return session.compose([*session.searchpath, *(text for text in given if text not in session.searchpath)])
    except COMPOSITION_ERRORS:
        return session.compose(session.searchpath)


def files(word: str) -> list[str]:
    folder, slash, start = word.rpartition("/")
    place = Path(folder or slash or ".").expanduser()
    try:
        entries = [entry for entry in place.iterdir() if entry.name.startswith(start)]
    except OSError:
        return []
    hidden = start.startswith(".")
    return [
        f"{folder}{slash}{entry.name}{'/' if entry.is_dir() else ''}"
        for entry in entries
        if hidden or not entry.name.startswith(".")
    ]


def _of_hydra(name: str) -> bool:
    return name.startswith("hydra")
