"""Shared by the tests of the verifier `tool_call`: how calls are written, and how an answer is judged."""

import json

from rlpt.records import Task
from rlpt.verifiers.tool_call import ToolCallVerifier

WEATHER = [{"name": "get_weather", "arguments": {"city": ["Paris", "Paris, France"], "unit": ["celsius", ""]}}]
TOOL = {
    "name": "get_weather",
    "description": "The weather.",
    "parameters": {
        "type": "object",
        "properties": {"city": {"type": "string"}, "unit": {"type": "string"}, "days": {"type": "integer"}},
        "required": ["city"],
    },
}


def hermes(*calls):
    return "\n".join(f"<tool_call>\n{json.dumps({'name': n, 'arguments': a})}\n</tool_call>" for n, a in calls)


def as_json(*calls):
    return json.dumps([{"name": name, "arguments": arguments} for name, arguments in calls])


def python(*calls):
    written = (f"{name}({', '.join(f'{key}={value!r}' for key, value in args.items())})" for name, args in calls)
    return f"[{', '.join(written)}]"


def judge(completion, calls=WEATHER, options=None, **reference):
    task = Task("tools", "t", [], {"calls": calls, **reference})
    return ToolCallVerifier(**(options or {})).verify(task, completion)


def right(*arguments, **options):
    verdict = judge(*arguments, **options)
    assert (verdict.reward, verdict.status) in {(1.0, "correct"), (0.0, "wrong")}
    assert "\n" not in verdict.detail
    return verdict.reward == 1.0
