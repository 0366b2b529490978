"""JSON Schema as a verifier needs it: refused when loaded where it cannot be judged by, strict, and bounded in time.

The keywords are those of the library `jsonschema`, drafts 4 to 2020-12, but for these:
    integer: 4.0 is none.
    const, enum: 1, 1.0 and true are three values.
    multipleOf: exact in decimal, so that 19.99 is a multiple of 0.01.
    uniqueItems: linear in the array's length.
    format: asserted; a schema with a format that cannot be is refused.
    pattern, patternProperties: read as ECMA-262 has them where Python differs unseen: `$` is the very end and not also
        before a last line break, and `\\d` and `\\w` are ASCII.

References are resolved within the schema alone: no network, no files, no bundled schema.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from fractions import Fraction
from functools import cache, lru_cache
from graphlib import CycleError, TopologicalSorter
from typing import Any

import jsonschema.validators as library  # type: ignore[import-untyped]
from jsonschema import FormatChecker, TypeChecker
from jsonschema.exceptions import SchemaError, ValidationError  # type: ignore[import-untyped]
from referencing import Registry, Specification
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT4, DRAFT6, DRAFT7, DRAFT201909, DRAFT202012, Schema

from rlpt.verifiers.structured.formats import FORMATS
from rlpt.verifiers.structured.strict_json import same

MOST_STEPS = 50_000
"""Keywords that are applied to one value. A schema that refers to itself may cost exponential time in its depth."""

_PROBES: tuple[object, ...] = (None, True, 0, 0.5, "", [], {})
_CHARACTER_CLASS_OR_END = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|\$", re.DOTALL)
_DEFAULT_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_steps: ContextVar[int] = ContextVar("steps")


class InvalidSchemaError(ValueError):
    """A schema that cannot be judged by. The message says why."""


class TooMuchWorkError(Exception):
    """A value that takes more than `MOST_STEPS` to check."""


class CompiledSchema:
    """A schema that has been checked. Immutable; use it from any thread."""

    def __init__(self, validator: Any) -> None:  # noqa: ANN401
        self._validator = validator

    def problem(self, value: object) -> str | None:
        """Return in one line where a JSON value breaks the schema, None where it does not."""
        try:
            error = _first_error(self._validator, value)
        except RecursionError:
            return "nested too deep for this schema"
        except TooMuchWorkError:
            return f"takes more than {MOST_STEPS} steps to check"
        if error is None:
            return None
        return " ".join(f"{error.json_path} breaks {error.validator or 'false'}: {error.message}".split())


@lru_cache(maxsize=256)
def compiled(text: str) -> CompiledSchema:
    """Return the schema that stands in a JSON text.

    Raises:
        InvalidSchemaError: for an unknown draft, what the draft's own schema refuses, a reference that leads nowhere,
            out of the schema or back to itself without end, and a pattern or format that cannot be checked.
    """
    schema = json.loads(text)
    draft = _draft(schema)
    base, specification = _DRAFTS[draft]
    try:
        _prepare(schema, draft, base, specification)
        validator = _strict(base)(schema, registry=Registry(), format_checker=_FORMAT_CHECKER)
        for probe in _PROBES:
            _first_error(validator, probe)
    except RecursionError:
        raise InvalidSchemaError("it is nested too deep, or refers to itself without end") from None
    except TooMuchWorkError:
        raise InvalidSchemaError("it refers to itself without end") from None
    return CompiledSchema(validator)


def _draft(schema: Mapping[str, Any], default: str = _DEFAULT_DRAFT) -> str:
    uri = schema.get("$schema", default)
    if not isinstance(uri, str) or uri.rstrip("#") not in _DRAFTS:
        raise InvalidSchemaError(f"$schema must be one of {', '.join(_DRAFTS)}; got {uri!r}")
    return uri.rstrip("#")


def _first_error(validator: Any, value: object) -> Any:  # noqa: ANN401
    token = _steps.set(0)
    try:
        return next(validator.iter_errors(value), None)
    finally:
        _steps.reset(token)


def _prepare(schema: Any, draft: str, base: Any, specification: Specification[Schema]) -> None:  # noqa: ANN401
    """Check a schema with all its subschemas and what they refer to, and rewrite their patterns, in place."""
    _check(schema, base)
    root = specification.create_resource(schema)
    resolver = Registry[Schema]().resolver_with_root(root)
    todo = [(schema, resolver)]
    same_value: dict[int, list[int]] = {}  # part -> those that it applies to its own value
    while todo:
        part, resolver = todo.pop()
        if isinstance(part, bool) or id(part) in same_value:
            continue
        # The library would take its own class for a part that names its draft, without the keywords of `_strict`.
        if _draft(part, draft) != draft:
            raise InvalidSchemaError("a part of it names another draft than the whole")
        part.pop("$schema", None)
        _check_format(part)
        _rewrite_patterns(part)
        _rewrite_dependencies(part)
        same_value[id(part)] = [id(inner) for inner in _applied_to_the_same(part)]
        for keyword in ("$ref", "$dynamicRef", "$recursiveRef"):
            if keyword not in part:
                continue
            try:
                resolved = resolver.lookup(part[keyword])
            except (Unresolvable, ValueError, LookupError, AttributeError):
                raise InvalidSchemaError(f"{keyword} {part[keyword]!r} leads nowhere within it") from None
            same_value[id(part)].append(id(resolved.contents))
            if id(resolved.contents) not in same_value:
                _check(resolved.contents, base)
                todo.append((resolved.contents, resolved.resolver))
        for child in specification.create_resource(part).subresources():
            todo.append((child.contents, resolver.in_subresource(child)))
    try:
        TopologicalSorter(same_value).prepare()
    except CycleError:
        raise InvalidSchemaError("it refers to itself without end") from None


def _applied_to_the_same(part: Mapping[str, Any]) -> Iterator[object]:
    for keyword in ("allOf", "anyOf", "oneOf"):
        yield from part.get(keyword, ())
    for keyword in ("dependentSchemas", "dependencies"):
        yield from part.get(keyword, {}).values()
    for keyword in ("not", "if", "then", "else"):
        if keyword in part:
            yield part[keyword]


def _check(schema: object, base: Any) -> None:  # noqa: ANN401
    """Have the draft's own schema judge a schema."""
    try:
        base.check_schema(schema)
    except SchemaError as error:
        message = " ".join(error.message.split())
        raise InvalidSchemaError(f"it is no valid schema: at {error.json_path}: {message[:200]}") from None


def _check_format(part: Mapping[str, Any]) -> None:
    name = part.get("format")
    if name is not None and name not in FORMATS:
        raise InvalidSchemaError(f"the format {name!r} cannot be checked; known are {', '.join(FORMATS)}")


def _rewrite_patterns(part: dict[str, Any]) -> None:
    if "pattern" in part:
        part["pattern"] = _python_pattern(part["pattern"])
    if "patternProperties" in part:
        properties = part["patternProperties"]
        part["patternProperties"] = {_python_pattern(pattern): inner for pattern, inner in properties.items()}


def _rewrite_dependencies(part: dict[str, Any]) -> None:
    """Up to draft 7 a dependency may be an array of keys; the library cannot walk a schema that has both kinds."""
    if isinstance(part.get("dependencies"), dict):
        part["dependencies"] = {
            key: {"required": needed} if isinstance(needed, list) else needed
            for key, needed in part["dependencies"].items()
        }


def _python_pattern(pattern: str) -> str:
    ends = _CHARACTER_CLASS_OR_END.sub(lambda match: r"\Z" if match[0] == "$" else match[0], pattern)
    # A group with a flag of its own, since the library joins patterns by "|".
    rewritten = f"(?a:{ends})"
    try:
        re.compile(rewritten)
    except (re.error, RecursionError, OverflowError) as error:
        raise InvalidSchemaError(f"the pattern {pattern!r} cannot be read: {error}") from None
    return rewritten


def _const(validator: Any, const: object, instance: object, schema: object) -> Iterator[Any]:  # noqa: ANN401
    if not same(instance, const):
        yield ValidationError(f"{instance!r} is not {const!r}")


def _enum(validator: Any, choices: list[object], instance: object, schema: object) -> Iterator[Any]:  # noqa: ANN401
    if not any(same(instance, choice) for choice in choices):
        yield ValidationError(f"{instance!r} is not one of {choices!r}")


def _multiple_of(validator: Any, divisor: float, instance: Any, schema: object) -> Iterator[Any]:  # noqa: ANN401
    # The shortest decimal of a float (its repr) is what was written, but for digits that a double cannot hold.
    if validator.is_type(instance, "number") and Fraction(repr(instance)) % Fraction(repr(divisor)) != 0:
        yield ValidationError(f"{instance!r} is not a multiple of {divisor!r}")


def _unique_items(validator: Any, unique: bool, instance: Any, schema: object) -> Iterator[Any]:  # noqa: ANN401
    if unique and isinstance(instance, list) and len(set(map(_hashable, instance))) != len(instance):
        yield ValidationError("an item occurs twice in an array of unique items")


def _hashable(value: object) -> object:
    """What is equal for equal values as JSON Schema has it: 1 and 1.0 are, 1 and true are not."""
    if isinstance(value, dict):
        return frozenset((key, _hashable(inner)) for key, inner in value.items())
    if isinstance(value, list):
        return tuple(map(_hashable, value))
    return (type(value), value) if isinstance(value, bool) else value


_KEYWORDS: Mapping[str, Callable[..., Iterator[Any]]] = {
    "const": _const,
    "enum": _enum,
    "multipleOf": _multiple_of,
    "uniqueItems": _unique_items,
}


def _counted(keyword: Callable[..., Any]) -> Callable[..., Any]:
    def apply(validator: object, argument: object, instance: object, schema: object) -> Any:  # noqa: ANN401
        count = _steps.get() + 1
        if count > MOST_STEPS:
            raise TooMuchWorkError
        _steps.set(count)
        return keyword(validator, argument, instance, schema)

    return apply


def _is_integer(checker: object, instance: object) -> bool:
    return type(instance) is int


@cache
def _strict(base: Any) -> Any:  # noqa: ANN401
    """The library's class for a draft with the keywords of this module."""
    keywords = {**base.VALIDATORS, **{name: own for name, own in _KEYWORDS.items() if name in base.VALIDATORS}}
    types: TypeChecker = base.TYPE_CHECKER.redefine("integer", _is_integer)
    counted = {name: _counted(keyword) for name, keyword in keywords.items()}
    return library.extend(base, validators=counted, type_checker=types)


def _format_checker() -> FormatChecker:
    checker = FormatChecker(formats=())
    for name, test in FORMATS.items():
        checker.checks(name)(lambda instance, test=test: not isinstance(instance, str) or test(instance))
    return checker


_FORMAT_CHECKER = _format_checker()
_DRAFTS: Mapping[str, tuple[Any, Specification[Schema]]] = {
    _DEFAULT_DRAFT: (library.Draft202012Validator, DRAFT202012),
    "https://json-schema.org/draft/2019-09/schema": (library.Draft201909Validator, DRAFT201909),
    "http://json-schema.org/draft-07/schema": (library.Draft7Validator, DRAFT7),
    "http://json-schema.org/draft-06/schema": (library.Draft6Validator, DRAFT6),
    "http://json-schema.org/draft-04/schema": (library.Draft4Validator, DRAFT4),
}
