"""What a sweep ends with."""

from __future__ import annotations

from rlpt.commands.sweep_table import SweepRun, sweep_table


def test_a_line_for_each_run_with_what_was_swept_and_what_came_of_it() -> None:
    trained = {"domains": {"math": {"before": 0.25, "after": 0.5, "delta": 0.25}, "code": {"before": None}}}
    evaluated = {"domains": {"math": {"reward": 0.125}}}
    runs = [
        SweepRun("0", ["policy=tiny", "seed=0"], trained),
        SweepRun("1", ["policy=tiny", "seed=1"], evaluated),
        SweepRun("2", ["policy=tiny", "seed=2"], {}),
    ]
    table = sweep_table(runs)
    assert table.header == ("run", "directory", "math", "code")
    assert table.rows == [
        ("seed=0", "0", "0.50 (+0.25)", "-"),
        ("seed=1", "1", "0.12", "-"),
        ("seed=2", "2", "-", "-"),
    ]


def test_the_overrides_of_a_single_run_stay() -> None:
    assert sweep_table([SweepRun("0", ["seed=3"], {})]).rows == [("seed=3", "0")]
