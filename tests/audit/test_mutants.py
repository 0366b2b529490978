"""Programs with one change each: which changes there are, where there are none, and how a few are drawn."""

from __future__ import annotations

import ast
import difflib
import os
import subprocess
import sys
import warnings
from collections import Counter
from pathlib import Path
from textwrap import dedent

import pytest

from rlpt.audit.mutants import Mutant, mutants
from rlpt.domains.functions.catalogue import catalogue
from rlpt.errors import UserError

ALL = 10_000

LONG = dedent(
    '''
    import sys

    LIMIT = 10

    class Account:
        """What somebody has."""

        total: int = 0

        def __init__(self, name: str = "nobody") -> None:
            """Opens it."""
            self.name = name
            self.items: list[int] = []

        def add(self, item: int) -> None:
            self.items.append(item)
            self.total += item

    def solve(rows, n=2):
        """Solves.

        It is 3 lines long.
        """
        best, count = -1, 0
        for i in range(len(rows)):
            if n < 2 and not rows[i]:
                continue
            elif rows[i] == "x" or i in (3, 4):
                count = count + 1
            else:
                count -= i % 2
                print(f"{count:>3} of {n}")
            if 0 <= count <= 9:
                break
        else:
            count = 7
            n = 1
        while n > 0:
            n -= 1
            best = max(best, min(rows[i : n + 1], key=lambda row: -abs(row)))
        try:
            del rows[0]
        except IndexError:
            return None
        match count:
            case -1 | 1.5 if n: return sorted(rows)[::-1]
            case _: pass
        return "none".upper() if any(x for x in rows if x) else rows

    def step():
        count = 0
        def inner():
            nonlocal count
            count = count + 1
            return count
        yield inner()
        yield from ()

    if __name__ == "__main__":
        print(solve([1, 2, 3]))
    '''
)


def written(program: str) -> str:
    """The program as it is written from its syntax tree."""
    return ast.unparse(ast.parse(dedent(program)))


def changes(program: str) -> dict[str, str]:
    """What is changed, without the line, and the program that comes of it."""
    return {mutant.change.partition(": ")[2]: mutant.program for mutant in mutants(dedent(program), ALL, seed=0)}


@pytest.mark.parametrize(
    ("program", "change", "result"),
    [
        ("y = a + b", "`+` became `-` in `a + b`", "y = a - b"),
        ("y = a // b", "`//` became `/` in `a // b`", "y = a / b"),
        ("y = a % b", "`%` became `//` in `a % b`", "y = a // b"),
        ("y = a ** b", "`**` became `*` in `a ** b`", "y = a * b"),
        ("y = a & b", "`&` became `|` in `a & b`", "y = a | b"),
        ("y = a << b", "`<<` became `>>` in `a << b`", "y = a >> b"),
        ("y += b", "`+=` became `-=` in `y += b`", "y -= b"),
        ("y = -a", "`-a` became `a`", "y = a"),
        ("y = a and b", "`and` became `or` in `a and b`", "y = a or b"),
        ("y = a or b", "`or` became `and` in `a or b`", "y = a and b"),
        ("y = a < b", "`<` became `<=` in `a < b`", "y = a <= b"),
        ("if a < b < c: d()", "`<` became `<=` in `a < b < c`", "if a < b <= c: d()"),
        ("y = a < b", "`<` became `>=` in `a < b`", "y = a >= b"),
        ("y = a < b <= c", "`<=` became `<` in `a < b <= c`", "y = a < b < c"),
        ("y = a == b", "`==` became `!=` in `a == b`", "y = a != b"),
        ("y = a not in b", "`not in` became `in` in `a not in b`", "y = a in b"),
        ("y = not a", "`not a` became `a`", "y = a"),
        ("while a: b(), c()", "`a` became `not a`", "while not a: b(), c()"),
        ("y = 5", "`5` became `6`", "y = 6"),
        ("y = 5", "`5` became `4`", "y = 4"),
        ("y = 5", "`5` became `0`", "y = 0"),
        ("y = -1", "`-1` became `-2`", "y = -2"),
        ("y = -1", "`-1` became `0`", "y = 0"),
        ("y = 0", "`0` became `-1`", "y = -1"),
        ("y = 0.5", "`0.5` became `1.5`", "y = 1.5"),
        ("y = True", "`True` became `False`", "y = False"),
        ("y = 'abc'", "`'abc'` became `''`", "y = ''"),
        ("y = ''", "`''` became `'x'`", "y = 'x'"),
        ("y = f'{a}b'", "`'b'` became `''`", "y = f'{a}'"),
        ("y = range(n)", "`n` became `n + 1`", "y = range(n + 1)"),
        ("y = range(a, n)", "`n` became `n - 1`", "y = range(a, n - 1)"),
        ("y = a[i:]", "`i` became `i + 1`", "y = a[i + 1:]"),
        ("y = a[:-i]", "`-i` became `-i - 1`", "y = a[:-i - 1]"),
        ("if a: b(), c()", "the condition `a` became `True`", "if True: b(), c()"),
        ("if a:\n b()\n c()", "the condition `a` became `False`", "if False:\n b()\n c()"),
        ("y = [x for x in a if x]", "the condition `x` became `True`", "y = [x for x in a if True]"),
        ("y = 1 if a else 2", "the condition `a` became `False`", "y = 1 if False else 2"),
        ("while a:\n b()\n c()", "the condition `a` became `False`", "while False:\n b()\n c()"),
        ("for x in a:\n b()\n c()", "the loop over `a` was dropped", "for x in []:\n b()\n c()"),
        ("if a: b()\nelse:\n c()\n d()", "the `else` with `c()` was dropped", "if a: b()"),
        (
            "if a: b()\nelif c:\n d()\n e()",
            "the condition `c` became `False`",
            "if a: b()\nelif False:\n d()\n e()",
        ),
        ("y = 1\ny = 2", "`y = 2` was dropped", "y = 1\npass"),
        ("y += x", "`y += x` was dropped", "pass"),
        ("y[0] = x", "`y[0] = x` was dropped", "pass"),
        ("y.append(x)", "`y.append(x)` was dropped", "pass"),
        ("if a: raise ValueError('b')", "`raise ValueError('b')` was dropped", "if a: pass"),
        ("def f(a): return a", "`return a` became `return None`", "def f(a): return None"),
        ("def f(a):\n 'text'\n a.b()\n a.c()", "`f` returned at once", "def f(a):\n 'text'\n return\n a.b()\n a.c()"),
        ("for x in a:\n if x: break", "`break` became `continue`", "for x in a:\n if x: continue"),
        ("for x in a:\n if x: continue", "`continue` became `break`", "for x in a:\n if x: break"),
        ("y = min(a)", "`min` became `max` in `min(a)`", "y = max(a)"),
        ("y = all(a)", "`all` became `any` in `all(a)`", "y = any(a)"),
        ("y = a.upper()", "`upper` became `lower` in `a.upper()`", "y = a.lower()"),
        ("y = a.startswith(b)", "`startswith` became `endswith` in `a.startswith(b)`", "y = a.endswith(b)"),
        ("y = sorted(a)", "`sorted(a)` became `sorted(a, reverse=True)`", "y = sorted(a, reverse=True)"),
        ("a.sort(key=b)", "`a.sort(key=b)` became `a.sort(key=b, reverse=True)`", "a.sort(key=b, reverse=True)"),
        ("y = a.find(b)", "`find` became `rfind` in `a.find(b)`", "y = a.rfind(b)"),
        ("y = abs(a)", "`abs(a)` became `a`", "y = a"),
        ("y = a.strip()", "`a.strip()` became `a`", "y = a"),
        ("match a:\n case -1 if b: c()", "`-1` became `0`", "match a:\n case 0 if b: c()"),
    ],
)
def test_each_kind_of_change_is_made_and_named(program: str, change: str, result: str) -> None:
    assert changes(program).get(change) == written(result)


@pytest.mark.parametrize(
    "program",
    [
        "def f():\n    '''Three < 4, not 5.'''",
        "'''A module's.'''",
        "class A:\n    '''Its.'''\n    x: int",
        "def f(x: 'int' = None, *, y: Literal[3] = None) -> Literal['a', 4]: pass",
        "x: Literal[3] = None",
        "class A(Base[3], total=False): pass",
        "@cache(maxsize=5)\ndef f(): pass",
        "if __name__ == '__main__':\n    print(1 + 2)\nelse:\n    print(3)",
        "import a\nfrom b import c",
        "assert 1 < 2, 'message 3'",
        "if a: pass\n",
        "",
    ],
)
def test_what_is_no_answer_stays_as_it_is(program: str) -> None:
    found = {change for change in changes(program) if not change.startswith(("the condition", "`a` became `not a`"))}
    assert found == set()


@pytest.mark.parametrize(
    ("program", "absent"),
    [
        ("def f(a):\n return a\n a = a + 1", "+"),  # never reached
        ("for x in a:\n continue\n b += 1", "+="),
        ("y = a * 1", "*"),  # the same value whatever the operator
        ("y = a + 0", "+"),
        ("y = a + 'text'", "+"),  # could only crash
        ("y = a % 2", "`0`"),  # could only crash
        ("y = 3", "was dropped"),  # no value for later lines
        ("def f():\n y = 1\n return y\ndef g():\n y = 2\n return y", "was dropped"),
        ("class A:\n def __init__(self):\n  self.x = []", "was dropped"),
        ("if x > y:\n y = x", "`>=`"),  # equal ones are as good as each other
        ("y = a if a < b else b", "`<=`"),
        ("raise ValueError('a text')", "`''`"),  # words for a person
        ("if not a == b: c()", "became `a == b`"),  # the same as another operator
        ("if a: b()", "`False`"),  # the same as without its only statement
        ("for x in a: b(x)", "the loop"),
        ("if a: b()\nelse: c()", "the `else`"),
        ("y = range(n - 1)", "- 1 + 1"),  # the same as another constant
        ("y = sorted(a, reverse=True)", "reverse=True, "),
        ("def min(a): return a\ny = min(1)", "max"),  # a function of the program
        ("y = floor(x)", "ceil"),  # perhaps not imported
        ("while True:\n a()\n b()", "not True"),
    ],
)
def test_changes_that_mean_nothing_are_left_out(program: str, absent: str) -> None:
    assert [change for change in changes(program) if absent in change] == []


def test_a_value_is_dropped_where_the_name_had_one_before() -> None:
    program = """
        def f(a, b):
            a = a + 1
            c = b
            if c:
                c = a
            self.x = c
            self.x = a
            return c
        """
    dropped = [change for change in changes(program) if change.endswith("dropped")]
    assert dropped == ["`a = a + 1` was dropped", "`c = a` was dropped", "`self.x = a` was dropped"]


def test_a_change_that_does_not_compile_is_left_out() -> None:
    program = "def f(y):\n y[0] = 1\n def g():\n  nonlocal y\n  y = 2\n return g"
    assert "`y = 2` was dropped" in changes(program)
    for mutant in mutants(LONG, ALL, seed=0):
        compile(mutant.program, "<mutant>", "exec")


@pytest.mark.parametrize("program", [LONG, *(entry.function.source for entry in catalogue()[::40])])
def test_every_mutant_is_one_change_away_and_no_two_are_the_same(program: str) -> None:
    found = mutants(program, ALL, seed=0)
    original = written(program).splitlines()
    dumps = {ast.dump(ast.parse(mutant.program)) for mutant in found}
    assert len(dumps | {ast.dump(ast.parse(program))}) == len(found) + 1 > 1
    for mutant in found:
        compile(mutant.program, "<mutant>", "exec")
        parts = difflib.SequenceMatcher(None, original, mutant.program.splitlines(), autojunk=False).get_opcodes()
        assert sum(tag != "equal" for tag, *_ in parts) == 1, mutant.change
        assert mutant.change.startswith(f"line {mutant.line}: ")
        assert 1 <= mutant.line <= len(program.splitlines())


def test_two_changes_to_the_same_program_are_one_mutant() -> None:
    # `True` became `False`: as a constant, and as the condition of a loop that is dropped.
    made = [mutant.program for mutant in mutants("while True:\n    a()\n    b()\n", ALL, seed=0)]
    assert made.count(written("while False:\n a()\n b()")) == 1


def test_the_line_is_that_of_the_original_with_its_comments() -> None:
    program = "# A comment.\n\n\ndef f(a,\n      b):\n    # Another.\n    return (a\n            < b)\n"
    places = {mutant.change: mutant.line for mutant in mutants(program, ALL, seed=0)}
    assert places["line 7: `<` became `<=` in `a < b`"] == 7


def test_mutants_come_in_the_order_of_the_lines() -> None:
    for program in (LONG, "y = (a + b\n     if c < d\n     else e)\n"):
        for most in (4, ALL):
            lines = [mutant.line for mutant in mutants(program, most, seed=1)]
            assert lines == sorted(lines)


@pytest.mark.parametrize("most", [0, 1, 7, 40])
def test_no_more_than_asked_for_and_all_of_them_real(most: int) -> None:
    found = mutants(LONG, most, seed=0)
    assert len(found) == most
    assert set(found) <= set(mutants(LONG, ALL, seed=3))


def test_a_few_are_of_every_kind() -> None:
    table = "table = [" + ", ".join(map(str, range(10, 60))) + "]\n"
    program = f"{table}def f(a, b):\n    if a < b:\n        b += 1\n        a.sort()\n    return a and b\n"
    for seed in range(5):
        made = " ".join(mutant.change for mutant in mutants(program, 9, seed))
        for kind in ("line 1: ", "`<=`", "`>=`", "condition", "dropped", "-=", "`or`", "return None", "reverse=True"):
            assert kind in made


def test_a_few_are_of_many_lines() -> None:
    program = "".join(f"x{line} = [{', '.join(['7'] * line)}]\n" for line in range(1, 21))
    for seed in range(5):
        assert Counter(mutant.line for mutant in mutants(program, 20, seed)) == Counter(range(1, 21))


def test_the_seed_decides() -> None:
    assert mutants(LONG, 10, seed=1) == mutants(LONG, 10, seed=1)
    assert mutants(LONG, 10, seed=1) != mutants(LONG, 10, seed=2)


def test_other_processes_draw_the_same() -> None:
    code = "import sys; from rlpt.audit.mutants import mutants; print(mutants(sys.stdin.read(), 10, seed=5))"
    printed = [
        subprocess.run(
            [sys.executable, "-c", code],
            input=LONG,
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("1", "2")
    ]
    assert printed == [f"{mutants(LONG, 10, seed=5)}\n"] * 2


def test_nothing_is_run(tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    assert mutants(f"open({str(marker)!r}, 'w').write('run')\nraise SystemExit(3)\n", ALL, seed=0)
    assert not marker.exists()


def test_a_mutant_is_a_value() -> None:
    assert mutants("y = True", ALL, seed=0) == [Mutant("y = False", 1, "line 1: `True` became `False`")]


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("def f(:\n", "invalid syntax, line 1"),
        ("x = 1\nreturn x\n", "'return' outside function, line 2"),
        ("x = '\0'", "null bytes"),
        ("x = '\ud800'", "surrogates"),
        ("x = 0x" + "f" * 5000, "4300 digits"),
        ("x = " + "a + " * 5000 + "a", "nested too deeply"),
        ("(" * 1000 + ")" * 1000, "nested"),
    ],
)
def test_what_is_no_program_is_refused_with_the_reason(program: str, reason: str) -> None:
    with pytest.raises(UserError, match=reason) as refused:
        mutants(program, 5, seed=0)
    assert "solution" in str(refused.value)
    assert "line None" not in str(refused.value)


def test_odd_programs_cause_no_warnings() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert mutants("y = '\\d' is x\nz = 1 is x\n", ALL, seed=0)


def test_long_texts_are_shown_in_part_and_on_one_line() -> None:
    made = [mutant.change for mutant in mutants("y = '''a\n\x1b[31m''' + f'''{x}\n''' * " + "n" * 300, ALL, seed=0)]
    assert made
    for change in made:
        assert change.isprintable()
        assert len(change) < 200
