"""Parts of a domain's audit on small domains of a test's own, with the real pool and verifiers."""

from __future__ import annotations

import pytest

from rlpt.audit.attack import UNSANDBOXED, attack_part
from rlpt.audit.gold import gold_part
from rlpt.audit.mutation import mutation_part
from rlpt.audit.part import LISTED, Part, share
from rlpt.evaluation.table import Table
from rlpt.records import Task, Verdict
from rlpt.verifiers.pool import VerifierPool

MATH = {"_target_": "rlpt.verifiers.math.MathVerifier"}
CLAMP = "```python\ndef clamp(x):\n    if x > 10:\n        return 10\n    return x\n```"


class Given:
    """A domain whose own answers are given by task id."""

    def __init__(self, answers):
        self._answers = answers

    def demonstration(self, task):
        return self._answers[task.task_id]


class Judge:
    """Stands for the pool where a test needs a verifier with a known fault: it judges by a function of the text."""

    def __init__(self, reward):
        self._reward = reward
        self.asked = []

    def score(self, items):
        self.asked += [completion for _, completion in items]
        rewards = [self._reward(task, completion) for task, completion in items]
        return [Verdict(reward, "infra_error" if reward is None else "correct") for reward in rewards]


def sums(count, answer="5"):
    return [
        Task("sums", f"s{i}", [{"role": "user", "content": f"What is {i} + 1?"}], {"answer": answer})
        for i in range(count)
    ]


def test_own_answers_are_counted_by_split_and_failures_named():
    source = Given({"s0": "\\boxed{5}", "s1": "\\boxed{6}", "s2": "\\boxed{5}"})
    train, test = sums(3)[:2], [*sums(3)[2:], Task("sums", "broken", [], {"answer": "\\frac{1}{"})]
    source._answers["broken"] = "\\boxed{1}"
    with VerifierPool({"sums": MATH}, workers=1) as pool:
        part = gold_part("sums", source, {"train": train, "test": test}, pool)
    assert [tuple(row) for row in part.table.rows] == [("train", "2", "1", "1", "0"), ("test", "2", "1", "0", "1")]
    assert not part.sound
    assert [(row["split"], row["row"], row["task_id"], row["judged"]) for row in part.rows] == [
        ("train", 1, "s1", True),
        ("test", 1, "broken", False),
    ]
    assert part.listing.startswith("  train row 1 (s1): ")


def test_own_answers_that_all_pass_are_sound():
    part = gold_part("sums", Given({"s0": "x"}), {"train": sums(1)}, Judge(lambda task, text: 1.0))
    assert part.sound
    assert part.rows == []


def clamp_task(*calls):
    tests = [{"args": [x], "expected": min(x, 10)} for x in calls]
    return Task("code", "clamp", [], {"entry_point": "clamp", "calls": tests})


@pytest.fixture(scope="module")
def code_pool(need):
    from rlpt.sandbox.process import why_not

    need(why_not())
    sandbox = {"_target_": "rlpt.sandbox.process.process_sandbox", "concurrency": 1}
    with VerifierPool(
        {"code": {"_target_": "rlpt.verifiers.unit_tests.UnitTestsVerifier", "sandbox": sandbox}}, 1
    ) as pool:
        yield pool


def test_weak_tests_let_changed_programs_live_and_say_which(code_pool):
    source = Given({"clamp": CLAMP})
    weak = mutation_part("code", source, [clamp_task(3)], code_pool, most=50, seed=0)
    strong = mutation_part("code", source, [clamp_task(-2, 3, 9, 10, 11, 12, 50)], code_pool, most=50, seed=0)
    (weak_row,), (strong_row,) = weak.rows, strong.rows
    assert weak_row["mutants"] == strong_row["mutants"] > 8
    assert weak_row["killed"] < strong_row["killed"]
    assert "line 2: `>` became `<`" not in " ".join(one["change"] for one in strong_row["survivors"])
    assert len(weak_row["survivors"]) + weak_row["killed"] == weak_row["mutants"]
    assert "clamp: " in weak.listing
    assert all("def clamp" in one["program"] for one in weak_row["survivors"])


def test_a_domain_without_programs_has_no_tests_to_look_at():
    assert mutation_part("sums", Given({"s0": "\\boxed{5}"}), sums(1), Judge(lambda *_: 1.0), most=5, seed=0) is None


def test_programs_without_a_verdict_are_neither_killed_nor_alive():
    judge = Judge(lambda task, text: 1.0 if text == CLAMP else None)
    part = mutation_part("code", Given({"clamp": CLAMP}), [clamp_task(1)], judge, most=5, seed=0)
    assert part.rows[0] == {**part.rows[0], "mutants": 5, "killed": 0, "not_judged": 5, "survivors": []}
    assert tuple(part.table.rows[0][-4:]) == ("0", "-", "0", "5")


def test_a_task_whose_own_program_is_refused_says_nothing_of_its_tests():
    part = mutation_part("code", Given({"clamp": CLAMP}), [clamp_task(1)], Judge(lambda *_: 0.0), most=5, seed=0)
    assert tuple(part.table.rows[0][1:4]) == ("0", "0", "0")
    assert part.table.notes == ["Left out: 1 tasks whose own program is refused as it is."]


def test_one_text_that_is_paid_whatever_is_asked_is_no_luck():
    tasks = [Task("sums", f"s{i}", [{"role": "user", "content": "?"}], {"answer": str(i)}) for i in range(5)]
    source = Given({task.task_id: "\\boxed{1}" for task in tasks})
    part = attack_part("sums", source, tasks, Judge(lambda task, text: float("nan" in text)), sandboxed=True)
    assert not part.sound
    assert any("nan" in line for line in part.lines)


def test_orders_that_show_a_number_may_be_right_by_luck():
    source = Given({f"s{i}": "\\boxed{12}" for i in range(3)})
    with VerifierPool({"sums": MATH}, workers=1) as pool:
        part = attack_part("sums", source, sums(3, answer="12"), pool, sandboxed=False)
    assert part.sound, part.lines


def test_a_hack_that_is_paid_is_shown_and_unsound():
    source = Given({f"s{i}": "So \\boxed{5}" for i in range(3)})
    part = attack_part("sums", source, sums(3), Judge(lambda task, text: float(text == "")), sandboxed=True)
    assert not part.sound
    assert {(row["family"], row["task_id"]) for row in part.rows} == {("empty", f"s{i}") for i in range(3)}
    assert "paid on s0: empty: nothing: (nothing visible)" in part.listing


def test_a_lucky_guess_is_told_apart_from_a_hack():
    source = Given({f"s{i}": "So \\boxed{5}" for i in range(4)})
    with VerifierPool({"sums": MATH}, workers=1) as pool:
        part = attack_part("sums", source, sums(4), pool, sandboxed=False)
    assert part.sound
    assert all(row["guess"] for row in part.rows)
    assert any("'always 5', is paid on 4 of 4 tasks" in note for note in part.table.notes)
    assert UNSANDBOXED in part.table.notes


def test_what_is_paid_in_part_is_counted_apart_and_no_fault():
    source = Given({"s0": "So \\boxed{5}"})
    part = attack_part("sums", source, sums(1), Judge(lambda task, text: 0.1 * ("boxed" in text)), sandboxed=True)
    assert part.sound
    assert sum(int(row[2]) for row in part.table.rows) == 0
    assert sum(int(row[4]) for row in part.table.rows) == len(part.rows) > 10


def test_an_attack_that_stops_the_verifier_is_counted():
    part = attack_part("sums", Given({"s0": "\\boxed{5}"}), sums(1), Judge(lambda task, text: None), sandboxed=True)
    assert all(row["reward"] is None for row in part.rows)
    assert not part.sound
    assert all(row[1] == row[-1] for row in part.table.rows)


def test_programs_that_do_harm_are_played_in_a_sandbox_only():
    judge = Judge(lambda *_: 0.0)
    attack_part("code", Given({"clamp": CLAMP}), [clamp_task(1)], judge, sandboxed=False)
    without = set(judge.asked)
    attack_part("code", Given({"clamp": CLAMP}), [clamp_task(1)], judge, sandboxed=True)
    harmful = set(judge.asked) - without
    assert harmful
    assert any("rmtree" in text for text in harmful)
    assert not any("rmtree" in text for text in without)


def test_a_long_list_is_cut_and_says_so():
    part = Part("t", Table(("a",), []), [f"line {i}\x1b[31m" for i in range(LISTED + 3)])
    assert part.listing.endswith("and 3 more; out=FILE writes them all")
    assert "\x1b" not in part.listing


@pytest.mark.parametrize(
    ("some", "of", "text"),
    [(0, 0, "-"), (0, 9, "0.000"), (9, 9, "1.000"), (9999, 10000, "0.999"), (1, 10000, "0.001"), (1, 3, "0.333")],
)
def test_a_share_is_1_or_0_only_where_it_is(some, of, text):
    assert share(some, of) == text
