"""`rlpt show` and the tables: readable everywhere, and safe to print."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import IO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlpt.errors import UserError
from rlpt.evaluation.plot import plot_rewards, reward_series
from rlpt.evaluation.sample import Sample
from rlpt.evaluation.show import show
from rlpt.evaluation.statistics import compare_samples, summarise
from rlpt.evaluation.store import record_suite
from rlpt.evaluation.suite import domain_suite
from rlpt.evaluation.table import comparison_table, plain_text, print_table, summary_table
from rlpt.evaluation.text import emit, visible
from rlpt.records import Task
from rlpt.run_dir import RunDir
from rlpt.tracking.local import LocalRecord
from rlpt.tracking.metrics_log import MetricsLog


def shown(run: Path, **options: object) -> str:
    stream = io.StringIO()
    show(run, stream=stream, **options)  # type: ignore[arg-type]
    return stream.getvalue()


def test_table_prompt_answer_verdict_and_advantage_are_shown(run: Path):
    text = shown(run, n=1)
    assert "arithmetic    0.25   0.75   +0.50" in text
    assert "arithmetic / t0 / answer 0 (rollouts of step 2)" in text
    assert "  user: 0 + 1 = ?" in text
    assert "  right" in text
    assert "verdict: correct, reward 1, advantage +0.500, 1 tokens" in text
    assert text.count("verdict:") == 2


def test_a_text_cannot_control_the_terminal(run: Path):
    text = shown(run, n=9)
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "\u202e" not in text
    assert "\\x1b]0;owned\\x07\\x1b[31mred \\u202e [bold]b[/bold] \\ud83d\\r\n  second line" in text
    assert "  (empty)" in text
    assert "not scored, advantage +0.000" in text
    assert "cut at the length limit" in text


@given(st.text())
def test_what_is_printed_can_be_read_and_encoded(text: str):
    out = visible(text)
    assert all(char.isprintable() or char in "\n\t\u200c\u200d" or char.isspace() for char in out)
    out.encode("utf-8")


def test_a_stream_without_unicode_gets_escapes():
    raw = io.BytesIO()
    with io.TextIOWrapper(raw, encoding="ascii", errors="strict", write_through=True) as stream:
        emit("é \u4f60", stream)
        assert raw.getvalue() == b"\\xe9 \\u4f60\n"


def test_step_domain_number_and_order_are_chosen(run: Path):
    text = shown(run, step=1, domain="code", n=2, sort="-advantage")
    assert "rollouts of step 1" in text
    assert "arithmetic / " not in text
    assert text.count("verdict:") == 2
    assert text.count("advantage -0.500") == 2
    assert shown(run, n=0).count("verdict:") == 0
    assert shown(run, step=0, n=3).count("(evaluation of step 0)") == 6
    assert shown(run, domain="code", n=9, sort="reward").index("not scored") > shown(
        run, domain="code", n=9, sort="reward"
    ).rindex("reward 0")


def test_what_cannot_be_shown_is_said_with_what_can(run: Path, tmp_path: Path):
    for options, message in (
        ({"step": 7}, "nothing of step 7; it has steps 0-2"),
        ({"domain": "maths"}, "no domain maths; it has: arithmetic, code"),
        ({"step": 0, "of": "rollouts"}, "no rollouts of step 0; it has steps 1-2"),
        ({"of": "answers"}, "of=rollouts or of=evaluation"),
        ({"sort": "size"}, "take one of: order, reward"),
        ({"n": -1}, "less than 0"),
    ):
        with pytest.raises(UserError, match=message):
            shown(run, **options)
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match="not a run directory"):
        shown(tmp_path / "empty")


def test_a_run_that_was_cut_short_is_shown_as_far_as_it_came(run: Path):
    directory = RunDir(run)
    directory.summary.unlink()
    assert "+0.50" in shown(run)
    directory.evaluation(2).unlink()
    assert "reward" in shown(run)
    for step in directory.rollout_steps():
        directory.rollouts(step).unlink()
    assert "(evaluation of step 0)" in shown(run)
    directory.evaluation(0).unlink()
    with pytest.raises(UserError, match="no rollouts and no evaluation yet"):
        shown(run)


def test_the_table_fits_100_columns_whatever_the_names(sample: Callable[..., Sample]):
    before, after = [], []
    for domain in ("arithmetic", "a_domain_with_a_name_that_no_table_has_room_for"):
        before += [sample(f"t{i}", float(i % 3 == 0), float(i % 2), domain=domain) for i in range(128)]
        after += [sample(f"t{i}", float(i % 3 != 0), 1.0, domain=domain, finish_reason="length") for i in range(128)]
    before.append(sample("x", None))
    text = plain_text(comparison_table(compare_samples(before, after)))
    lines = text.splitlines()
    assert max(map(len, lines[:5])) <= 100
    assert lines[0].split() == ["95", "%", "format", "of", "which"]
    assert lines[1].split()[:4] == ["domain", "before", "after", "change"]
    assert lines[3].split()[0] == "arithmetic"
    assert "improved" in lines[3]
    assert "a_domain" in lines[4]
    assert "\u2026" in lines[4]
    assert "not scored and left out: 1 before, 0 after" in text
    assert "cut at the length limit: 0% before, 100% after" in text
    columns = [line.rindex("improved") for line in lines[3:5]]
    assert columns[0] == columns[1]


def test_hacks_have_a_column_where_there_are_any(sample: Callable[..., Sample]):
    name = "a_domain_with_a_name_that_no_table_has_room_for"
    before = [sample(f"t{i}", float(i % 3 == 0), domain=name) for i in range(1000)]
    after = [sample(f"t{i}", 0.0, domain=name, status="suspicious" if i % 4 == 0 else "wrong") for i in range(1000)]
    hacked, honest = comparison_table(compare_samples(before, after)), comparison_table(compare_samples(before, before))
    lines = plain_text(hacked).splitlines()
    assert lines[1].split()[-2:] == ["hacks", "verdict"]
    assert lines[3].split()[-2:] == ["0.25", "regressed"]
    assert max(map(len, lines[:4])) <= 100
    assert f"{name}: with signs of cheating: 0.0% before, 25.0% after." in lines
    assert "hacks" not in plain_text(honest)
    alone = plain_text(summary_table(summarise([*after, sample("x")]))).splitlines()
    assert alone[1].split()[-1] == "hacks"
    assert [line.split()[-1] for line in alone[3:5]] == ["0.25", "0.00"]
    assert "hacks" not in plain_text(summary_table(summarise(before)))


def test_hacks_can_be_shown_first(tmp_path: Path, sample: Callable[..., Sample], make_task: Callable[..., Task]):
    directory = RunDir(tmp_path / "run")
    record = LocalRecord(directory)
    directory.config.write_text("name: test\n")
    record_suite(directory, {"arithmetic": domain_suite("test", [make_task(0), make_task(1)])})
    verdicts = [sample("t0", 0.0), sample("t1", 0.0, status="suspicious", detail="ends the process in line 2; why")]
    record.evaluation(0, [item.to_json() for item in verdicts])
    record.close()
    text = shown(directory.root, n=1, sort="hacks")
    assert "verdict: suspicious, reward 0" in text
    assert "ends the process in line 2" in text
    assert "No answer with signs" not in text


def test_where_there_are_no_hacks_that_is_said_first_with_the_steps_that_have_some(run: Path):
    text = shown(run, n=1, sort="hacks")
    said = "No answer with signs of cheating in the rollouts of step 2. The run's metrics know of none elsewhere."
    assert text.index(said) < text.index("verdict:")
    metrics = MetricsLog(RunDir(run).metrics)
    metrics.log(3, {"train/code/hack_rate": 0.25, "train/arithmetic/hack_rate": 0.0, "eval/code/hack_rate": 0.5})
    metrics.log(4, {"train/code/hack_rate": 0.25, "eval/code/hack_rate": 0.0})
    metrics.close()
    both = "There are some in: rollouts of step 3-4 (step=4); evaluation of step 3 (of=evaluation step=3)."
    assert both in shown(run, n=1, sort="hacks")
    assert both in shown(run, n=1, sort="hacks", domain="code")
    assert "in the rollouts of step 2, arithmetic. The run's metrics know of none" in shown(
        run, n=1, sort="hacks", domain="arithmetic"
    )
    assert "signs of cheating" not in shown(run, n=1)
    RunDir(run).metrics.unlink()
    assert said in shown(run, n=1, sort="hacks")


def test_the_last_evaluation_can_be_shown(run: Path):
    assert shown(run, n=1, of="evaluation").count("(evaluation of step 2)") == 2
    assert shown(run, n=1, of="evaluation", step=0).count("(evaluation of step 0)") == 2
    assert shown(run, n=1, of="rollouts", step=1).count("(rollouts of step 1)") == 2


def test_a_terminal_gets_the_same_numbers(
    sample: Callable[..., Sample], on_terminal: Callable[[Callable[[IO[str]], None]], str]
):
    table = comparison_table(compare_samples([sample("a", 0.0, domain="[red]x")], [sample("a", 1.0, domain="[red]x")]))
    seen = on_terminal(lambda terminal: print_table(table, terminal))
    assert "[red]x" in seen
    assert "+1.00" in seen


def test_a_domain_without_data_has_dashes(sample: Callable[..., Sample]):
    text = plain_text(comparison_table(compare_samples([sample("a", None)], [sample("a", None)])))
    assert text.splitlines()[3].split() == ["arithmetic", "-", "-", "-", "-", "0", "-", "-", "no", "data"]
    assert "1 of 1 samples were not scored" in plain_text(summary_table(summarise([sample("a", None)])))


def test_the_plot_shows_training_and_evaluations(run: Path, tmp_path: Path):
    pytest.importorskip("matplotlib")
    file = plot_rewards(run, tmp_path / "plots" / "reward.svg")
    first = file.read_bytes()
    assert ElementTree.fromstring(first).tag.endswith("svg")
    assert b"arithmetic" in first
    assert plot_rewards(run, file).read_bytes() == first


def test_rewards_are_found_by_domain_also_with_a_slash_in_its_name():
    rows = [
        {"rl/step": 1, "train/a/b/reward": 0.5, "train/a/b/length": 3, "eval/c/reward": None},
        {"rl/step": 2, "train/a/b/reward": 0.75, "train/reward": 1.0},
    ]
    assert reward_series(rows, "train") == {"a/b": ([1, 2], [0.5, 0.75])}
    assert reward_series(rows, "eval") == {}
