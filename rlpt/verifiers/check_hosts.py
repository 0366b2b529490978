"""Sessions in which check code runs, one question after the other; each is answered in a copy of the process."""

from __future__ import annotations

from pathlib import Path

from rlpt.sandbox.protocol import Execution
from rlpt.sandbox.session import WarmSession
from rlpt.sandbox.warm import WarmSandbox

HOST = (Path(__file__).parent / "inside" / "check_replay.py").read_text("utf-8")
QUESTION = "question.json"


class CheckHosts:
    """Loads the host of check code once and not for each check. Works from several threads, each with a session."""

    def __init__(self, sandbox: WarmSandbox) -> None:
        self._sandbox = sandbox
        self._idle: list[WarmSession] = []  # popped from and appended to by any thread

    def ask(self, question: bytes) -> Execution:
        """Run the check code of a question, as `rlpt.verifiers.inside.check_replay.answer` takes it, which prints."""
        session = self._take()
        kept = False
        try:
            if not session.begun:
                loaded = session.run_sync(HOST)
                if loaded.status != "ok":
                    return loaded
            execution = session.run_sync(f"answer({QUESTION!r})", files={QUESTION: question}, stateless=True)
            kept = execution.status == "ok" and not session.worn
            return execution
        finally:
            if kept:
                self._idle.append(session)
            else:
                session.close(discard=True)  # where checks were, no program shall come

    def _take(self) -> WarmSession:
        try:
            return self._idle.pop()
        except IndexError:
            return self._sandbox.session()
