"""Only evaluations of the same suite are compared."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from rlpt.domains.splits import fingerprint
from rlpt.errors import UserError
from rlpt.evaluation.compare import compare_evaluations
from rlpt.evaluation.statistics import summarise
from rlpt.evaluation.store import load_evaluation, read_suite, record_suite
from rlpt.evaluation.suite import check_expected, check_same, domain_suite
from rlpt.evaluation.summary import (
    evaluation_metrics,
    evaluation_summary,
    read_comparisons,
    read_summary,
    regression_metrics,
)
from rlpt.records import Task
from rlpt.run_dir import RunDir


def test_a_fingerprint_tells_every_change_of_a_task(make_task: Callable[..., Task]):
    tasks = [make_task(number) for number in range(3)]
    changed = [
        tasks[:2],
        [tasks[1], tasks[0], tasks[2]],
        [make_task(0, reference={"answer": 2}), *tasks[1:]],
        [make_task(0, messages=[{"role": "user", "content": "x"}]), *tasks[1:]],
        [make_task(0, difficulty=0.5), *tasks[1:]],
    ]
    assert len({fingerprint(one) for one in [tasks, *changed]}) == 6
    assert fingerprint([make_task(0, reference={"answer": 1})]) == fingerprint([make_task(0)])


def test_a_fingerprint_is_the_same_in_every_process():
    program = (
        "from rlpt.domains.splits import fingerprint; from rlpt.records import Task\n"
        "print(fingerprint([Task('d', 't', ({'role': 'user', 'content': 'é'},), {'s': {'b', 'a', 'c'}, 'a': (1, 2)})]))"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", program], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(seen) == 1


def test_a_suite_that_cannot_be_is_refused(make_task: Callable[..., Task]):
    with pytest.raises(UserError, match="no tasks"):
        domain_suite("test", [])
    with pytest.raises(UserError, match=r"arithmetic has 1 task ids more than once .* t1"):
        domain_suite("test", [make_task(1), make_task(1)])


def test_different_suites_are_not_compared(make_task: Callable[..., Task]):
    tasks = [make_task(0), make_task(1)]
    suite = {"arithmetic": domain_suite("test", tasks, {"temperature": 1.0})}
    check_same(suite, {"arithmetic": domain_suite("test", tasks, {"temperature": 1.0})}, ("A", "B"))
    with pytest.raises(UserError, match=r"A and B cannot be compared.*arithmetic differ in the tasks"):
        check_same(suite, {"arithmetic": domain_suite("test", tasks[:1], {"temperature": 1.0})}, ("A", "B"))
    with pytest.raises(UserError, match="the split"):
        check_same(suite, {"arithmetic": domain_suite("validation", tasks, {"temperature": 1.0})}, ("A", "B"))
    with pytest.raises(UserError, match=r"temperature \(1.0, 0.0\)"):
        check_same(suite, {"arithmetic": domain_suite("test", tasks, {"temperature": 0.0})}, ("A", "B"))
    with pytest.raises(UserError, match="share no domain"):
        check_same(suite, {"code": suite["arithmetic"]}, ("A", "B"))


def test_a_resume_on_other_tasks_is_refused(run: Path, make_task: Callable[..., Task]):
    directory = RunDir(run)
    same = read_suite(directory)
    record_suite(directory, same)
    with pytest.raises(UserError, match="this command cannot be compared"):
        record_suite(directory, {"arithmetic": domain_suite("test", [make_task(7)])})
    assert read_suite(directory) == same


def test_evaluations_come_back_from_the_run(run: Path):
    directory = RunDir(run)
    assert load_evaluation(directory).name.endswith("run@2")
    assert load_evaluation(directory, 0).samples[0].reward == 1.0
    with pytest.raises(UserError, match=r"no evaluation at step 1; it has: 0, 2"):
        load_evaluation(directory, 1)
    with pytest.raises(UserError, match="holds no evaluation"):
        load_evaluation(RunDir(run / "nothing"))


def test_two_steps_of_a_run_are_compared(run: Path):
    first, last = (load_evaluation(RunDir(run), step) for step in (0, 2))
    forward, backward = compare_evaluations(first, last), compare_evaluations(last, first)
    assert [item.verdict for item in forward] == ["improved", "not enough data"]
    assert [item.verdict for item in backward] == ["regressed", "not enough data"]
    assert forward == read_comparisons(RunDir(run))


def test_the_summary_has_the_documented_keys(run: Path):
    summary = read_summary(RunDir(run))
    assert summary["steps"] == 2
    assert summary["wall_s"] == 1.5
    arithmetic = summary["domains"]["arithmetic"]
    assert {"before", "after", "delta", "ci95", "n"} <= set(arithmetic)
    assert arithmetic["before"] == 0.25
    assert arithmetic["after"] == 0.75
    assert arithmetic["delta"] == 0.5
    low, high = arithmetic["ci95"]
    assert 0 < low < 0.5 < high
    assert arithmetic["n"] == 40


def test_metrics_are_named_by_domain(run: Path):
    summaries = summarise(load_evaluation(RunDir(run)).samples)
    metrics = evaluation_metrics(summaries) | regression_metrics(read_comparisons(RunDir(run)))
    assert metrics["eval/arithmetic/reward"] == 0.75
    assert metrics["eval/code/format"] == 1.0
    assert metrics["eval/code/hack_rate"] == 0.0
    assert metrics["regression/arithmetic"] == 0.5
    assert metrics["regression/code_low"] < 0 < metrics["regression/code_high"]
    alone = evaluation_summary(summaries, 0.95, wall_s=1.0)
    assert alone["domains"]["arithmetic"]["reward"] == 0.75
    assert alone["domains"]["arithmetic"]["hack_rate"] == 0.0
    assert alone["domains"]["arithmetic"]["ci95"][0] < 0.75 < alone["domains"]["arithmetic"]["ci95"][1]


def test_an_identity_changes_with_whatever_the_suite_is_made_of(make_task: Callable[..., Task]):
    tasks = [make_task(0), make_task(1)]
    settings = {"temperature": 1.0, "verifier": {"_target_": "a.B"}}
    suite = domain_suite("test", tasks, settings, "mine")
    others = [
        domain_suite("validation", tasks, settings, "mine"),
        domain_suite("test", tasks[:1], settings, "mine"),
        domain_suite("test", [tasks[0], make_task(1, reference={"answer": 9})], settings, "mine"),
        domain_suite("test", tasks, settings | {"temperature": 0.5}, "mine"),
        domain_suite("test", tasks, settings | {"verifier": {"_target_": "a.C"}}, "mine"),
    ]
    assert len({one.identity for one in (suite, *others)}) == 6
    assert all(one.identity.startswith("mine-") for one in others)
    renamed = domain_suite("test", tasks, dict(reversed(settings.items())), "other")
    assert (renamed.digest, renamed.number) == (suite.digest, suite.number)
    assert renamed.identity == f"other-{suite.number:08x}"


def test_an_expected_suite_is_this_one_or_the_run_ends(make_task: Callable[..., Task]):
    suite = {"arithmetic": domain_suite("test", [make_task(0)], name="ci")}
    identity = suite["arithmetic"].identity
    for right in (identity, identity.removeprefix("ci-"), suite["arithmetic"].digest):
        check_expected(suite, {"arithmetic": right})
    for wrong in ("ci-00000000", identity[:-1] + "x", identity[:5]):
        with pytest.raises(UserError, match=rf"expect.arithmetic={wrong} is not the suite of this run, {identity} "):
            check_expected(suite, {"arithmetic": wrong})
    with pytest.raises(UserError, match="names code, which is not among the domains: arithmetic"):
        check_expected(suite, {"code": identity})


def test_records_name_the_suite(run: Path):
    directory = RunDir(run)
    suite = read_suite(directory)
    written = json.loads(directory.suite.read_text())
    assert written["arithmetic"]["identity"] == suite["arithmetic"].identity
    summaries = summarise(load_evaluation(directory).samples)
    assert evaluation_metrics(summaries, suite)["eval/code/suite"] == suite["code"].number
    assert evaluation_summary(summaries, 0.95, 1.0, suite=suite)["domains"]["code"]["suite"] == suite["code"].identity
