"""The process that judges completions: `python -m rlpt.verifiers.worker FD`. The pool starts, feeds and kills it.

Both directions are JSON lines of plain values, so that nothing is ever unpickled. The first line holds the import path
and the verifiers' configuration; the answer to it says whether all could be built. Then each line is one completion and
is answered by one verdict, in order. End of input ends the process. Imports nothing heavy.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import json
import math
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any, get_args

from rlpt.counting import counted
from rlpt.records import Credit, Message, Status, Task, Verdict
from rlpt.verifiers.protocol import Closable, TurnVerifier, Verifier

OUT_OF_MEMORY = 70
"""Exit status of a worker that met its memory limit itself."""
MAX_DETAIL = 500
MAX_ANSWER = 200
PARENT_CHECK_S = 0.5


def main() -> None:
    """Serve the socket whose descriptor is the only argument."""
    parent = os.getppid()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    _die_with(parent)
    with socket.socket(fileno=int(sys.argv[1])) as connection, connection.makefile("rwb") as channel:
        setup = json.loads(channel.readline())
        sys.path[:] = setup["path"]
        _limit_memory(setup["memory_mb"])
        try:
            verifiers = build(setup["verifiers"])
        except Exception as error:  # reported to the parent, which raises it
            _send(channel, {"failed": str(error)})
            return
        try:
            _send(channel, {"ready": True})
            _serve(verifiers, channel)
        finally:
            close(verifiers)


def build(configs: Mapping[str, Mapping[str, Any]]) -> dict[str, Verifier]:
    """Build each domain's verifier from its configuration."""
    from hydra.utils import instantiate

    verifiers: dict[str, Verifier] = {}
    for domain, config in configs.items():
        try:
            # arguments arrive as plain values; what they hold with a _target_ of its own, the verifier builds itself
            verifiers[domain] = instantiate({"_recursive_": False, "_convert_": "all", **config})
        except Exception as error:
            cause = error.__cause__ or error
            raise ValueError(f"{domain}: {cause}") from error
        if not callable(getattr(verifiers[domain], "verify", None)):
            raise ValueError(f"{domain}: {config.get('_target_')} has no method verify")
    return verifiers


def encode(task: Task, completion: str, messages: Sequence[Message] = ()) -> bytes:
    """Return the request for one verdict. Raises TypeError or ValueError where the task does not hold plain values."""
    record = {
        "domain": task.domain,
        "task_id": task.task_id,
        "messages": [dict(message) for message in task.messages],
        "reference": dict(task.reference),
        "difficulty": task.difficulty,
    }
    said = [dict(message) for message in messages]
    return json.dumps({"task": record, "completion": completion, "said": said}).encode()


def judge(verifiers: Mapping[str, Verifier], line: bytes) -> dict[str, Any]:
    """Return the verdict on one request as plain values, or the error that kept it from being made."""
    try:
        request = json.loads(line)
        task = Task(**request["task"])
        said = request["said"] or [{"role": "assistant", "content": request["completion"]}]
        verifier = verifiers[task.domain]
        if isinstance(verifier, TurnVerifier):
            verdict = verifier.verify_turns(task, request["completion"], said)
        else:
            verdict = verifier.verify(task, request["completion"])
        return {"verdict": plain(verdict, [turn["content"] for turn in said if turn["role"] == "assistant"])}
    except MemoryError:
        os._exit(OUT_OF_MEMORY)  # what else is broken by now is unknown
    except Exception as error:  # a verifier is a user's code: whatever it raises must not end the run
        return {"error": f"{type(error).__name__}: {error}"[:MAX_DETAIL]}


def plain(verdict: object, turns: Sequence[str]) -> dict[str, Any]:
    """Return a verdict on a rollout of `turns` as plain values. Raises TypeError or ValueError for what is none."""
    if not isinstance(verdict, Verdict):
        raise TypeError(f"a verifier must return a Verdict, not {type(verdict).__name__}")
    if verdict.status not in get_args(Status):
        raise ValueError(f"unknown status {verdict.status!r}")
    reward = None if verdict.reward is None else float(verdict.reward)
    parts = {str(name): float(part) for name, part in verdict.parts.items()}
    if not all(math.isfinite(number) for number in (reward or 0.0, *parts.values())):
        raise ValueError(f"a reward or part is not finite: {reward}, {parts}")
    credits = [_credit(credit, turns) for credit in verdict.credits]
    return {
        "reward": reward,
        "status": verdict.status,
        "detail": str(verdict.detail)[:MAX_DETAIL],
        "parts": parts,
        "credits": credits,
        "answer": None if verdict.answer is None else _bounded(str(verdict.answer)),
    }


def _bounded(answer: str) -> str:
    """The answer, or, of one that is long, its beginning and a digest: others stay different from it."""
    if len(answer) <= MAX_ANSWER:
        return answer
    return f"{answer[:MAX_ANSWER]}... {hashlib.sha256(answer.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def _credit(credit: object, turns: Sequence[str]) -> dict[str, Any]:
    if not isinstance(credit, Credit):
        raise TypeError(f"credits must be of rlpt.records.Credit, not {type(credit).__name__}")
    turn, reward, end = int(credit.turn), float(credit.reward), None if credit.end is None else int(credit.end)
    if not 0 <= turn < len(turns):
        raise ValueError(f"a credit for turn {turn} of a rollout with {len(turns)} turns")
    if end is not None and not 0 < end <= len(turns[turn]):
        raise ValueError(f"a credit up to character {end} of a turn with {len(turns[turn])}")
    if not math.isfinite(reward):
        raise ValueError(f"a credit is not finite: {reward}")
    return {"turn": turn, "reward": reward, "end": end}


def close(verifiers: Mapping[str, Verifier]) -> None:
    """Close the verifiers that hold something; one that fails to does not keep the others open."""
    with contextlib.ExitStack() as stack:
        for verifier in verifiers.values():
            if isinstance(verifier, Closable):
                stack.callback(verifier.close)


def _serve(verifiers: Mapping[str, Verifier], channel: Any) -> None:  # noqa: ANN401
    for line in channel:
        _send(channel, {**judge(verifiers, line), "counters": counted(verifiers.values())})


def _send(channel: Any, message: Mapping[str, Any]) -> None:  # noqa: ANN401
    channel.write(json.dumps(message).encode() + b"\n")
    channel.flush()


def _limit_memory(memory_mb: int | None) -> None:
    """A second line behind the parent's watch, for growth too fast for it. Soft, so that a sandbox may set its own."""
    if memory_mb is None or not sys.platform.startswith("linux"):
        return
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (2 * memory_mb * 2**20, hard))


def _die_with(parent: int) -> None:
    """End when the parent has ended, however it did, also while a verifier hangs."""
    if sys.platform.startswith("linux"):
        set_death_signal = 1
        ctypes.CDLL(None).prctl(set_death_signal, signal.SIGKILL)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(PARENT_CHECK_S)
        os.killpg(0, signal.SIGKILL)  # also what a verifier has started

    threading.Thread(target=watch, name="parent", daemon=True).start()


if __name__ == "__main__":
    main()
