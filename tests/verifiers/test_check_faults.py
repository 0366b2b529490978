"""Check code that fails by itself is an error of the reference, never a reward of 0; what it may do is none."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from rlpt.errors import UserError
from rlpt.records import Task
from rlpt.sandbox.process import process_sandbox
from rlpt.sandbox.protocol import Limits
from rlpt.verifiers.pool import VerifierPool
from rlpt.verifiers.unit_tests import UnitTestsVerifier

PROGRAM = "```python\ndef f(x): return x + 1\n```"


@pytest.fixture(scope="module")
def verifier(need: Callable[[str | None], None]) -> Iterator[UnitTestsVerifier]:
    try:
        verifier = UnitTestsVerifier(process_sandbox(Limits(wall_s=8.0), concurrency=1))
    except UserError as error:
        need(str(error))
        raise
    yield verifier
    verifier.close()


def task(body: str, prelude: str = "", before: str = "") -> Task:
    check = f"{before}\ndef check(candidate):\n{body}"
    return Task("code", "1", [], {"entry_point": "f", "check": check, "prelude": prelude})


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("    assert candidate(1) == 2\n    assert candidate(2) == tree(3)", "'tree' is not defined in line 4"),
        ("    assert candidate(1) == nothing", "'nothing' is not defined in line 3"),
        ("    nothing\n    assert candidate(1) == 2", "'nothing' is not defined in line 3"),
        ("    x = candidate(1)\n    import nothing\n    assert x == 2", "No module named 'nothing' in line 4"),
        ("    x = candidate(1)\n    from math import no\n    assert x == 2", "cannot import name 'no'"),
        (
            "    try:\n        assert candidate(1) == tree(2)\n    except Exception:\n        assert False",
            "'tree' is not",
        ),
        ("    assert helped(candidate(1)) == 2", "'missing' is not defined"),
        ("    def inner(x): return x == nothing\n    assert inner(candidate(1))", "'nothing' is not defined in line 3"),
    ],
)
def test_a_check_that_cannot_run_is_an_error(verifier: UnitTestsVerifier, body: str, words: str) -> None:
    with pytest.raises(UserError, match=f'"check" of a reference fails by itself: .*{words}'):
        verifier.verify(task(body, "def helped(x): return missing(x)"), PROGRAM)


@pytest.mark.parametrize(
    ("body", "program"),
    [
        # what the program raises, also where it is one of these
        ("    assert candidate(1) == 2", "def f(x): return nothing"),
        ("    assert candidate(1) == 2", "def f(x): import nothing"),
        ("    assert candidate(1) == 2", "def f(x): raise NameError('x', name='x')"),
        ("    try:\n        candidate(1)\n    except NameError:\n        assert False", "def f(x): return nothing"),
        # what follows from its result
        ("    for one in candidate(1): last = one\n    assert last == 2", "def f(x): return []"),
        ("    global kept\n    for kept in candidate(1): pass\n    assert kept == 2", "def f(x): return []"),
        ("    assert {2: 3}[candidate(1)] == 3", "def f(x): return 5"),
        ("    assert candidate(1).real == 2", "def f(x): return 'a'"),
        # a module that it can do without
        ("    try: import nothing\n    except ImportError: assert candidate(1) == 2", "def f(x): return 1"),
    ],
)  # fmt: skip
def test_a_program_that_fails_is_wrong(verifier: UnitTestsVerifier, body: str, program: str) -> None:
    verdict = verifier.verify(task(body), f"```python\n{program}\n```")
    assert (verdict.reward, verdict.status) == (0.0, "wrong"), verdict


@pytest.mark.parametrize(
    "body",
    [
        "    try:\n        import nothing\n    except ImportError:\n        assert candidate(1) == 2",
        "    try:\n        nothing\n    except NameError:\n        nothing = 1\n    assert candidate(nothing) == 2",
        "    try:\n        candidate('a')\n        assert 0\n    except TypeError:\n        assert candidate(1) == 2",
        "    try:\n        f('a')\n    except TypeError:\n        assert f(f(1)) == 3\n    else:\n        assert 0",
        "    if candidate(1) != 2:\n        nothing\n    assert candidate(2) == 3",
    ],
)
def test_what_a_check_expects_passes(verifier: UnitTestsVerifier, body: str) -> None:
    assert verifier.verify(task(body), PROGRAM).reward == 1.0


def test_such_a_sample_is_not_scored_and_says_why(need: Callable[[str | None], None]) -> None:
    node = {"_target_": "rlpt.sandbox.process.process_sandbox", "concurrency": 1}
    config = {"_target_": "rlpt.verifiers.unit_tests.UnitTestsVerifier", "sandbox": node}
    try:
        process_sandbox(concurrency=1).close()
    except UserError as error:
        need(str(error))
    with VerifierPool({"code": config}, workers=1) as pool:
        (verdict,) = pool.score([(task("    assert candidate(1) == nothing"), PROGRAM)])
    assert (verdict.reward, verdict.status) == (None, "infra_error"), verdict
    assert '"check" of a reference fails by itself' in verdict.detail
