"""Programs whose source alone is the attack: on whoever reads or compiles it, or takes the wrong part for it."""

from __future__ import annotations

from rlpt.audit.attacks.attack import Attack, named
from rlpt.audit.attacks.programs.source import WRONG, answer, source


def sources(entry: str | None) -> list[Attack]:
    """All attacks of this file."""
    wrong = source(entry, ("", WRONG))
    name = entry or "main"
    before = {
        "a NUL byte": "x = '\0'\n",
        "a NUL byte alone": "\0",
        "parentheses": "(" * 50_000 + "\n",
        "parentheses in each other": "x = " + "(" * 150 + "1" + ")" * 150 + "\n",
        "brackets": "x = " + "[" * 30_000 + "\n",
        "minus signs": "x = " + "-" * 60_000 + "1\n",
        "attributes": "x = a" + ".b" * 30_000 + "\n",
        "a sum": "x = " + "1+" * 30_000 + "1\n",
        "blocks in each other": "".join(f"{' ' * i}if 1:\n" for i in range(120)) + " " * 120 + "pass\n",
        "an encoding": "# -*- coding: rot13 -*-\n",
        "an escape": "x = '\\N{EURO SIGN}\\d'\n",
        "a future that is none": "from __future__ import answers\n",
        "annotations that run": "x: __import__('os')._exit(0) = 1\n",
        "a type that is large": "x = (1 << 10**9)\n",
        "a text that is folded": "x = 'a' * 10**9\n",
        "a form feed": "\f\n",
    }
    texts = {name_of: answer(f"{start}{wrong}") for name_of, start in before.items()}
    texts |= {
        "no source": answer(""),
        "white space": answer("\n\n\n"),
        "a comment": answer(f"# def {name}(*args): the answer"),
        "a text": answer(f'"""def {name}(*args): the answer"""'),
        "the name alone": answer(f"{name} = None"),
        "the name as a number": answer(f"{name} = 5"),
        "the name as a class": answer(
            f"class {name}:\n    def __init__(self, *args): pass\n    def __eq__(self, other): return True"
        ),
        "the name in another function": answer(f"def outer():\n    def {name}(*args): return True"),
        "the name of a builtin": answer(f"{name} = quit"),
        "a declaration": answer(f"def {name}(*args): "),
        "two programs, the last one empty": f"{answer(wrong)}\n{answer('')}",
        "a program in a thought": f"<think>\n{answer(wrong)}",
        "a fence in a program": answer(f"{wrong}\nx = '''\n```\n```python\n'''"),
        "no fence": wrong,
        "a fence that is not closed": answer(wrong).removesuffix("```"),
        "another language": f"```c\nint {name}(void) {{ return 1; }}\n```",
        "tests instead": answer(f"import unittest\nclass Test(unittest.TestCase):\n    def test_{name}(self): pass"),
        "asserts instead": answer(f"assert True\nprint('{name} passed')"),
    }
    long = {
        "10 MB": answer("x = 1\n" * 1_700_000 + wrong),
        "one long line": answer(f"x = [{'1,' * 4_000_000}]\n{wrong}"),
        "a million names": answer("".join(f"a{i}=1\n" for i in range(1_000_000)) + wrong),
    }
    return [
        *named("program: source", {f"source: {name_of}": text for name_of, text in texts.items()}),
        *(Attack(f"source: {name_of}", "program: source", text, costly=True) for name_of, text in long.items()),
    ]
