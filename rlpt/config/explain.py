"""Why a config did not compose, in one sentence that names the right thing.

Hydra's own message for a mistyped key advises `+key`, which makes the mistake permanent. So a failed composition is
repeated one override at a time, and the first one that breaks it is explained from the config composed so far.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import yaml
from hydra.core.override_parser.types import Override
from hydra.errors import HydraException, OverrideParseException
from omegaconf import DictConfig
from omegaconf.errors import ConfigAttributeError, ConfigKeyError, OmegaConfBaseException, ValidationError

from rlpt.config.composer import Composer
from rlpt.config.keys import describe, in_sentence, type_of, wrong_value
from rlpt.config.nearest import ALL, nearest, one_of
from rlpt.config.unknown import unknown_key

COMPOSITION_ERRORS = (HydraException, OmegaConfBaseException, ValueError, yaml.YAMLError)


def explain_parsing(composer: Composer, overrides: Sequence[str]) -> str | None:
    """Return what is wrong with the first override that does not follow Hydra's grammar, or None."""
    for text in overrides:
        try:
            composer.parse([text])
        except OverrideParseException:
            return _unreadable(composer, text)
    return None


def explain(composer: Composer, overrides: Sequence[str], error: Exception) -> str:
    """Return one sentence about the first of `overrides` that made composing fail with `error`."""
    try:
        cfg = composer.compose(composer.searchpath)
    except COMPOSITION_ERRORS:
        return one_line(error)
    composed = list(composer.searchpath)
    for override in _groups_first(composer, overrides):
        text = override.input_line or ""
        try:
            cfg = composer.compose([*composed, text])
        except COMPOSITION_ERRORS as reason:
            return _explain_override(composer, cfg, override, reason)
        composed.append(text)
    return one_line(error)


def one_line(error: BaseException) -> str:
    """The message of `error` and of what caused it, on one line."""
    cause = _omegaconf(error)
    texts = [str(error).strip().split("\n")[0].rstrip(":")]
    if cause is not None and cause is not error:
        texts.append(str(cause.msg or cause).strip().split("\n")[0])
    return ": ".join(text for text in texts if text) or type(error).__name__


def _unreadable(composer: Composer, text: str) -> str:
    key, equals, value = text.partition("=")
    if equals:
        return f"Cannot read {text!r}; put a value with special characters in quotes, such as '{key}=\"{value}\"'."
    group, _, option = text.replace(".", "/").rpartition("/")
    if option in composer.groups.get(group, ()):
        return f"Cannot read {text!r}; write {group}={option}."
    if text in composer.groups:
        return f"Cannot read {text!r}; write {text}=OPTION, one of {one_of(composer.groups[text], ALL)}."
    return f"Cannot read {text!r}; arguments are written group=option or key=value."


def _groups_first(composer: Composer, overrides: Sequence[str]) -> list[Override]:
    """Group selections decide which keys there are, so they come before values, as in Hydra."""
    parsed = [one for one in composer.parse(overrides) if one.input_line not in composer.searchpath]
    return sorted(parsed, key=lambda one: one.key_or_group not in composer.groups)


def _explain_override(composer: Composer, cfg: DictConfig, override: Override, error: Exception) -> str:
    text, key = override.input_line or "", override.key_or_group
    cause = _omegaconf(error)
    if override.is_sweep_override():
        return _sweep_without_m(override)
    if key in composer.groups and cause is None:
        return _unplaced_group(cfg, override, error)
    where = str(cause.full_key or key) if cause is not None else key
    if isinstance(cause, ConfigKeyError | ConfigAttributeError):
        if key.startswith(where):
            return unknown_key(composer, cfg, key)
        return in_sentence(text, unknown_key(composer, cfg, where, setting=text))
    if isinstance(cause, ValidationError):
        by_file = key in composer.groups
        sentence = _wrong_value(cfg, override, where, by_file, cause.value)
        if sentence is not None:
            return sentence
    if override.is_delete():
        return f"{text}: there is nothing of that name to leave out."
    if override.is_add() and not override.is_force_add():
        return f"{text}: the key is there already; write {text.lstrip('+')}."
    return f"{text}: {one_line(error)}"


def _wrong_value(cfg: DictConfig, override: Override, where: str, by_file: bool, value: object) -> str | None:
    """`where` is the key that refused `value`: the override's own, one above it, or one that a chosen file sets."""
    text, key = override.input_line or "", override.key_or_group
    if key.startswith(f"{where}.") and (hint := type_of(cfg, where)) is not None:
        return f"{text}: '{where}' has no keys below it; it takes {describe(hint)}."
    if where.startswith(key) and not by_file:
        return wrong_value(cfg, key, override.value(), text)
    return wrong_value(cfg, where, value, f"{text} sets {where}={value}")


def _unplaced_group(cfg: DictConfig, override: Override, error: Exception) -> str:
    """A group that exists, selected for a place where the config has none, or has it already."""
    text, key = override.input_line or "", override.get_key_element()
    choices = sorted(str(choice) for choice in cfg.hydra.runtime.choices)
    if key.startswith("+"):
        return f"{text}: '{key[1:]}' has a value already; write {text[1:]}."
    places = [choice for choice in choices if choice.split("@")[0] == override.key_or_group]
    if near := nearest(key, places) or places:
        written = one_of([f"{place}={override.value()}" for place in (near if len(near) == 1 else places)])
        return f"There is no '{key}' in this config; did you mean {written}?"
    return f"There is no '{key}' in this config; add it with +{text}." if not places else one_line(error)


def _sweep_without_m(override: Override) -> str:
    key = override.get_key_element()
    values = (override.input_line or "").partition("=")[2]
    together = f", or {key}=[{values}] for all at once" if key == "domain" else ""
    return f"{override.input_line} names several values; add -m to run each of them{together}."


def _omegaconf(error: BaseException | None) -> OmegaConfBaseException | None:
    return next((one for one in _chain(error) if isinstance(one, OmegaConfBaseException)), None)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
