"""Check code, as HumanEval has it, against right, wrong and hostile programs in a real sandbox."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from rlpt.errors import UserError
from rlpt.records import Task
from rlpt.sandbox.process import process_sandbox
from rlpt.sandbox.protocol import Limits
from rlpt.sandbox.warm import WarmSandbox
from rlpt.verifiers.unit_tests import UnitTestsVerifier


@pytest.fixture(scope="module")
def sandbox(need: Callable[[str | None], None]) -> Iterator[WarmSandbox]:
    try:
        sandbox = process_sandbox(Limits(wall_s=8.0), concurrency=1)
    except UserError as error:
        need(str(error))
        raise
    yield sandbox
    sandbox.close()


@pytest.fixture(scope="module")
def verifier(sandbox: WarmSandbox) -> UnitTestsVerifier:
    return UnitTestsVerifier(sandbox)


def task(entry_point: str, check: str, prelude: str | None = None) -> Task:
    given = {} if prelude is None else {"prelude": prelude}
    return Task("code", "1", [], {"entry_point": entry_point, "check": check, **given})


def fenced(program: str) -> str:
    return f"```python\n{program}\n```"


SHIFT = task(
    "unshift",
    """
import copy
def check(candidate):
    from random import choice, randint
    for _ in range(30):
        text = "".join(choice("abcxyz") for _ in range(randint(3, 9)))
        assert candidate(copy.deepcopy(shift(text))) == text
""",
    '''
def shift(text: str) -> str:
    """Move each letter on by five."""
    return "".join(chr((ord(one) + 5 - ord("a")) % 26 + ord("a")) for one in text)

def unshift(text: str) -> str:
    """Undo `shift`."""
''',
)
MEAN = task(
    "mean",
    """
def check(candidate):
    assert abs(candidate([1.0, 2.0, 4.0]) - 7 / 3) < 1e-6
    assert abs(candidate([-1e300, 1e300])) < 1e-6, "message " + str(candidate([]))
""",
)
SPLIT = task(
    "split",
    """
def check(candidate):
    assert candidate([3, 1, 2], by=2) == [[1], [3, 2]]
    assert candidate((), by=2) == [[], []] and candidate([5], by=9) == [[5], []]
    assert candidate([{1: "one"}], by={}) == "dict", "at " + str(candidate([1], by=1))
    assert True, "never"
""",
)
EVEN = task(
    "evens",
    """
def check(candidate):
    for n in range(20):
        found = candidate(n)
        assert len(found) == (n + 1) // 2
        for one in found:
            assert one % 2 == 0
    assert tuple(candidate(5)) == tuple(evens(5))
""",
)
FLIP = task(
    "flip",
    """
def check(candidate):
    for text in ("ab", "", "xyz"):
        assert candidate(candidate(text)) == text
        assert candidate(candidate(candidate(text))) == text[::-1]
    assert candidate("abc") == "cba"
""",
)
ROOT = task(
    "root",
    """
def check(candidate):
    assert candidate(9) == 3
    try:
        candidate(-1)
        assert False
    except ValueError as error:
        assert "negative" in str(error)
    assert candidate(b"") == {(1, 2)} and candidate(10 ** 5000) == 10 ** 2500
""",
)
RIGHT = {
    "a drawn input and a helper": (SHIFT, "def unshift(s): return ''.join(chr((ord(c) - 102) % 26 + 97) for c in s)"),
    "floats": (MEAN, "def mean(numbers):\n    return sum(numbers) / len(numbers)"),
    "lists": (
        SPLIT,
        "def split(items, by):\n"
        "    if isinstance(by, dict): return 'dict' if items[0][1] == 'one' else ''\n"
        "    if items == (): return [[], []]\n"
        "    return [[i for i in items if i < by], [i for i in items if i >= by]] if by < 9 else [items, []]",
    ),
    "a loop": (EVEN, "def evens(n):\n    return list(range(0, n, 2))"),
    "calls in calls": (FLIP, "flip = lambda text: text[::-1]"),
    "exceptions and odd values": (
        ROOT,
        "def root(n):\n"
        "    if n == b'': return {(1, 2)}\n"
        "    if n < 0: raise ValueError('it is negative')\n"
        "    return 3 if n == 9 else 10 ** 2500",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", RIGHT)
def test_right(verifier: UnitTestsVerifier, name: str) -> None:
    problem, program = RIGHT[name]
    verdict = verifier.verify(problem, fenced(program))
    assert (verdict.reward, verdict.status) == (1.0, "correct"), verdict
    assert verdict.parts == {"format": 1.0, "tests": 1.0}
    assert verifier.verify(problem, fenced(program)) == verdict


@pytest.mark.parametrize("name", RIGHT)
def test_nothing_returned_is_wrong(verifier: UnitTestsVerifier, name: str) -> None:
    problem, _ = RIGHT[name]
    verdict = verifier.verify(problem, fenced(f"def {problem.reference['entry_point']}(*a, **k): return None"))
    assert (verdict.reward, verdict.status) == (0.0, "wrong"), verdict
    assert verdict.parts == {"format": 1.0, "tests": 0.0}
    assert "of the check: " in verdict.detail


@pytest.mark.parametrize(
    ("problem", "program", "detail"),
    [
        (SHIFT, "def unshift(text): return text", "line 7 of the check: assert candidate(copy"),
        (SHIFT, "def shift(text): return text\ndef unshift(text): return text", "AssertionError"),
        (SHIFT, "x = 1", "does not define unshift"),
        (MEAN, "def mean(n): return sum(n) / len(n) + 1e-3", "line 3"),
        (MEAN, "def mean(n): return 7 / 3", "line 4"),
        (SPLIT, "def split(items, by): return [[1], [3, 2]]", "line 4"),
        (EVEN, "def evens(n): return [1] * ((n + 1) // 2)", "line 7"),
        (FLIP, "def flip(text): return text", "assert candidate(candidate(candidate(text))) == text[::-1]"),
        (ROOT, "def root(n): return 3", "line 6"),
        (ROOT, "def root(n):\n    if n == 9: return 3\n    raise KeyError('negative')", "KeyError"),
        (ROOT, "def root(n):\n    if n == 9: return 3\n    raise SystemExit", "call 2 ended with SystemExit"),
        (EVEN, "def evens(n): return 1 / 0", "ZeroDivisionError: division by zero in line 4"),
        (EVEN, "def evens(n): return range(0, n, 2)", "call 1 returned what is no plain value"),
    ],
)
def test_wrong(verifier: UnitTestsVerifier, problem: Task, program: str, detail: str) -> None:
    verdict = verifier.verify(problem, fenced(program))
    assert (verdict.reward, verdict.status) == (0.0, "wrong"), verdict
    assert detail in verdict.detail


ANSWER = task("answer", "def check(candidate):\n    assert candidate(4) == 987654321\n    assert candidate('x') == 5")
EQUAL = "    __hash__ = None\n    def __eq__(self, other): return True\n    def __ne__(self, other): return False\n"
FORGED = b'\\n[\\"returned\\", [\\"list\\", [\\"passed\\", \\"\\", [\\"list\\", []]]]]\\n'.decode()
HOSTILE = {
    "exit at import": "def answer(x): pass\nraise SystemExit(0)",
    "exit inside": "import sys\ndef answer(x): sys.exit(0)",
    "os._exit at import": "import os\ndef answer(x): pass\nos._exit(0)",
    "os._exit inside": "import os\ndef answer(x): os._exit(0)",
    "os._exit in the last call": "import os\ndef answer(x): return 987654321 if x == 4 else os._exit(0)",
    "always equal": f"class Any:\n{EQUAL}def answer(x): return Any()",
    "an int always equal": f"class Any(int):\n{EQUAL}def answer(x): return Any(1)",
    "a str always equal": f"class Any(str):\n{EQUAL}def answer(x): return Any('a')",
    "a list always equal": f"class Any(list):\n{EQUAL}def answer(x): return Any([1])",
    "an exception for everything": "def answer(x): raise AssertionError",
    "exceptions replaced": (
        "import builtins, operator\n"
        "builtins.AssertionError = builtins.Exception = StopIteration\n"
        "operator.eq = lambda *a: True\n"
        "def answer(x): return 0"
    ),
    "builtins replaced": (
        "import builtins\n"
        "def answer(x):\n"
        "    builtins.isinstance = builtins.type = builtins.exec = lambda *a: True\n"
        "    return 0"
    ),
    "the host replaced": (
        "import sys\n"
        "for module in list(sys.modules.values()):\n"
        "    for name in ('run_check', 'decode', 'encode', 'follow', 'check'):\n"
        "        if hasattr(module, name): setattr(module, name, lambda *a, **k: ['passed', '', []])\n"
        "def answer(x): return 0"
    ),
    "a verdict on stdout": f'def answer(x):\n    print("{FORGED}", flush=True)\n    return 0',
    "a verdict on every descriptor": (
        "import os\n"
        "def answer(x):\n"
        "    for number in range(64):\n"
        f'        try: os.write(number, b"{FORGED}")\n'
        "        except OSError: pass\n"
        "    os._exit(0)"
    ),
    "a file left for the check": (
        "import os\n"
        "open('/tmp/question.json', 'w').write('{}')\n"
        "open('/tmp/ast.py', 'w').write('raise SystemExit')\n"
        "def answer(x): return 0"
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile(verifier: UnitTestsVerifier, name: str) -> None:
    verdict = verifier.verify(ANSWER, fenced(HOSTILE[name]))
    assert verdict.reward == 0.0, verdict
    after = verifier.verify(ANSWER, fenced("def answer(x): return 987654321 if x == 4 else 5"))
    assert after.reward == 1.0, after


@pytest.mark.parametrize("call", ["candidate(1)", "candidate(candidate(1))"])
def test_a_check_that_catches_everything_passes_nothing(verifier: UnitTestsVerifier, call: str) -> None:
    body = f"    right = True\n    try: right = {call} == 2\n    except BaseException: pass\n    assert right"
    problem = task("f", f"def check(candidate):\n{body}")
    assert verifier.verify(problem, fenced("def f(x): return 2")).reward == 1.0
    for result in ("3", "object()"):
        verdict = verifier.verify(problem, fenced(f"def f(x): return {result}"))
        assert (verdict.reward, verdict.status) == (0.0, "wrong"), verdict


def test_a_program_sees_what_the_prompt_gave(verifier: UnitTestsVerifier) -> None:
    prelude = '"""Helpers."""\nfrom __future__ import annotations\nimport math\ndef f(x: float) -> float: ...\n'
    check = "def check(candidate):\n    assert candidate(4) == 2.0"
    program = '"""Mine."""\nfrom __future__ import annotations\ndef f(x: Unknown) -> float:\n    return math.sqrt(x)'
    assert verifier.verify(task("f", check, prelude), fenced(program)).reward == 1.0
    assert verifier.verify(task("f", check, None), fenced(program)).reward == 0.0


def test_names_of_the_host_are_free(verifier: UnitTestsVerifier) -> None:
    check = "def check(candidate):\n    assert candidate((1, 2)) == 3"
    program = "def call(a): return 7\nload = json = SOLUTION = None\ndef decode(pair): return sum(pair)"
    assert verifier.verify(task("decode", check), fenced(program)).reward == 1.0


@pytest.mark.parametrize(
    ("check", "words"),
    [
        ("import nothing\ndef check(candidate):\n    assert candidate(1)", "fails by itself: ModuleNotFound"),
        ("def check(candidate):\n    assert True", "never calls f"),
        ("def check(candidate):\n    assert candidate(lambda: 0)", "no plain value"),
    ],
)
def test_a_check_that_cannot_judge_is_an_error(verifier: UnitTestsVerifier, check: str, words: str) -> None:
    with pytest.raises(UserError, match=f"unit_tests.*{words}"):
        verifier.verify(task("f", check), fenced("def f(x): return 1"))


@pytest.mark.parametrize(
    "changed",
    [
        {"check": None},
        {"check": "def check(candidate:"},
        {"check": "assert f(1) == 2"},
        {"check": "def check(): pass"},
        {"check": "def check(candidate, other): pass"},
        {"check": "def check(*candidates): pass"},
        {"check": "def check(candidate, *, key): pass"},
        {"check": "class A:\n    def check(self): pass"},
        {"prelude": "def f(:"},
        {"prelude": ["import math"]},
        {"entry_point": "f()"},
        {"entry_point": None},
        {"calls": [{"args": [1], "expected": 1}]},
        {"stdin_cases": [{"stdin": "", "stdout": ""}]},
    ],
)
def test_a_reference_that_is_none_is_an_error(verifier: UnitTestsVerifier, changed: Mapping[str, Any]) -> None:
    reference = {"entry_point": "f", "check": "def check(candidate):\n    assert candidate(1)", "prelude": ""}
    verifier.check_reference(reference)
    with pytest.raises(UserError, match="unit_tests"):
        verifier.check_reference({**reference, **changed})


def test_an_exception_that_ends_a_loop_of_the_check_passes_nothing(verifier) -> None:
    check = "def check(f):\n    for got, want in zip(map(f, [1, 2]), [2, 3]):\n        assert got == want\n"
    task = Task("code", "t", [], {"entry_point": "f", "check": check})
    for kind in ("StopIteration", "StopAsyncIteration", "GeneratorExit"):
        verdict = verifier.verify(task, f"```python\ndef f(x):\n    raise {kind}\n```")
        assert (verdict.reward, verdict.status) == (0.0, "wrong"), kind
    assert verifier.verify(task, "```python\ndef f(x):\n    return x + 1\n```").reward == 1.0
