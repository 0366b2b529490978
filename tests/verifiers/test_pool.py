"""The pool returns one verdict for each completion, whatever verifiers and workers do."""

import contextlib
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rlpt.config.schemas.verifier import Form
from rlpt.errors import UserError
from rlpt.records import Task
from rlpt.verifiers.pool import VerifierPool

HOSTILE = Path(__file__).parent / "hostile"
MATH = {"_target_": "rlpt.verifiers.math.MathVerifier"}


@pytest.fixture(autouse=True)
def _importable(monkeypatch):
    monkeypatch.syspath_prepend(str(HOSTILE))


def obedient(**arguments):
    return {"_target_": "hostile_verifiers.Obedient", **arguments}


def task(domain="obedient", answer="5"):
    return Task(domain, "t", [{"role": "user", "content": "?"}], {"answer": answer})


def pool(verifier=None, **options):
    options = {"workers": 2, "timeout_s": 1.0, "memory_mb": 300, **options}
    return VerifierPool({"obedient": verifier or obedient()}, **options)


def ask(some_pool, *completions):
    return some_pool.score([(task(), completion) for completion in completions])


def hang(some_pool):
    with contextlib.suppress(RuntimeError):  # the pool is closed before there is a verdict
        ask(some_pool, "hang", "hang")


def gone(pid):
    """Wait until a process is no more, not even as a zombie."""
    for _ in range(1000):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.01)
    return False


def test_verdicts_come_in_the_order_of_the_completions():
    with pool() as some_pool:
        verdicts = ask(some_pool, *(f"{number}." for number in range(200)))
    assert [verdict.detail for verdict in verdicts] == [f"{number}." for number in range(200)]
    assert all(verdict.reward == 1.0 and verdict.parts == {"format": 1.0} for verdict in verdicts)


def test_each_domain_has_its_own_verifier():
    with VerifierPool({"obedient": obedient(), "math": MATH}, workers=1) as some_pool:
        right, wrong, obeyed = some_pool.score(
            [(task("math"), "\\boxed{5}"), (task("math"), "\\boxed{6}"), (task(), "words.")]
        )
    assert (right.reward, wrong.reward, obeyed.detail) == (1.0, 0.0, "words.")


def test_a_verifier_gets_its_arguments_as_plain_values():
    config = {"_target_": "hostile_verifiers.Listening", "names": ["a"], "node": {"_target_": "builtins.dict"}}
    with pool(config, workers=1) as some_pool:
        assert ask(some_pool, "x")[0].detail == "list dict builtins.dict"


def test_choices_of_an_enumeration_arrive_as_their_values():
    with pool({"_target_": "rlpt.verifiers.math.MathVerifier", "forms": [Form.tag]}, workers=1) as some_pool:
        assert ask(some_pool, "<answer>5</answer>")[0].parts == {"format": 1.0}


def test_no_completions_no_verdicts():
    with pool() as some_pool:
        assert some_pool.score([]) == []


@pytest.mark.parametrize(
    ("deed", "told"),
    [
        ("hang", "no verdict within"),
        ("hang_in_c", "no verdict within"),
        ("sleep", "no verdict within"),
        ("die", "killed by signal 9"),
        ("leave", "ended with exit status 3"),
        ("exit", "ended with exit status 0"),
        ("explode", "ValueError: nothing is right"),
        ("swell", "more than 300 MB"),
        ("swell_at_once", "more than 300 MB"),
        ("number", "must return a Verdict"),
        ("nothing", "must return a Verdict"),
        ("not_a_number", "not finite"),
        ("unknown_status", "unknown status"),
    ],
)
def test_a_verifier_that_misbehaves_costs_its_own_sample_alone(deed, told):
    with pool(timeout_s=20.0 if "swell" in deed else 1.0) as some_pool:
        before, failed, *after = ask(some_pool, "1.", deed, "2.", "3.")
    assert (failed.reward, failed.status) == (None, "infra_error")
    assert told in failed.detail
    assert [verdict.detail for verdict in (before, *after)] == ["1.", "2.", "3."]


def test_a_sample_is_tried_once_more(tmp_path):
    with pool(obedient(marker=str(tmp_path / "died"))) as some_pool:
        (verdict,) = ask(some_pool, "die_once")
        assert verdict.reward == 1.0
        assert (some_pool.restarts, some_pool.infra_errors) == (1, 0)


def test_failures_are_counted():
    with pool() as some_pool:
        ask(some_pool, "die", "1.", "explode")
        assert (some_pool.restarts, some_pool.infra_errors) == (2, 2)


def test_completions_that_hang_do_not_hold_up_a_thousand_others():
    completions = ["hang" if number % 100 == 50 else f"{number}." for number in range(1000)]
    with pool(timeout_s=3.0) as some_pool:
        verdicts = ask(some_pool, *completions)
    for completion, verdict in zip(completions, verdicts, strict=True):
        assert (verdict.detail == completion) if completion != "hang" else (verdict.status == "infra_error")


def test_a_verifier_that_prints_disturbs_nothing(capfd):
    with pool() as some_pool:
        assert ask(some_pool, "chatter")[0].reward == 1.0
    assert "noise" not in capfd.readouterr().out


def test_works_from_several_threads_at_once():
    with pool(workers=2) as some_pool, ThreadPoolExecutor(8) as threads:
        batches = [[f"{caller}-{number}" for number in range(50)] for caller in range(8)]
        answers = list(threads.map(lambda batch: ask(some_pool, *batch), batches))
    assert [[verdict.detail for verdict in answer] for answer in answers] == batches


def test_a_batch_that_hangs_does_not_hold_up_another_thread():
    with pool(workers=1, timeout_s=8.0) as some_pool:
        some_pool.check()
        hanging = threading.Thread(target=hang, args=(some_pool,))
        hanging.start()
        assert ask(some_pool, "1.", "2.")[1].detail == "2."  # long before the other's limit: a spare worker answers
        some_pool.close()
        hanging.join()


def test_text_of_any_kind_arrives_unchanged():
    texts = ["", "\ud800", "\x00", "line\nline", "😀" * 10, "\\boxed{1}", "x" * 2_000_000 + "."]
    with pool(timeout_s=20.0) as some_pool:
        details = [verdict.detail for verdict in ask(some_pool, *texts[:-1])]
        assert ask(some_pool, texts[-1])[0].reward == 1.0
    assert details == texts[:-1]


def test_a_task_stays_as_it_was():
    mutating = {"_target_": "hostile_verifiers.Mutating"}
    shared = Task("obedient", "t", [], {"answer": ["a"]})
    with pool(mutating, workers=1) as some_pool:
        details = {verdict.detail for verdict in some_pool.score([(shared, "x"), (shared, "x")])}
    assert details == {"{'answer': ['a', 'more']}"}
    assert shared.reference == {"answer": ["a"]}


@pytest.mark.parametrize(
    ("config", "named"),
    [
        ({"_target_": "hostile_verifiers.Unbuildable", "size": 3}, "size 3 is too small"),
        ({"_target_": "hostile_verifiers.Missing"}, "Missing"),
        ({"_target_": "rlpt.verifiers.math.MathVerifier", "forms": ["circled"]}, "circled"),
        ({"_target_": "rlpt.verifiers.math.MathVerifier", "colour": 1}, "colour"),
        ({"_target_": "builtins.dict"}, "no method verify"),
    ],
)
def test_a_verifier_that_cannot_be_built_is_an_error_at_once(config, named):
    with pool(config) as some_pool:
        with pytest.raises(UserError, match=named):
            some_pool.check()
        with pytest.raises(UserError, match="obedient"):
            ask(some_pool, "1.")


def test_scoring_says_so_as_well_without_a_check():
    with pool({"_target_": "hostile_verifiers.Unbuildable", "size": 3}) as some_pool, pytest.raises(UserError):
        ask(some_pool, "1.", "2.")


@pytest.mark.parametrize("options", [{"workers": 0}, {"timeout_s": 0.0}])
def test_options_without_sense_are_refused(options):
    with pytest.raises(UserError):
        pool(**options)


def test_what_cannot_travel_is_refused_where_it_is_given():
    with pytest.raises(UserError, match="plain values"):
        pool(obedient(marker=object()))
    with pool() as some_pool:
        with pytest.raises(UserError, match="obedient/t"):
            some_pool.score([(task(answer={1, 2}), "1.")])
        with pytest.raises(UserError, match="'geometry' has no verifier"):
            some_pool.score([(task("geometry"), "1.")])
        assert ask(some_pool, "1.")[0].reward == 1.0


def test_workers_load_nothing_heavy():
    with VerifierPool({"obedient": obedient(), "math": MATH}, workers=1) as some_pool:
        some_pool.score([(task("math", "\\sqrt{2}"), "\\boxed{2^{1/2}}")])
        assert ask(some_pool, "modules")[0].detail == ""


def test_closing_ends_the_workers_and_closes_their_verifiers(tmp_path):
    marker = tmp_path / "closed"
    some_pool = pool({"_target_": "hostile_verifiers.Holding", "marker": str(marker)}, workers=1)
    pid = int(ask(some_pool, "pid")[0].detail)
    assert not marker.exists()
    some_pool.close()
    some_pool.close()
    assert marker.exists()
    assert gone(pid)
    with pytest.raises(RuntimeError, match="closed"):
        ask(some_pool, "1.")


def test_closing_does_not_wait_for_what_hangs():
    some_pool = pool(workers=1, timeout_s=3600.0)
    some_pool.check()
    waiting = threading.Thread(target=hang, args=(some_pool,))
    waiting.start()
    some_pool.close()
    waiting.join()


def test_a_killed_worker_leaves_no_zombie():
    with pool(workers=1) as some_pool:
        pid = int(ask(some_pool, "pid")[0].detail)
        ask(some_pool, "hang")
        assert gone(pid)


def test_ctrl_c_is_left_to_the_parent():
    with pool(workers=1) as some_pool:
        pid = int(ask(some_pool, "pid")[0].detail)
        os.kill(pid, signal.SIGINT)
        assert ask(some_pool, "pid")[0].detail == str(pid)
        assert some_pool.restarts == 0


@pytest.mark.parametrize("deed", ["hang", "hang_in_c", "sleep", "1."])
def test_workers_end_when_their_parent_is_killed(deed, tmp_path):
    if deed == "hang_in_c" and not sys.platform.startswith("linux"):
        pytest.skip("needs a signal at the parent's death")
    program = f"""
        import sys, threading
        sys.path.insert(0, {str(HOSTILE)!r})
        from rlpt.records import Task
        from rlpt.verifiers.pool import VerifierPool

        pool = VerifierPool({{"obedient": {obedient()!r}}}, workers=1, timeout_s=3600.0)
        task = Task("obedient", "t", [], {{}})
        print(pool.score([(task, "pid")])[0].detail, flush=True)
        threading.Thread(target=pool.score, args=([(task, {deed!r})],), daemon=True).start()
        print("asked", flush=True)
        threading.Event().wait()
    """
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)], stdout=subprocess.PIPE, text=True, cwd=tmp_path
    ) as parent:
        pid = int(parent.stdout.readline())
        assert parent.stdout.readline() == "asked\n"
        parent.kill()
    assert gone(pid)
