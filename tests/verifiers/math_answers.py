"""Shared by the tests of the verifier `math`: how an answer is judged."""

from __future__ import annotations

from rlpt.records import Task
from rlpt.verifiers.math import MathVerifier

VERIFIER = MathVerifier()


def judge(completion, gold, verifier=VERIFIER):
    return verifier.verify(Task("math", "t", [], {"answer": gold}), completion)


def accepts(completion, gold):
    return judge(completion, gold).reward == 1.0


def box(answer):
    return f"\\boxed{{{answer}}}"
