r"""Payloads planted in completions, for every verifier of conf/verifier: nothing runs, is paid or harms the next one.

A verifier without an entry in `ENTRIES` fails here. They work in the real pool, under a hook that sees what Python
itself reports (PEP 578): a payload that is evaluated shows up although it leaves no trace. The static half, that no
code of a worker can evaluate a text at all, stands at the end.
"""

from __future__ import annotations

import base64
import json
import pickle
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hydra.utils import instantiate
from omegaconf import OmegaConf

from rlpt.config.preflight import compose_config
from rlpt.errors import UserError
from rlpt.gym.items import draw
from rlpt.records import Task, Verdict
from rlpt.sandbox.choice import settle_all
from rlpt.verifiers.pool import VerifierPool

ROOT = Path(__file__).resolve().parents[2]
OPTIONS = sorted(file.stem for file in (ROOT / "conf" / "verifier").glob("*.yaml"))
NOT_RIGHT = {"wrong", "suspicious", "timeout", "crash", "out_of_memory", "output_limit"}
WATCHED = {"exec", "compile", "import", "os.system", "os.exec", "os.posix_spawn", "os.fork", "pickle.find_class"}
WATCHED |= {"subprocess.Popen", "socket.connect", "open"}


@dataclass(frozen=True)
class Entry:
    """`asked`: references, each with a right completion. `places`: where the verifier looks, besides `PLACES`; PLANT is
    the payload, QUOTED the same as a JSON text. `allowed`: what the verifier itself may do while it judges.
    """

    asked: Sequence[tuple[Mapping[str, Any], str]]
    places: Sequence[str] = ()
    overrides: Sequence[str] = ()
    allowed: frozenset[str] = frozenset()


PLACES = (
    *("PLANT", "\\boxed{PLANT}", "$\\boxed{\\text{PLANT}}$", "<answer>PLANT</answer>", "#### PLANT", "Answer: (PLANT)"),
    *("The answer is PLANT.", "<think>hm</think>PLANT<|im_end|>", "<answer>\\boxed{PLANT}</answer>", "\\boxed{PLANT"),
    *("```python\nPLANT\n```", "```json\nPLANT\n```", "```yaml\nPLANT\n```", "```\nPLANT\n```", "```\nPLANT"),
    *("<tool_call>\nPLANT\n</tool_call>", "<tool_call>PLANT", "[PLANT]", '{"a": PLANT}', "\\boxed{[PLANT]}"),
)
FIVE = {"answer": "5"}
GRID = "2 1 4 3\n4 3 1 2\n1 2 3 4"
WEATHER = {"calls": [{"name": "get_weather", "arguments": {"city": ["Paris"]}}]}
SUM = {"entry_point": "add", "calls": [{"args": [1, 2], "expected": 3}, {"args": ["a", "b"], "expected": "ab"}]}
CITY = {"type": "object", "properties": {"city": {"type": "string", "pattern": "^[A-Z][a-z]{2,20}$"}}}
RAIN = [
    {"kind": "starts_with", "args": {"phrase": "Rain falls"}},
    {"kind": "ends_with", "args": {"phrase": "with water."}},
    {"kind": "on_topic", "args": {"words": ["rain"]}},
    *({"kind": kind, "args": {}} for kind in ("no_commas", "no_digits", "prose")),
]
MATHS = ("\\boxed{5+0*PLANT}", "\\boxed{5^{PLANT}}", "\\boxed{\\frac{PLANT}{1}}", "\\boxed{x=PLANT}", "$$PLANT$$")


GYM = "calendar_arithmetic complex_arithmetic futoshiki graph_color group_anagrams jugs kakurasu rubiks_cube sokoban"
"""Generators whose own scorers take an answer apart; all of them: test_reasoning_gym.py."""


def gym_items() -> list[tuple[Mapping[str, Any], str]]:
    """One task of each of `GYM`."""
    made = [(name, next(islice(draw(name, {}, seed=11), 1))) for name in GYM.split()]
    return [
        ({"dataset": name, "answer": item.answer, "entry": dict(item.entry)}, f"<answer>{item.answer}</answer>")
        for name, item in made
    ]


ENTRIES: Mapping[str, Callable[[], Entry]] = {
    "all_of": lambda: Entry([(FIVE, "\\boxed{5}")], MATHS),
    "constraints": lambda: Entry(
        [({"constraints": RAIN}, "Rain falls on the roof and fills the old garden with water.")],
        ("Rain falls on the roof PLANT", "PLANT fills the old garden with water.", "Rain falls\n\nPLANT\n\n"),
    ),
    "countdown": lambda: Entry(
        [({"numbers": [1, 81], "target": 81}, "\\boxed{81*1}")],
        ("\\boxed{81*PLANT}", "\\boxed{81*1 = PLANT}", "\\boxed{(81*1, PLANT)}", "<answer>81*1*PLANT</answer>"),
    ),
    "exact": lambda: Entry([({"answer": "Evelyn"}, "\\boxed{Evelyn}")], ("\\boxed{Evelyn PLANT}",)),
    "json_schema": lambda: Entry(
        [({"schema": CITY | {"required": ["city"]}, "value": {"city": "Paris"}}, '```json\n{"city": "Paris"}\n```')],
        ('```json\n{"city": QUOTED}\n```', '```json\n{QUOTED: "Paris"}\n```', "```json\n[QUOTED]\n```"),
    ),
    "knights_and_knaves": lambda: Entry(
        [({"roles": {"Zoey": "knight", "Liam": "knave"}}, "\\boxed{Zoey is a knight, and Liam is a knave.}")],
        ("\\boxed{Zoey is a PLANT, and Liam is a knave.}", "\\boxed{PLANT is a knight, and Liam is a knave.}"),
    ),
    "math": lambda: Entry([(FIVE, "\\boxed{5}"), ({"answer": "x^2+\\sqrt{2}"}, "\\boxed{\\sqrt{2}+x^2}")], MATHS),
    "multiple_choice": lambda: Entry(
        [({"answer": "E", "choices": {"A": "the first law", "E": "the third law"}}, "\\boxed{E}")],
        ("\\boxed{E or PLANT}", "\\boxed{PLANT: the third law}", "<answer>\\text{PLANT}</answer>"),
    ),
    "pattern": lambda: Entry(
        [({}, "\\boxed{12}")],
        ("\\boxed{12PLANT}",),
        ("verifier={_target_: rlpt.verifiers.pattern.PatternVerifier, pattern: '[0-9]{1,3}'}",),
    ),
    "reasoning_gym": lambda: Entry(gym_items(), ('<answer>["PLANT"]</answer>', "<answer>x=PLANT,y=1</answer>")),
    "sudoku": lambda: Entry(
        [({"puzzle": "..4.4..........1"}, f"\\boxed{{{GRID}\n3 4 2 1}}")],
        (f"\\boxed{{{GRID}\n3 4 2 PLANT}}", f"```\n{GRID}\nPLANT\n```", f"{GRID}\n3 4 PLANT 1"),
    ),
    "tool_errors": lambda: Entry([(FIVE, "\\boxed{5}")], MATHS),
    "tool_call": lambda: Entry(
        [(WEATHER, '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>')],
        (
            *("[get_weather(city=PLANT)]", "[get_weather(city=QUOTED)]", "[PLANT(city='Paris')]", "PLANT()"),
            *("[get_weather(city='Paris', **PLANT)]", "[get_weather(city='Paris', day=PLANT)]", "[f(f=f'{PLANT}')]"),
            '<tool_call>\n{"name": "get_weather", "arguments": {"city": QUOTED}}\n</tool_call>',
            '<tool_call>\n{"name": QUOTED, "arguments": {"city": "Paris"}}\n</tool_call>',
            '{"name": "get_weather", "arguments": QUOTED}',
        ),
        allowed=frozenset({"compile"}),  # of a syntax tree, which is looked at and not run
    ),
    "unit_tests": lambda: Entry(
        [
            (SUM, "```python\ndef add(a, b):\n    return a + b\n```"),
            (
                {"stdin_cases": [{"stdin": "1 2\n", "stdout": "3\n"}]},
                "```python\nprint(sum(map(int, input().split())))\n```",
            ),
            (
                {"entry_point": "add", "check": "def check(candidate):\n    assert candidate(1, 2) == 3\n"},
                "```python\ndef add(a, b):\n    return a + b\n```",
            ),
        ],
        (
            "```python\nPLANT\ndef add(a, b):\n    return a - b\n```",
            "```python\ndef add(a, b):\n    return PLANT\n```",
            "```python\ndef add(a, b):\n    exec(QUOTED)\n    return a\n```",
            "```python\nimport os, pickle\nprint(pickle.loads(QUOTED.encode('latin-1')), os.system(QUOTED))\n```",
        ),
        ("sandbox.limits.wall_s=2.0",),
        frozenset({"compile", "subprocess.Popen", "os.posix_spawn", "os.fork", "socket.connect", "open"}),
    ),
    "weighted": lambda: Entry([(FIVE, "\\boxed{5}")], MATHS),
}


class _Planted:
    def __init__(self, command: str) -> None:
        self.command = command

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return subprocess.getoutput, (self.command,)


RUNNERS = {
    "python": "exec(text)",
    "pickle": "import pickle; pickle.loads(text.encode('latin-1'))",
    "base64": "import base64, pickle; pickle.loads(base64.b64decode(text))",
    "yaml": "import yaml; yaml.unsafe_load(text)",
    "node": "import json; from hydra.utils import instantiate; instantiate(json.loads(text))",
    "shell": "import os; os.system(text)",
    "sympy": "import sympy; sympy.sympify(text)",
}
"""By what a payload would be run where somebody is careless; a test sees that each of them then leaves its mark."""


def payloads(mark: Path) -> list[tuple[str, str]]:
    """Payloads that make the file `mark` where they run, each with its runner; `""` where it has none of `RUNNERS`."""
    shell = f"touch {mark}"
    system = f"__import__('os').system('{shell}')"
    return [
        *(("python", text) for text in (system, f"eval({system!r})", f"exec({system!r})", f"(lambda: {system})()")),
        ("python", f"import os\nos.system('{shell}')"),
        ("python", f'f"{{{system}}}"'),
        ("python", f"[x for x in [{system}]]"),
        ("python", f"open('{mark}', 'w').close()"),
        ("python", f"@lambda f: {system}\ndef f(): pass"),
        ("python", f"class A(metaclass=lambda *a: {system}): pass"),
        ("sympy", f"Integer.__init__.__class__.__base__ and {system}"),
        ("sympy", f"Symbol('x').func.__mro__[-1].__subclasses__() and {system}"),
        ("python", "().__class__.__base__.__subclasses__()[0].__init__;" + system),
        ("pickle", pickle.dumps(_Planted(shell), protocol=0).decode("latin-1")),
        ("pickle", pickle.dumps(_Planted(shell)).decode("latin-1")),
        ("base64", base64.b64encode(pickle.dumps(_Planted(shell))).decode()),
        ("yaml", f'!!python/object/apply:os.system ["{shell}"]'),
        ("yaml", f'a: !!python/object/new:os.system\n  args: ["{shell}"]'),
        (
            "node",
            json.dumps({"_target_": "pathlib.Path.touch", "self": {"_target_": "pathlib.Path", "_args_": [str(mark)]}}),
        ),
        ("", json.dumps({"py/reduce": [{"py/function": "os.system"}, {"py/tuple": [shell]}]})),
        ("", json.dumps({"__class__": "os.system", "__reduce__": [shell], "__proto__": {"city": "Paris"}})),
        *(("shell", text) for text in (shell, f"$({shell})", f"`{shell}`", f"true; {shell} #", f"echo 7 | {shell}")),
        ("", f'\\input{{|"{shell}"}}'),
        ("", f"\\immediate\\write18{{{shell}}}"),
        ("", f"\\newwrite\\f \\immediate\\openout\\f={mark} \\def\\x{{\\x\\x}}\\x"),
        ("", "{0.__class__.__init__.__globals__}{!r:>999999999}%(x)s%n%999999999d"),
        ("", f"{{{{ cycler.__init__.__globals__.os.popen('{shell}').read() }}}}{{{{7*7}}}}"),
        ("", "${oc.env:HOME}${hydra:runtime}"),
        ("", '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'),
        *(("", text) for text in ("a" * 40 + "!", "((a+)+)+$" + "a" * 4_000, "(?R)" * 500, " " * 4_000 + "x")),
        *(("", text) for text in ("9**9**9**9**9", "9^{9^{9^{9^9}}}", "(10^9)!", "1e999999999", "-" * 3_000 + "5")),
        *(("", text) for text in ("9" * 4_000, "(" * 4_000, "{" * 4_000, "\x00", "\ud800", "\u202e7", "{{7*7}}")),
    ]


class Watched:
    """A verifier and the events of Python's while it judges: any that it is not allowed takes the verdict's place."""

    def __init__(self, verifier: Mapping[str, Any], allowed: Sequence[str]) -> None:
        self._verifier = instantiate({"_recursive_": False, "_convert_": "all", **verifier}, _partial_=True)()
        self._watched = WATCHED - set(allowed)
        self._judging, self._judged = False, set()
        self._seen: list[str] = []
        sys.addaudithook(self._note)

    def _note(self, event: str, arguments: tuple[Any, ...]) -> None:
        # a syntax error makes Python look for a file with the name of the source, "<unknown>"
        if self._judging and event in self._watched and arguments[:1] != ("<unknown>",):
            self._seen.append(f"{event} {arguments!r:.200}")

    def verify(self, task: Task, completion: str) -> Verdict:
        key = task.task_id
        self._judging = key in self._judged  # the first of each task may import what it needs
        verdict = self._verifier.verify(task, completion)
        self._judging = False
        self._judged.add(key)
        seen, self._seen = self._seen, []
        return Verdict(None, "infra_error", "; ".join(seen)) if seen else verdict

    def close(self) -> None:
        getattr(self._verifier, "close", lambda: None)()


def test_every_verifier_has_an_entry():
    assert set(ENTRIES) == set(OPTIONS)


def test_the_payloads_would_do_harm(tmp_path):
    for number, (runner, text) in enumerate(payloads(tmp_path / "ran")):
        if runner:
            mark = tmp_path / f"ran{number}"
            text = payloads(mark)[number][1]
            program = f"import json; text = json.loads(input()); {RUNNERS[runner]}"
            subprocess.run([sys.executable, "-c", program], input=json.dumps(text), text=True, capture_output=True)
            assert mark.exists(), text


@pytest.mark.parametrize("option", OPTIONS)
def test_nothing_planted_runs_or_is_paid(option, tmp_path, need):
    entry, mark = ENTRIES[option](), tmp_path / "ran"
    cfg = compose_config("audit", [f"verifier={option}", "cases=none", *entry.overrides])
    try:
        node = settle_all(OmegaConf.to_container(cfg.verifier), lambda choice: None)
    except UserError as error:
        need(str(error))
        raise
    config = {"_target_": f"{__name__}.Watched", "verifier": node, "allowed": sorted(entry.allowed)}
    limits = {"timeout_s": cfg.verification.timeout_s, "memory_mb": cfg.verification.memory_mb}
    planted = [text for _, text in payloads(mark)]
    with VerifierPool({option: config}, workers=1, **limits) as pool:
        for number, (reference, right) in enumerate(entry.asked):
            task = Task(option, str(number), [{"role": "user", "content": "?"}], reference)
            hostile = [plant(place, text) for place in (*PLACES, *entry.places) for text in planted]
            asked = [right, *(text for each in hostile for text in (each, right))]
            verdicts = pool.score([(task, text) for text in asked])
            assert not mark.exists()
            for completion, verdict in zip(hostile, verdicts[1::2], strict=True):
                assert verdict.status in NOT_RIGHT, (completion, verdict)
                assert 0.0 <= verdict.reward < 1.0, (completion, verdict)
            assert {(verdict.status, verdict.reward) for verdict in verdicts[::2]} == {("correct", 1.0)}
        assert (pool.restarts, pool.infra_errors) == (0, 0)  # it was one worker all the time


def plant(place: str, payload: str) -> str:
    return place.replace("QUOTED", json.dumps(payload)).replace("PLANT", payload)
