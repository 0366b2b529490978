"""The verifier `json_schema`: is the completion's answer one JSON value that a schema accepts?

`Task.reference = {"schema": {...}}`: JSON Schema, draft 2020-12 unless its "$schema" names another one, from 4 on.
`{"schema": {...}, "value": expected}` asks for that very value: 1, 1.0 and true are three values, the order of an
object's keys does not count, that of an array's items does.

JSON is read strictly (`structured.strict_json`), and the schema too (`structured.schema`): 4.0 is no integer. A pattern
is applied to the answer as the schema has it: one that takes exponential time for some text does so here, too, until
the pool's time limit ends it; `max_characters` bounds what it is applied to.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from rlpt.errors import UserError
from rlpt.records import Task, Verdict
from rlpt.verifiers.answers import response, tagged
from rlpt.verifiers.fences import fences
from rlpt.verifiers.structured.schema import CompiledSchema, InvalidSchemaError, compiled
from rlpt.verifiers.structured.strict_json import JsonError, plain, read, same

MOST_DETAIL = 300


def _last_fence(text: str) -> str | None:
    blocks = [inside for language, inside in fences(text) if language in ("", "json")]
    return blocks[-1].strip() if blocks else None


SOURCES: Mapping[str, Callable[[str], str | None]] = {"fence": _last_fence, "tag": tagged, "text": lambda text: text}
"""Where the JSON stands, by the names that the verifier takes: the last fenced block that is `json` or names no
language, the last `<answer>` tag, or the whole response."""


class JsonSchemaVerifier:
    """Reward 1.0 where the answer is valid (and the expected value, where there is one), else 0.0.

    `source`: where the JSON stands: `fence`, `tag` or `text`; nothing else may stand there. `max_characters`: a longer
    JSON text is wrong unread.

    Parts of a verdict:
        format: 1.0 where there is exactly one well-formed JSON value, whatever it says.
        schema: 1.0 where the schema accepts it.
    """

    def __init__(self, source: str = "fence", max_characters: int = 20_000) -> None:
        if source not in SOURCES:
            raise UserError(f"json_schema: source must be one of {', '.join(SOURCES)}; got {source!r}.")
        if max_characters < 1:
            raise UserError(f"json_schema: max_characters must be at least 1; got {max_characters}.")
        self.source = source
        self.max_characters = max_characters

    def verify(self, task: Task, completion: str) -> Verdict:
        """Judge a completion. Raises UserError for a reference without a usable schema; see `check_reference`."""
        schema = _schema(task.reference)
        text = SOURCES[self.source](response(completion))
        if not text:
            return _wrong("no JSON found", 0.0, 0.0)
        if len(text) > self.max_characters:
            return _wrong(f"the JSON is longer than {self.max_characters} characters", 0.0, 0.0)
        try:
            value = read(text)
        except JsonError as error:
            return _wrong(str(error), 0.0, 0.0)
        problem = schema.problem(value)
        if problem is not None:
            return _wrong(problem, 1.0, 0.0)
        if "value" in task.reference and not same(value, _value(task.reference)):
            return _wrong("valid, but another value than the expected one", 1.0, 1.0)
        return Verdict(1.0, "correct", "", {"format": 1.0, "schema": 1.0})

    def check_reference(self, reference: Mapping[str, Any]) -> None:
        """Raise UserError for a missing or unusable schema, and for an expected value that it does not accept."""
        schema = _schema(reference)
        if "value" in reference and (problem := schema.problem(_value(reference))) is not None:
            raise UserError(f"json_schema: the reference's 'value' breaks its 'schema': {problem[:MOST_DETAIL]}.")


def _wrong(detail: str, format_: float, schema: float) -> Verdict:
    return Verdict(0.0, "wrong", detail[:MOST_DETAIL], {"format": format_, "schema": schema})


def _schema(reference: Mapping[str, Any]) -> CompiledSchema:
    schema = reference.get("schema")
    if not isinstance(schema, Mapping):
        raise UserError(f"json_schema: a reference needs a field 'schema' that is a JSON Schema; got {schema!r}.")
    try:
        return compiled(json.dumps(plain(schema)))
    except (JsonError, InvalidSchemaError) as error:
        raise UserError(f"json_schema: the reference's 'schema' cannot be used: {error}.") from None


def _value(reference: Mapping[str, Any]) -> Any:  # noqa: ANN401
    try:
        return plain(reference["value"])
    except JsonError as error:
        raise UserError(f"json_schema: the reference's 'value' cannot be used: {error}.") from None
