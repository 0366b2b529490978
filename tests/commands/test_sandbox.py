"""`rlpt sandbox run` and `rlpt sandbox bench`, as a user calls them, in real sandboxes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from rlpt.cli import main
from rlpt.commands.sandbox import bench, report
from rlpt.errors import UserError
from rlpt.sandbox.measuring import measure, speed
from rlpt.sandbox.process import process_sandbox, why_not
from rlpt.sandbox.protocol import Execution


@pytest.fixture(autouse=True, scope="module")
def _namespaces(need: Callable[[str | None], None]) -> None:
    need(why_not())


@pytest.fixture(autouse=True)
def _folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def rlpt(*words: str, stdin: bytes) -> dict[str, object]:
    """What `rlpt sandbox run WORDS sandbox=process` prints, with something piped into it."""
    command = [sys.executable, "-m", "rlpt", "sandbox", "run", *words, "sandbox=process"]
    done = subprocess.run(command, input=stdin, capture_output=True, check=True, timeout=120)
    printed: dict[str, object] = json.loads(done.stdout)
    return printed


def test_a_program_from_a_file_reads_what_is_piped_in(tmp_path: Path) -> None:
    (tmp_path / "double.py").write_text("import sys\nfor line in sys.stdin:\n    print(2 * int(line))")
    ended = rlpt("double.py", stdin=b"1\n21\n")
    assert (ended["sandbox"], ended["status"], ended["stdout"]) == ("process", "ok", "2\n42\n")


def test_a_program_that_is_piped_in_reads_nothing() -> None:
    ended = rlpt("-", stdin=b"import sys\nprint(repr(sys.stdin.read()))")
    assert (ended["status"], ended["stdout"]) == ("ok", "''\n")


def test_more_input_than_fits_is_said_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "program.py").write_text("pass")
    (tmp_path / "input").write_bytes(b"x" * 2**20 + b"x")
    with (tmp_path / "input").open() as piped:
        monkeypatch.setattr("sys.stdin", piped)
        code = main(["sandbox", "run", "program.py", "sandbox=process", "sandbox.limits.disk_mb=1"])
    assert code == 2
    assert "disk_mb=1" in capsys.readouterr().err


def test_bench_says_how_fast_the_sandbox_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["sandbox", "bench", "sandbox=process", "sandbox.concurrency=3", "out=speed.json"]
    assert main(words) == 0
    figures = json.loads((tmp_path / "speed.json").read_text())
    assert (figures["sandbox"], figures["places"]) == ("process", 3)
    assert figures["first_program_s"] > 0
    ended = {name: set(one["statuses"]) for name, one in figures["programs"].items()}
    assert ended == {"does nothing": {"ok"}, "imports": {"ok"}, "crashes": {"crash"}}
    for one in figures["programs"].values():
        assert one["programs"] == sum(one["statuses"].values()) >= 3
        assert 0 < one["reset_median_s"] < one["median_s"]
    printed = capsys.readouterr().out
    assert "sandbox: process (sandbox=process was asked for)" in printed
    assert "places: 3" in printed
    assert all(name in printed for name in figures["programs"])


def test_bench_without_a_sandbox_named_says_which_it_took(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sandbox", "bench", "sandbox.concurrency=1"]) == 0
    assert capsys.readouterr().out.startswith(("sandbox: process (", "sandbox: docker ("))


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["program.py"], "program.py"),
        (["out=no/such/folder.json"], "no/such/folder.json"),
        (["sandbox=proces"], "process"),
        (["sandbox.cpus=2", "sandbox=process"], "cpus"),
    ],
)
def test_bench_refuses_what_it_cannot_do(words: list[str], named: str) -> None:
    with pytest.raises(UserError, match=named):
        bench(words)


def test_a_part_that_does_not_exist(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sandbox", "rum", "program.py"]) == 2
    assert "rlpt sandbox bench" in capsys.readouterr().err


def test_all_places_are_used_at_once() -> None:
    sandbox = process_sandbox(concurrency=2)
    try:
        asleep = measure(sandbox, "import time; time.sleep(0.5)", for_s=0.0)
    finally:
        sandbox.close()
    assert asleep.programs == 2
    assert asleep.median_s >= 0.5
    assert asleep.per_s > 1 / asleep.median_s


def test_a_speed_counts_how_programs_ended() -> None:
    timed = [
        (0.1, Execution("ok", reset_s=0.01)),
        (0.3, Execution("infra_error")),
        (0.2, Execution("ok", reset_s=0.03)),
    ]
    found = speed(timed, seconds=0.5)
    assert (found.programs, found.per_s, found.median_s, found.reset_median_s) == (3, 6.0, 0.2, 0.01)
    assert found.statuses == {"ok": 2, "infra_error": 1}


def test_the_report_shows_milliseconds() -> None:
    one = {"per_s": 250.4, "median_s": 0.0079, "reset_median_s": 0.00041, "statuses": {"ok": 400, "timeout": 2}}
    figures = {"sandbox": "docker", "chosen_because": "why", "places": 2, "first_program_s": 1.5}
    last = report({**figures, "programs": {"sleeps": one}}).splitlines()[-1]
    assert last.split() == ["sleeps", "250", "7.9", "0.41", "ok", "400,", "timeout", "2"]
