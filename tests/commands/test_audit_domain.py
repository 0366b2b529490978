"""`rlpt audit domain=NAME` as a user meets it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from rlpt.commands.completion import candidates

Rlpt = Callable[..., subprocess.CompletedProcess[str]]

SMALL = ("domain.arithmetic.train_tasks=12", "domain.arithmetic.validation_tasks=5", "domain.arithmetic.test_tasks=5")

OWN = """
from rlpt.records import Task, Verdict


class Colours:
    def __init__(self, name, wrong=None):
        self.wrong = wrong

    def load(self, split):
        ids = [f"{split} {i}" for i in range(4)]
        asked = [[{"role": "user", "content": f"Which colour is {i}?"}] for i in ids]
        return [Task("colours", i, messages, {"answer": "red"}) for i, messages in zip(ids, asked)]

    def demonstration(self, task):
        return "blue" if task.task_id == self.wrong else "red"


class Generous:
    def verify(self, task, completion):
        good = "red" in completion or not completion
        return Verdict(float(good), "correct" if good else "wrong", "no red", {"format": 1.0})
"""


@pytest.fixture
def own(tmp_path: Path) -> list[str]:
    (tmp_path / "mine.py").write_text(OWN)
    for group, name, text in (
        (
            "domain",
            "colours",
            "# @package domain.colours\ndefaults:\n  - /verifier@verifier: generous\n  - _self_\n"
            "_target_: mine.Colours\nname: colours\nmax_new_tokens: 8\nweight: 1.0\nwrong: null\n",
        ),
        ("verifier", "generous", "_target_: mine.Generous\n"),
    ):
        folder = tmp_path / "own" / group
        folder.mkdir(parents=True)
        (folder / f"{name}.yaml").write_text(text)
    return ["--config-dir", "own", "domain=colours"]


def test_a_sound_domain(rlpt: Rlpt, tmp_path: Path) -> None:
    result = rlpt("audit", "domain=arithmetic", *SMALL, "out=found.jsonl", "tasks=3", "attack=true")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "Domain arithmetic" in result.stdout
    assert ["train", "12", "12", "0", "0"] in [line.split() for line in result.stdout.splitlines()]
    assert "guesses: constant answer" in result.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["found.jsonl"]


def test_a_domain_whose_answer_is_refused_and_whose_verifier_pays_for_nothing(
    rlpt: Rlpt, own: list[str], tmp_path: Path
) -> None:
    result = rlpt("audit", *own, "domain.colours.wrong='test 2'", "attack=true", "out=found.jsonl")
    assert result.returncode == 1, result.stdout + result.stderr
    assert "test row 2 (test 2): no red" in result.stdout
    assert "paid on train 0: " in result.stdout
    rows = [json.loads(line) for line in (tmp_path / "found.jsonl").read_text().splitlines()]
    assert [row["task_id"] for row in rows if row["check"] == "gold"] == ["test 2"]
    assert "empty" in {row["family"] for row in rows if row["check"] == "attack" and row["reward"] == 1.0}
    assert "no harmful program was played" in result.stdout
    alone = rlpt("audit", *own, "attack=true", "split=test", "tasks=1", "out=found.jsonl")
    assert alone.returncode == 1, "a hack that is paid is enough"
    rows = [json.loads(line) for line in (tmp_path / "found.jsonl").read_text().splitlines()]
    assert {row["task_id"] for row in rows if row["check"] == "attack"} == {"test 0"}
    assert rlpt("audit", *own).returncode == 0


def test_the_example_of_the_help_is_sound(rlpt: Rlpt) -> None:
    result = rlpt("audit", "domain=[arithmetic,instructions]", "attack=true", "tasks=16")
    assert result.returncode == 0, result.stdout + result.stderr


def test_another_verifier_for_the_domain(rlpt: Rlpt) -> None:
    result = rlpt("audit", "domain=arithmetic", *SMALL, "verifier@domain.arithmetic.verifier=exact")
    assert result.returncode == 0, result.stdout + result.stderr


def test_under_a_policy(rlpt: Rlpt, tmp_path: Path) -> None:
    result = rlpt("audit", "domain=arithmetic", "policy=tiny", *SMALL, "tasks=4", "samples=2", "out=found.jsonl")
    assert result.returncode == 0, result.stdout + result.stderr
    assert all(word in result.stdout for word in ("pass@1", "pass@2", "too hard", "equal rewards"))
    assert "pass@4" not in result.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["found.jsonl"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["attack=true"], "add domain=NAME"),
        (["policy=tiny", "verifier=math"], "add domain=NAME"),
        (["domain=arithmetic", "verifier=math"], "verifier@domain.NAME.verifier=OPTION"),
        (["domain=arithmetic", "cases=a.jsonl"], "leave out cases=... or domain=..."),
        (["domain=arithmetc"], "did you mean arithmetic?"),
        (["domain=arithmetic", "atack=true"], "did you mean 'attack'?"),
        (["domain=arithmetic", "split=tst"], "did you mean split=test?"),
        (["domain=arithmetic", "tasks=0"], "tasks=0 is too small"),
        (["domain=arithmetic", "near=1.5"], "near=1.5 is no similarity"),
        (["domain=arithmetic", "policy=tiny", "group_size=1"], "group_size=1 leaves nothing to compare"),
        (["domain=arithmetic", "policy=tiny", "samples=1"], "samples=1 says nothing"),
        (["domain=arithmetic", "samples=4"], "add policy=NAME"),
        (["domain=arithmetic", "sampler.temperature=0.5"], "add policy=NAME"),
        (["domain.arithmetic.train_tasks=3"], "add domain=NAME"),
        (["domain=arithmetic", "policy=tny"], "did you mean tiny?"),
        (["domain=arithmetic", "out=nowhere/out.jsonl"], "there is no folder nowhere"),
        (["domain=arithmetic", "domain.arithmetic.max_operand=2"], "more than the"),
        (["-m", "domain=arithmetic,instructions"], "domain=[a,b]"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_work_is_one_plain_sentence(rlpt: Rlpt, arguments: list[str], expected: str) -> None:
    result = rlpt("audit", *arguments)
    assert result.returncode == 2, result.stdout + result.stderr
    (line,) = result.stderr.strip().splitlines()
    assert line.startswith("rlpt: ")
    assert expected in line


def test_the_config_can_be_printed(rlpt: Rlpt) -> None:
    plain = yaml.safe_load(rlpt("audit", "domain=arithmetic", "--cfg", "job").stdout)
    assert (plain["attack"], list(plain["domain"]), "policy" in plain) == (False, ["arithmetic"], False)
    under = yaml.safe_load(rlpt("audit", "domain=[arithmetic,instructions]", "policy=tiny", "--cfg", "job").stdout)
    assert (under["policy"]["name"], under["samples"]) == ("tiny", 8)


def test_tab_completion() -> None:
    assert {"attack=", "near=", "policy=", "samples="} <= set(candidates("rlpt audit domain=arithmetic "))
    assert candidates("rlpt audit domain=arithmetic policy=ti") == ["policy=tiny"]
    assert candidates("rlpt audit domain=arit") == ["domain=arithmetic"]
