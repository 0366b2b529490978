"""Attacks on verifiers: what they may know, that each family finds the careless verifier, and that rlpt's pay none."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from rlpt.audit.attacks import FAMILIES, Attack, attacks
from rlpt.audit.attacks.form import Entry, read_form
from rlpt.audit.attacks.prompt import read_prompt
from rlpt.domains.arithmetic import Arithmetic
from rlpt.errors import UserError
from rlpt.records import Task
from rlpt.sandbox.process import process_sandbox
from rlpt.sandbox.protocol import Limits
from rlpt.verifiers.math import MathVerifier
from rlpt.verifiers.multiple_choice import MultipleChoiceVerifier
from rlpt.verifiers.programs import defines, extract_program, parse
from rlpt.verifiers.unit_tests import UnitTestsVerifier

SECRET = 1_234_567


def task(question: str, reference: Mapping[str, Any] | None = None, *example: str) -> Task:
    said = zip(("user", "assistant", "user"), (*example, question), strict=False)
    messages = [{"role": role, "content": text} for role, text in (("system", "You are good at this."), *said)]
    return Task("own", "1", messages, reference or {})


SUM = task("What is 15 + 9? Put the answer in \\boxed{}.", {"answer": "24"}, "What is 3 + 4?", "\\boxed{7}")
SUM_ANSWER = "15 + 9 = 24, so the answer is \\boxed{24}."
CODE = task(
    "Write a Python function `add(n)` that adds a secret to n.",
    {"entry_point": "add", "calls": [{"args": [n], "expected": n + SECRET} for n in (1, 2, 3)]},
)
CODE_ANSWER = f"```python\ndef helper():\n    return {SECRET}\n\ndef add(n):\n    return n + helper()\n```"
CHOICE = task("Which one is a metal?\nA) wood\nB) iron\nC) air", {"answer": "B", "choices": ["A", "B", "C"]})


def by_name(found: Sequence[Attack]) -> dict[str, Attack]:
    return {attack.name: attack for attack in found}


@pytest.mark.parametrize(("own", "answer"), [(SUM, SUM_ANSWER), (CODE, CODE_ANSWER), (CHOICE, "B")])
def test_the_same_attacks_whatever_the_reference_and_each_name_once(own: Task, answer: str) -> None:
    found = attacks(own, answer)
    assert attacks(own, answer) == found == attacks(replace(own, reference={"answer": "another"}), answer)
    assert len(by_name(found)) == len(found)
    assert {attack.family for attack in (*found, *attacks(SUM, SUM_ANSWER), *attacks(CODE, CODE_ANSWER))} == {*FAMILIES}


def test_of_the_demonstration_only_the_form_is_used() -> None:
    assert attacks(SUM, "9 + 9 is 18: \\boxed{18}") == attacks(SUM, SUM_ANSWER)
    assert attacks(CODE, "```python\ndef add(n):\n    return 7\n```") == attacks(CODE, CODE_ANSWER)
    assert not any(str(SECRET) in attack.completion for attack in attacks(CODE, CODE_ANSWER))


def test_names_say_the_same_at_every_task() -> None:
    """Or a table over tasks would have a line for each task."""
    other = task("What is 2 + 120? Put the answer in \\boxed{}.", {"answer": "122"}, "What is 3 + 4?", "\\boxed{7}")
    names, others = ([attack.name for attack in attacks(own, "\\boxed{1}") if attack.guess] for own in (SUM, other))
    assert len(set(names) ^ set(others)) <= 4, set(names) ^ set(others)


FORMS = [
    ("so \\boxed{\\frac{1}{2}}.", "\\boxed{X}", None),
    ("<think>\\boxed{3}</think><answer>8</answer>", "<answer>X</answer>", None),
    ("<answer>\\boxed{8}</answer>", "<answer>\\boxed{X}</answer>", None),
    ("2 + 40 = 42\n#### 42", "#### X", None),
    ('```json\n{"a": "<b>1</b>"}\n```', "```json\nX\n```", None),
    ("yes", "X", None),
    (CODE_ANSWER, "```python\nX\n```", Entry("add")),
    ("```py\ndef add(n):\n    return b(n)\n\ndef b(n):\n    return n\n```", "```py\nX\n```", Entry("add")),
    ("<answer>\ndef f(x):\n    return x\n</answer>", "<answer>X</answer>", Entry("f")),
    ("```python\nprint('\\\\boxed{1}', input())\n```", "```python\nX\n```", Entry(None)),
    ("import sys\nprint(sys.stdin.read())", "X", Entry(None)),
]


@pytest.mark.parametrize(("demonstration", "wrapped", "program"), FORMS)
def test_the_form_is_read_off_the_demonstration(demonstration: str, wrapped: str, program: Entry | None) -> None:
    form = read_form(demonstration, CODE.messages[-1]["content"])
    assert (form.wrap("X"), form.program) == (wrapped, program)


def test_what_is_read_of_a_prompt() -> None:
    prompt = read_prompt(SUM.messages)
    assert (prompt.numbers, prompt.examples, prompt.labels) == (("15", "9"), ("\\boxed{7}",), ("A", "B", "C", "D"))
    assert read_prompt(CHOICE.messages).labels == ("A", "B", "C")
    assert attacks(Task("own", "1", [], {}), "7")


def test_one_concrete_answer_is_a_guess_and_nothing_else() -> None:
    found = by_name(attacks(SUM, SUM_ANSWER))
    guesses = [
        "always 7",
        "always A",
        "always yes",
        "the prompt's number 1",
        "the prompt's example 1",
        "always {}, bare",
    ]
    hacks = ["empty: nothing", "7 or 8, in words", "0 to 200, in the form", "the term, in the form", "7 in a thought"]
    assert [name for name in guesses + hacks if found[name].guess] == guesses
    programs = by_name(attacks(CODE, CODE_ANSWER))
    assert programs["return None"].guess
    assert not programs["NotImplementedError"].guess


def test_a_list_is_a_guess_where_several_values_are_asked_for() -> None:
    """`7, 8` may be the right answer to an equation, and all letters the right ones."""
    equation = by_name(attacks(task("Solve x^2 - 15x + 56 = 0."), "x is \\boxed{7, 8}"))
    assert equation["7 or 8, with a comma"].guess
    assert equation["the prompt's numbers, in the form"].guess
    assert by_name(attacks(CHOICE, "\\boxed{A, C}"))["all choices as a word"].guess
    assert not by_name(attacks(CHOICE, "\\boxed{A}"))["all choices as a word"].guess
    assert by_name(attacks(task("Simplify 2 + 3."), "\\boxed{x + 1}"))["the term, in the form"].guess


SMALL = task("How many legs has a spider? Put the answer in \\boxed{}.", {"answer": "8"}), "\\boxed{8}"
WORDS = task("Write about owls in at least 8 words. Use the word night."), "Owls fly."
CARELESS: Mapping[str, tuple[tuple[Task, str], Callable[[str], Any], set[str]]] = {
    "the answer anywhere": (SMALL, lambda text: "8" in text, {"hedging", "everything listed"}),
    "the first box": (SMALL, lambda text: "\\boxed{8}" in text, {"hedging", "thought never closed"}),
    "a term evaluated": ((SUM, SUM_ANSWER), lambda text: text == "\\boxed{15 + 9}", {"prompt repeated"}),
    "the form alone": (SMALL, lambda text: "\\boxed{" in text, {"format without content"}),
    "nothing wrong found": (SMALL, lambda text: not re.search(r"\w", text), {"empty"}),
    "a count of words": (WORDS, lambda text: len(text.split()) == 8, {"filler"}),
    "key words": (WORDS, lambda text: {"owls", "night"} <= {*re.findall("[a-z]+", text)}, {"prompt repeated"}),
    "key words, other order": (WORDS, lambda text: re.match("night word the", text), {"filler"}),
    "a verdict in the text": (SMALL, lambda text: '"reward": 1.0' in text, {"orders to the judge"}),
    "an error is a pass": (SMALL, lambda text: "\0" in text or len(text) > 90_000, {"size and characters"}),
}


@pytest.mark.parametrize("name", CARELESS)
def test_a_careless_verifier_is_found(name: str) -> None:
    own, judge, families = CARELESS[name]
    hacks = [attack for attack in attacks(*own) if not attack.guess]
    assert families <= {attack.family for attack in hacks if judge(attack.completion)}


CARELESS_HARNESS = """
import json, sys, unittest
names, case = {}, unittest.TestCase()
exec(sys.argv[1], names)
for test in json.loads(sys.argv[2]):
    case.assertEqual(names["add"](*test["args"]), test["expected"])
"""


def passes(completion: str) -> bool:
    """A judge as bad as any: expected values stand beside the program, and its exit code or its word is the verdict."""
    program = extract_program(completion)
    assert program is not None
    command = [sys.executable, "-c", CARELESS_HARNESS, program, json.dumps(CODE.reference["calls"])]
    ended = subprocess.run(command, capture_output=True, timeout=60, check=False)
    return ended.returncode == 0 or b'"status": "correct"' in ended.stdout


FOUND = {
    "exit": ["exit at import", "os._exit in the function", "atexit", "another program in its place"],
    "object": ["equal to all, as int", "equal to all, as object", "a mock"],
    "patch": ["patched: unittest"],
    "search": ["searched: frames", "searched: every object", "searched: environment and arguments"],
    "forged result": ["a verdict as JSON"],
}


@pytest.mark.parametrize(("family", "name"), [(family, name) for family, names in FOUND.items() for name in names])
def test_a_careless_judge_of_programs_is_found(family: str, name: str) -> None:
    attack = by_name(attacks(CODE, CODE_ANSWER))[name]
    assert attack.family == f"program: {family}"
    assert passes(attack.completion)
    assert not passes(by_name(attacks(CODE, CODE_ANSWER))["no answer"].completion)


@pytest.mark.parametrize("answer", [CODE_ANSWER, "```python\nprint(input())\n```"])
def test_programs_are_programs(answer: str) -> None:
    """An attack with a slip in its own syntax would never be paid and prove nothing."""
    names = {"add"} if answer == CODE_ANSWER else {"main"}
    for attack in attacks(CODE, answer):
        if attack.family.startswith("program") and attack.family != "program: source":
            tree = parse(program := extract_program(attack.completion) or "")
            assert tree is not None, attack.name
            assert any(defines(tree, name) for name in names), attack.name
            compile(program, attack.name, "exec")


def test_what_harms_a_machine_says_so() -> None:
    for attack in attacks(CODE, CODE_ANSWER):
        dangerous = re.search(r"rmtree|os\.kill\(-1|os\.fork|killpg|getppid|/dev/shm|os\.write\(fd", attack.completion)
        assert attack.harmful or not dangerous, attack.name
        assert attack.harmful or attack.family not in ("program: resources", "program: breakout"), attack.name
        assert attack.costly or len(attack.completion) < 100_000, attack.name


def unpaid(verifier: Any, own: Task, found: Sequence[Attack]) -> None:
    for attack in found:
        assert (verdict := verifier.verify(own, attack.completion)).reward == 0.0, (attack.name, verdict)


def test_the_math_verifier_pays_guesses_alone() -> None:
    domain, verifier, lucky = Arithmetic("own", 0, 100, 20, 20, ["+", "-", "*"], 20, 12), MathVerifier(), 0
    for own in domain.load("test")[::4]:
        found = attacks(own, domain.demonstration(own))
        unpaid(verifier, own, [attack for attack in found if not attack.guess])
        lucky += sum(verifier.verify(own, attack.completion).reward == 1.0 for attack in found if attack.guess)
    assert lucky > 0


def test_the_choice_verifier_pays_guesses_alone() -> None:
    unpaid(MultipleChoiceVerifier(), CHOICE, [one for one in attacks(CHOICE, "\\boxed{B}") if not one.guess])
    assert MultipleChoiceVerifier().verify(CHOICE, by_name(attacks(CHOICE, "\\boxed{C}"))["always B"].completion).reward


@pytest.fixture(scope="module")
def unit_tests(need: Callable[[str | None], None]) -> Iterator[UnitTestsVerifier]:
    try:
        verifier = UnitTestsVerifier(process_sandbox(Limits(wall_s=1.5), concurrency=1))
    except UserError as error:
        need(str(error))
        raise
    yield verifier
    verifier.close()


@pytest.mark.parametrize("family", [family for family in FAMILIES if family.startswith("program")])
def test_no_program_is_paid_and_the_next_is_unharmed(unit_tests: UnitTestsVerifier, family: str) -> None:
    found = [attack for attack in attacks(CODE, CODE_ANSWER) if attack.family == family]
    # Of what runs into limits one kind after the other is tested with the sandbox itself.
    unpaid(unit_tests, CODE, found[::6] if family == "program: resources" else found)
    assert unit_tests.verify(CODE, CODE_ANSWER).reward == 1.0


def test_programs_that_read_input(unit_tests: UnitTestsVerifier) -> None:
    own = task("Print the sum.", {"stdin_cases": [{"stdin": "1 2\n", "stdout": "3\n"}]})
    answer = "```python\nprint(sum(map(int, input().split())))\n```"
    assert unit_tests.verify(own, answer).reward == 1.0
    found = by_name(attacks(own, answer))
    unpaid(unit_tests, own, [found[name] for name in ("exit at import", "equal to all, as int", "searched: frames")])
    assert "print(main(" in found["return args[0]"].completion
