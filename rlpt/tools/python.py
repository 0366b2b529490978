"""The tool `python`: an interpreter in the sandbox that keeps its state as long as the rollout lasts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import Any

from rlpt.config.build import build
from rlpt.errors import UserError
from rlpt.sandbox.protocol import Execution, Sandbox, Session
from rlpt.tools.protocol import ToolResult

TRACEBACK_LINES = 4
"""Of a traceback, the lines from its end that are shown: the place and the error."""

ENDED = {
    "timeout": "timeout after {seconds} s",
    "out_of_memory": "out of memory",
    "output_limit": "too much output",
}
AFRESH = "the interpreter was started afresh"


class PythonTool:
    """Runs code that the policy wrote; where it ends with an expression, the value is shown as at Python's prompt.

    Args:
        name: the tool's name for the model.
        description: what the model is told of it.
        sandbox: node of the group `sandbox`: where the code runs, as many pieces at once as it has places. It is built
            for the first rollout that uses the tool.
        sessions: rollouts of one rank that may have an interpreter at once.
        max_output_characters: what is shown of an output; of a longer one the middle is left out.
        files: name in the interpreter's folder -> path of the file here that lies there whenever the interpreter
            starts.

    Raises:
        UserError: for a file that cannot be read, or a number that is too small.
    """

    def __init__(
        self,
        name: str,
        description: str,
        sandbox: Mapping[str, Any],
        sessions: int,
        max_output_characters: int,
        files: Mapping[str, str],
    ) -> None:
        if max_output_characters < 1:
            raise UserError(
                f"tool.{name}.max_output_characters={max_output_characters} is too small; set it to 1 or more."
            )
        self.sessions = sessions
        self._name = name
        self._description = description
        self._node = sandbox
        self._sandbox: Sandbox | None = None
        self._building = Lock()
        self._limit = max_output_characters
        self._files = {target: _content(name, target, path) for target, path in files.items()}

    def schema(self) -> Mapping[str, Any]:
        """See Tool."""
        code = {"type": "string", "description": "Python code"}
        return {
            "type": "function",
            "function": {
                "name": self._name,
                "description": self._description,
                "parameters": {"type": "object", "properties": {"code": code}, "required": ["code"]},
            },
        }

    def open(self) -> PythonSession:
        """See Tool."""
        with self._building:
            if self._sandbox is None:
                self._sandbox = build(self._node)
        return PythonSession(self._sandbox.session(), self._files, self._limit)

    def counters(self) -> Mapping[str, float]:
        """What its sandbox has counted, once there is one."""
        return {} if self._sandbox is None else self._sandbox.counters()

    def close(self) -> None:
        """See Tool."""
        if self._sandbox is not None:
            self._sandbox.close()


class PythonSession:
    """One rollout's interpreter."""

    def __init__(self, session: Session, files: Mapping[str, bytes], limit: int) -> None:
        self._session = session
        self._files = files
        self._fresh = True
        self._limit = limit

    def call(self, arguments: Mapping[str, Any]) -> ToolResult:
        """Run `arguments["code"]` and show what it printed."""
        code = arguments.get("code")
        if not isinstance(code, str) or not code.strip():
            return ToolResult('error: the argument "code" must be a text with Python code', "error")
        execution = self._session.run_sync(code, files=self._files if self._fresh else None)
        if execution.status == "infra_error":
            return ToolResult(execution.detail or "the sandbox failed", "infra_error")
        self._fresh = execution.state_lost
        return ToolResult(shown(execution, self._limit), "ok" if execution.status == "ok" else "error")

    def close(self) -> None:
        """See ToolSession."""
        self._session.close()


def shown(execution: Execution, limit: int) -> str:
    """An execution as the model reads it: its output, the end of its traceback, and which limit it met.

    Of the output, `limit` characters are shown at most.
    """
    parts = [cut(_text(execution.stdout), limit)]
    if execution.status == "crash":
        lines = _text(execution.stderr).splitlines()[-TRACEBACK_LINES:]
        parts.append(cut("\n".join(lines), limit))
    elif execution.status == "ok":
        # Warnings and prints to standard error are shown too, but never in the place of the output.
        parts.append(cut(_text(execution.stderr), limit))
    if execution.truncated and execution.status != "output_limit":
        parts.append("(output beyond the limit was lost)")
    ended = ENDED.get(execution.status, "").format(seconds=f"{execution.seconds:.0f}")
    # Code may also end its interpreter itself, as with `exit()`.
    afresh = AFRESH if execution.state_lost else ""
    if ended or afresh:
        parts.append(f"({'; '.join(filter(None, (ended, afresh)))})")
    return "\n".join(part for part in parts if part) or "(no output)"


def cut(text: str, limit: int) -> str:
    """`text` with its middle left out where it is longer than `limit` characters."""
    if len(text) <= limit:
        return text
    head, tail = (limit + 1) // 2, limit // 2
    return f"{text[:head]}\n(... {len(text) - limit} characters left out ...)\n{text[len(text) - tail :]}"


def _text(output: bytes) -> str:
    return output.decode("utf-8", "replace").rstrip()


def _content(tool: str, target: str, path: str) -> bytes:
    try:
        return Path(path).expanduser().read_bytes()
    except OSError as error:
        raise UserError(
            f"tool.{tool}.files.{target}={path} cannot be read ({error.strerror}); name an existing file."
        ) from error
