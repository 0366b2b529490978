"""What signs of cheating do to the verdict on a program."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from rlpt.records import Verdict
from rlpt.sandbox.protocol import Execution
from rlpt.sandbox.values import EQUALS_ALL

SHOWN = 3
"""Signs in a verdict's detail."""

IN_PLACE_OF = ("wrong", "crash")
"""A limit that was met, and a failure of the sandbox, are said as they are."""

ENDED_ITSELF = "it ended itself inside a call"


def suspected(verdict: Verdict, signs: Sequence[str], of_runs: Sequence[str] = ()) -> Verdict:
    """Return the verdict, `suspicious` and without a reward where the program was not right and there is a sign.

    `signs`: what was read from the program. `of_runs`: what its runs showed, as `signs_of` returns it. A right program
    stays right, since results are compared outside and it cannot have seen what is expected; but of a run in which the
    sandbox saw results forged, nothing counts.
    """
    found = list(dict.fromkeys((*of_runs, *signs)))
    if void(of_runs) and verdict.status in ("correct", "wrong"):
        parts = {name: value if name == "format" else 0.0 for name, value in verdict.parts.items()}
        verdict = replace(verdict, status="wrong", detail="its results do not count", parts=parts)
    if not found or verdict.status not in IN_PLACE_OF:
        return verdict
    more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    detail = f"{', '.join(found[:SHOWN])}{more}; {verdict.detail}".removesuffix("; ")
    return Verdict(0.0, "suspicious", detail, verdict.parts)


def void(of_runs: Sequence[str]) -> bool:
    """Whether what runs showed makes their results worthless.

    A result that equals everything does not: it is compared by its value. Nor does an end inside a call: the results
    before it are as good as any. Whatever else the sandbox saw does.
    """
    return any(sign not in (EQUALS_ALL, ENDED_ITSELF) for sign in of_runs)


def signs_of(execution: Execution, calls: int, may_exit: Callable[[], bool]) -> tuple[str, ...]:
    """Return the signs in a run that was to make `calls` calls: those that the sandbox saw, and how it ended.

    Exit code 0 with calls still to come means that one of them ended the process, and not by SystemExit, which is an
    error of that call. Before the first one, while it is loaded, an honest program may end as scripts do: `may_exit`
    says whether it names such an end.
    """
    done = len(execution.results)
    ended = execution.status == "ok" and done < calls and (done > 0 or not may_exit())
    # Where results were forged, the others were not read: it need not have ended.
    return (*execution.signs, ENDED_ITSELF) if ended and not void(execution.signs) else execution.signs
