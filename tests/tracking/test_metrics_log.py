"""metrics.jsonl has every step once, whatever was killed and resumed."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlpt.errors import UserError
from rlpt.tracking.metrics_log import MetricsLog, read_metrics


def test_calls_for_one_step_become_one_line(tmp_path: Path):
    log = MetricsLog(tmp_path / "metrics.jsonl")
    log.log(0, {"eval/a/reward": 0.1})
    log.log(1, {"rl/loss": 2.0, "train/a/reward": 0.25})
    log.log(1, {"eval/a/reward": 0.5, "rl/loss": 1.0})
    log.close()
    assert read_metrics(tmp_path / "metrics.jsonl") == [
        {"rl/step": 0, "eval/a/reward": 0.1},
        {"rl/step": 1, "rl/loss": 1.0, "train/a/reward": 0.25, "eval/a/reward": 0.5},
    ]


def test_a_merge_that_shortens_the_line_leaves_no_rest(tmp_path: Path):
    log = MetricsLog(tmp_path / "metrics.jsonl")
    log.log(1, {"x": 0.123456789012345})
    log.log(1, {"x": 1})
    log.log(2, {"x": 2})
    assert (tmp_path / "metrics.jsonl").read_text() == '{"rl/step": 1, "x": 1}\n{"rl/step": 2, "x": 2}\n'


def test_steps_never_go_back(tmp_path: Path):
    log = MetricsLog(tmp_path / "metrics.jsonl")
    log.log(3, {"x": 1.0})
    with pytest.raises(ValueError, match="step 2 after"):
        log.log(2, {"x": 1.0})


def test_a_resume_drops_what_came_after_the_checkpoint(tmp_path: Path):
    path = tmp_path / "metrics.jsonl"
    first = MetricsLog(path)
    for step in range(8):
        first.log(step, {"x": step})
    first.close()
    second = MetricsLog(path, keep_to_step=5)
    assert second.last_step == 5
    for step in range(6, 9):
        second.log(step, {"x": 10 * step})
    assert [(row["rl/step"], row["x"]) for row in read_metrics(path)] == [
        *((step, step) for step in range(6)),
        (6, 60),
        (7, 70),
        (8, 80),
    ]


@given(cut=st.integers(0, 200), junk=st.sampled_from([b"", b"\0\0\0\0", b'{"rl/', b"\xff\xfe", b"\0\0\n"]))
def test_a_file_cut_anywhere_is_read_and_continued(tmp_path_factory: pytest.TempPathFactory, cut: int, junk: bytes):
    path = tmp_path_factory.mktemp("cut") / "metrics.jsonl"
    whole = b"".join(json.dumps({"rl/step": step, "x": step / 7}).encode() + b"\n" for step in range(5))
    cut = min(cut, len(whole))
    path.write_bytes(whole[:cut] + junk)
    kept = [row["rl/step"] for row in read_metrics(path)]
    assert kept == list(range(len(kept)))
    assert len(kept) >= whole[:cut].count(b"\n") - (junk != b"" and cut > 0)
    log = MetricsLog(path)
    log.log(9, {"x": 1.0})
    log.close()
    assert [row["rl/step"] for row in read_metrics(path)] == [*kept, 9]


def test_a_step_that_was_logged_survives_a_kill(tmp_path: Path):
    path = tmp_path / "metrics.jsonl"
    program = (
        "import sys, itertools; from pathlib import Path; from rlpt.tracking.metrics_log import MetricsLog\n"
        "log = MetricsLog(Path(sys.argv[1]))\n"
        "for step in itertools.count():\n"
        "    log.log(step, {'x': 1 / 3, 'y' * 200: step}); log.log(step, {'z': step})\n"
        "    print(step, flush=True)\n"
    )
    child = subprocess.Popen([sys.executable, "-c", program, str(path)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    seen = [int(child.stdout.readline()) for _ in range(20)]
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    child.stdout.close()
    rows = read_metrics(path)
    assert [row["rl/step"] for row in rows] == list(range(len(rows)))
    assert len(rows) > seen[-1]
    assert all(row["z"] == row["rl/step"] for row in rows[: seen[-1] + 1])


def test_numbers_that_are_not_finite_keep_the_file_readable(tmp_path: Path):
    log = MetricsLog(tmp_path / "metrics.jsonl")
    log.log(1, {"a": math.nan, "b": -math.inf, "c": True, "d": 2})
    text = (tmp_path / "metrics.jsonl").read_text()
    assert json.loads(text, parse_constant=pytest.fail) == {"rl/step": 1, "a": None, "b": None, "c": 1, "d": 2}


def test_a_damaged_line_in_the_middle_is_named(tmp_path: Path):
    path = tmp_path / "metrics.jsonl"
    path.write_text('{"rl/step": 0}\nnonsense\n{"rl/step": 2}\n')
    with pytest.raises(UserError, match="nonsense"):
        read_metrics(path)


def test_reading_a_run_without_steps_says_so(tmp_path: Path):
    with pytest.raises(UserError, match="not finished a step"):
        read_metrics(tmp_path / "metrics.jsonl")


def test_a_write_that_fails_keeps_what_was_there(tmp_path: Path):
    path = tmp_path / "metrics.jsonl"
    program = (
        "import resource, signal, sys; from pathlib import Path\n"
        "from rlpt.errors import UserError; from rlpt.tracking.metrics_log import MetricsLog\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "log = MetricsLog(Path(sys.argv[1]))\n"
        "try:\n"
        "    for step in range(100):\n"
        "        log.log(step, {'x': step}); log.log(step, {'y' * 100: step})\n"
        "except UserError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True)
    assert "cannot be written" in done.stdout
    rows = read_metrics(path)
    assert len(rows) >= 5
    assert [row["rl/step"] for row in rows] == list(range(len(rows)))
    assert all(row["x"] == row["rl/step"] for row in rows)
    assert path.read_bytes().endswith(b"}\n")
