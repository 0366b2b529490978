"""Whoever calls the pool, and however many at once: the same verdicts, in order. Several threads: test_pool.py."""

from __future__ import annotations

import asyncio
import contextlib
import json
import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rlpt.records import Task
from rlpt.verifiers.math import MathVerifier
from rlpt.verifiers.pool import VerifierPool

HERE = Path(__file__).parent
MATH = {"_target_": "rlpt.verifiers.math.MathVerifier"}
ROWS = [json.loads(line) for line in (HERE / "data" / "math_answers.jsonl").read_text().splitlines()]
ITEMS = [(Task("math", str(row["id"]), [], {"answer": row["gold"]}), row["completion"]) for row in ROWS]
ITEMS = [*ITEMS, *((Task("math", text, [], {"answer": "5"}), text) for text in ("", "I don't know.", "\\boxed{5}"))]
RIGHT = [*(row["correct"] for row in ROWS), False, False, True]
RANKS = 8


@pytest.fixture(scope="module")
def math_pool():
    with VerifierPool({"math": MATH}, workers=2, timeout_s=60.0) as pool:
        yield pool


def right(verdicts):
    assert {verdict.status for verdict in verdicts} <= {"correct", "wrong"}
    return [verdict.reward == 1.0 for verdict in verdicts]


def test_a_batch_with_answers_that_are_none_has_a_verdict_for_each_in_order(math_pool):
    completions = ["\\boxed{5}", "", "I don't know.", "\\boxed{6}", "", "5", "I don't know.", "\\boxed{5}"]
    task = Task("math", "t", [], {"answer": "5"})
    verdicts = math_pool.score([(task, completion) for completion in completions])
    assert verdicts == [MathVerifier().verify(task, completion) for completion in completions]
    assert [verdict.reward for verdict in verdicts] == [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0]


def test_eight_threads_get_the_verdicts_that_one_gets(math_pool):
    alone = math_pool.score(ITEMS)
    start = threading.Barrier(8)

    def score(turn):
        start.wait()
        return math_pool.score(ITEMS[turn:] + ITEMS[:turn])

    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(score, range(8)))
    assert right(alone) == RIGHT
    assert answers == [alone[turn:] + alone[:turn] for turn in range(8)]


def test_the_workers_outlive_the_thread_whose_call_started_them():
    with VerifierPool({"math": MATH}, workers=1, timeout_s=60.0) as pool:
        first = threading.Thread(target=pool.score, args=(ITEMS[:1],))
        first.start()
        first.join()
        assert right(pool.score(ITEMS)) == RIGHT
        assert pool.restarts == 0


def test_coroutines_call_it_through_threads(math_pool):
    async def gather():
        return await asyncio.gather(*(asyncio.to_thread(math_pool.score, ITEMS) for _ in range(8)))

    async def twice():
        return [*await gather(), *await gather()]

    answers = [*asyncio.run(twice()), *asyncio.run(gather())]  # also from another loop
    assert [right(verdicts) for verdicts in answers] == [RIGHT] * 24


def test_a_coroutine_may_call_it_itself(math_pool):
    async def score():
        return math_pool.score(ITEMS)

    assert right(asyncio.run(score())) == RIGHT


def test_a_coroutine_that_waits_for_verdicts_stops_neither_the_loop_nor_other_calls(monkeypatch):
    monkeypatch.syspath_prepend(str(HERE / "hostile"))
    hanging = {"_target_": "hostile_verifiers.Obedient"}
    task = Task("hanging", "t", [], {})

    async def score(pool):
        stuck = asyncio.create_task(asyncio.to_thread(pool.score, [(task, "sleep")]))
        verdicts = await asyncio.to_thread(pool.score, ITEMS)
        assert not stuck.done()
        pool.close()
        with pytest.raises(RuntimeError, match="closed"):
            await stuck
        return verdicts

    with VerifierPool({"math": MATH, "hanging": hanging}, workers=1, timeout_s=3600.0) as pool:
        assert right(asyncio.run(score(pool))) == RIGHT


def test_eight_ranks_of_a_node_have_a_pool_each(tmp_path):
    items = [[task.reference["answer"], completion] for task, completion in ITEMS]
    (tmp_path / "items.json").write_text(json.dumps(items))
    program = f"""
        import json, sys
        from rlpt.records import Task
        from rlpt.verifiers.pool import VerifierPool

        items = [(Task("math", "t", [], {{"answer": gold}}), text) for gold, text in json.load(open("items.json"))]
        with VerifierPool({{"math": {MATH!r}}}, workers=1, timeout_s=60.0) as pool:
            pool.check()
            print("ready", flush=True)
            sys.stdin.readline()  # until all ranks are
            rewards = [verdict.reward for verdict in pool.score(items)]
            print(json.dumps([rewards, pool.restarts, pool.infra_errors]))
    """
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    command = [sys.executable, "-c", textwrap.dedent(program)]
    with contextlib.ExitStack() as stack:
        ranks = [stack.enter_context(subprocess.Popen(command, cwd=tmp_path, **pipes)) for _ in range(RANKS)]
        assert [rank.stdout.readline() for rank in ranks] == ["ready\n"] * RANKS
        for rank in ranks:
            rank.stdin.write("go\n")
            rank.stdin.flush()
        answers = [json.loads(rank.communicate()[0]) for rank in ranks]
    assert answers == [[[float(each) for each in RIGHT], 0, 0]] * RANKS
    assert [rank.returncode for rank in ranks] == [0] * RANKS
