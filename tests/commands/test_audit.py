"""`rlpt audit` as a user meets it: a process of its own on real files, with the real pool and verifiers."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from rlpt.commands.completion import candidates

Rlpt = Callable[..., subprocess.CompletedProcess[str]]

HEAVY = ("torch", "vllm", "transformers", "lightning", "wandb", "docker", "submitit")

ANSWERS = Path(__file__).parent.parent / "verifiers" / "data" / "math_answers.jsonl"

OWN = """
from rlpt.records import Verdict

class Short:
    '''Words are counted. "?" is right the first time only, "!" cannot be judged.'''

    def __init__(self, words=3):
        self.words = words
        self.asked = 0

    def verify(self, task, completion):
        if completion == "!":
            raise ValueError("cannot say")
        self.asked += completion == "?"
        good = self.asked == 1 if completion == "?" else len(completion.split()) <= self.words
        return Verdict(float(good), "correct" if good else "wrong", f"{self.words} words at most", {"format": 1.0})
"""

PROGRAM = "```python\ndef add(a, b):\n    return a {} b\n```"
TESTS = {"entry_point": "add", "calls": [{"args": [1, 2], "expected": 3}]}


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(OWN)
    return tmp_path


def case(identity: object, completion: str, correct: bool, **reference: Any) -> dict[str, Any]:
    return {"id": identity, "completion": completion, "correct": correct, **(reference or {"gold": "5"})}


def write(file: Path, *cases: object) -> str:
    file.write_text("".join(f"{json.dumps(one)}\n" for one in cases))
    return f"cases={file.name}"


def one_sentence(result: subprocess.CompletedProcess[str]) -> str:
    assert result.returncode == 2, result.stderr
    assert result.stdout == ""
    lines = result.stderr.strip().splitlines()
    assert len(lines) == 1, result.stderr
    assert lines[0].startswith("rlpt: ")
    return lines[0]


def counts(result: subprocess.CompletedProcess[str]) -> list[int]:
    """Accepted, rejected and not scored of the right ones, then of the wrong ones."""
    rows = [line.split() for line in result.stdout.splitlines() if line.startswith(("right ", "wrong "))]
    return [int(cell) for row in rows for cell in row[1:]]


def test_a_verifier_that_is_right_about_every_case(rlpt: Rlpt, tmp_path: Path) -> None:
    result = rlpt("audit", "verifier=math", f"cases={ANSWERS}", "out=verdicts.jsonl")
    assert result.returncode == 0, result.stdout + result.stderr
    labels = [json.loads(line) for line in ANSWERS.read_text().splitlines()]
    right = sum(label["correct"] for label in labels)
    assert counts(result) == [right, 0, 0, 0, len(labels) - right, 0]
    assert f"all {len(labels)} verdicts were the same" in result.stdout
    assert all(word in result.stdout for word in ("median", "99th percentile", "worst"))
    rows = [json.loads(line) for line in (tmp_path / "verdicts.jsonl").read_text().splitlines()]
    assert [(row["id"], row["expected"], row["correct"]) for row in rows] == [
        (label["id"], label["correct"], label["correct"]) for label in labels
    ]
    assert {tuple(row) for row in rows} == {("id", "expected", "correct", "reward", "status", "detail", "seconds")}
    assert all(0.0 < row["seconds"] < 60.0 for row in rows)
    assert all(row["detail"] for row in rows)
    assert f"Statuses of those labelled right: correct {right}.\n" in result.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["verdicts.jsonl"]


def test_disagreements_are_shown_and_end_in_1(rlpt: Rlpt, tmp_path: Path) -> None:
    cases = write(
        tmp_path / "cases.jsonl",
        case("agrees", "\\boxed{5}", True),
        case("accepted", "it is\n\\boxed{5}\x1b[31m", False),
        case("rejected", "\\boxed{6}", True),
    )
    result = rlpt("audit", "verifier=exact", cases)
    assert result.returncode == 1
    assert result.stderr == ""
    assert counts(result) == [1, 1, 0, 1, 0, 0]
    assert "id accepted: labelled wrong, verdict correct, reward 1\n" in result.stdout
    assert "    | it is\n    | \\boxed{5}\\x1b[31m\n" in result.stdout
    assert "id rejected: labelled right, verdict wrong, reward 0\n      answered '6', expected '5'" in result.stdout
    assert "id agrees:" not in result.stdout


def test_keys_of_the_verifier_count(rlpt: Rlpt, tmp_path: Path) -> None:
    cases = write(tmp_path / "cases.jsonl", case(1, "#### 5", True))
    assert rlpt("audit", "verifier=exact", cases).returncode == 1
    assert rlpt("audit", "verifier=exact", "verifier.source=hash", cases).returncode == 0


def test_a_class_of_ones_own(rlpt: Rlpt, mine: Path) -> None:
    cases = write(mine / "cases.jsonl", case("a", "one two", True), case("b", "one two three", False))
    result = rlpt("audit", "verifier._target_=mine.Short", "+verifier.words=2", cases)
    assert result.returncode == 0, result.stdout + result.stderr
    wrong = rlpt("audit", "verifier._target_=mine.Short", cases)
    assert (wrong.returncode, counts(wrong)) == (1, [1, 0, 0, 1, 0, 0])
    assert "did you mean mine.Short?" in one_sentence(rlpt("audit", "verifier._target_=mine.Shrt", cases))


def test_an_option_of_ones_own(rlpt: Rlpt, mine: Path) -> None:
    (mine / "own" / "verifier").mkdir(parents=True)
    (mine / "own" / "verifier" / "short.yaml").write_text("_target_: mine.Short\nwords: 2\n")
    (mine / "own" / "verifier" / "empty.yaml").write_text("words: 2\n")
    cases = write(mine / "cases.jsonl", case("a", "one two", True), case("b", "one two three", False))
    result = rlpt("audit", "--config-dir", "own", "verifier=short", cases)
    assert result.returncode == 0, result.stdout + result.stderr
    assert rlpt("audit", f"hydra.searchpath=[file://{mine}/own]", "verifier=short", cases).returncode == 0
    assert "verifier.words" in one_sentence(
        rlpt("audit", "--config-dir", "own", "verifier=short", "verifier.word=1", cases)
    )
    assert "verifier=empty has no _target_" in one_sentence(
        rlpt("audit", "--config-dir", "own", "verifier=empty", cases)
    )


def test_a_verifier_that_wavers_and_one_that_cannot_say(rlpt: Rlpt, mine: Path) -> None:
    steady = [case(n, "one", True) for n in range(10)]
    wavering = write(mine / "wavering.jsonl", *steady, case("w", "?", True))
    result = rlpt("audit", "verifier._target_=mine.Short", wavering, "verification.workers=1", "seed=4")
    assert result.returncode == 1
    assert "Not repeatable: judged again in another order (seed 4), 1 of 11" in result.stdout
    assert "id w: correct, reward 1, then wrong, reward 0" in result.stdout
    unsure = write(mine / "unsure.jsonl", case("u", "!", False), case("v", "a b c d", False))
    result = rlpt("audit", "verifier._target_=mine.Short", unsure, "out=out.jsonl")
    assert (result.returncode, counts(result)) == (1, [0, 0, 0, 0, 1, 1])
    assert "ValueError: cannot say" in result.stdout
    first = json.loads((mine / "out.jsonl").read_text().splitlines()[0])
    assert (first["correct"], first["reward"], first["status"]) == (None, None, "infra_error")


def test_programs_run_in_the_chosen_sandbox(rlpt: Rlpt, tmp_path: Path, need: Callable[[str | None], None]) -> None:
    from rlpt.sandbox.process import why_not

    need(why_not())
    cases = write(
        tmp_path / "cases.jsonl",
        case("sum", PROGRAM.format("+"), True, reference=TESTS),
        case("difference", PROGRAM.format("-"), False, reference=TESTS),
    )
    result = rlpt("audit", "verifier=unit_tests", "sandbox=process", cases)
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.startswith("sandbox: process (")
    assert counts(result) == [1, 0, 0, 0, 1, 0]
    too_long = rlpt("audit", "verifier=unit_tests", "sandbox=process", "sandbox.limits.wall_s=60", cases)
    assert "verification.timeout_s" in one_sentence(too_long)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], "choose one with verifier=NAME: "),
        (["cases=cases.jsonl"], "unit_tests"),
        (["verifier=mth", "cases=cases.jsonl"], "did you mean math?"),
        (["verifier=", "cases=cases.jsonl"], "it takes "),
        (["verifier=math"], "add cases=FILE"),
        (["verifier=math", "cases=nowhere.jsonl"], "nowhere.jsonl cannot be read"),
        (["verifier=math", "case=cases.jsonl"], "did you mean 'cases'?"),
        (["verifier=math", "cases=bad_label.jsonl"], "bad_label.jsonl, line 2: 'correct' must be true or false"),
        (["verifier=math", "cases=bad_gold.jsonl"], "bad_gold.jsonl, line 2: The expected answer"),
        (["verifier=unit_tests", "cases=cases.jsonl", "sandbox=process"], "cases.jsonl, line 1: unit_tests: "),
        (["verifier=exact", "verifier.source=boxd", "cases=cases.jsonl"], "did you mean verifier.source=boxed?"),
        (["verifier=exact", "verifier.cas=true", "cases=cases.jsonl"], "verifier.case"),
        (["verifier=math", "cases=cases.jsonl", "verification.workers=0"], "verification.workers=0"),
        (["verifier=math", "cases=cases.jsonl", "out=nowhere/out.jsonl"], "there is no folder nowhere"),
        (["verifier=math", "cases=cases.jsonl", "out=."], "out=. is a folder"),
        (["verifier=math", "cases=cases.jsonl", "out=./cases.jsonl"], "which would be lost"),
        (["-m", "verifier=math,exact", "cases=cases.jsonl"], "rlpt audit is no sweep"),
        (["verifier=math", "cases=cases.jsonl", "--resolve"], "--cfg job"),
        (["verifier=math", "cases=cases.jsonl", "--cfgg"], "--help"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_work_is_one_plain_sentence_and_exit_code_2(
    rlpt: Rlpt, tmp_path: Path, arguments: list[str], expected: str, need: Callable[[str | None], None]
) -> None:
    if "sandbox=process" in arguments:
        from rlpt.sandbox.process import why_not

        need(why_not())
    good = case(1, "\\boxed{5}", True)
    write(tmp_path / "cases.jsonl", good)
    write(tmp_path / "bad_label.jsonl", good, {**good, "id": 2, "correct": "yes"})
    write(tmp_path / "bad_gold.jsonl", good, {**good, "id": 2, "gold": "\\frac{1}{"})
    before = sorted((file, file.read_bytes()) for file in tmp_path.iterdir())
    result = rlpt("audit", *arguments)
    if "sandbox=process" in arguments:  # which is said before the references are looked at
        result.stdout = result.stdout.partition("\n")[2]
    assert expected in one_sentence(result)
    assert sorted((file, file.read_bytes()) for file in tmp_path.iterdir()) == before


def test_a_traceback_is_shown_to_those_who_ask_for_it(rlpt: Rlpt) -> None:
    result = rlpt("audit", "verifier=math", "cases=nowhere.jsonl", "traceback=true")
    assert result.returncode == 2
    assert "Traceback" in result.stderr
    assert result.stderr.strip().splitlines()[-1].startswith("rlpt: nowhere.jsonl cannot be read")


@pytest.mark.parametrize("name", ["a b.jsonl", "step=5,(1).jsonl", "it's.jsonl", "5", "{x}.jsonl"])
def test_a_file_may_have_any_name(rlpt: Rlpt, tmp_path: Path, name: str) -> None:
    write(tmp_path / name, case(1, "\\boxed{5}", True))
    result = rlpt("audit", "verifier=math", f"cases={name}", f"out=out {name}")
    assert result.returncode == 0, result.stderr
    assert (tmp_path / f"out {name}").is_file()
    printed = yaml.safe_load(rlpt("audit", "verifier=math", f"cases={name}", "--cfg", "job").stdout)
    assert printed["cases"] == name


def test_the_config_can_be_printed(rlpt: Rlpt, tmp_path: Path) -> None:
    result = rlpt("audit", "verifier=math", "verifier.anywhere=false", "--cfg", "job")
    cfg = yaml.safe_load(result.stdout)
    assert (cfg["verifier"]["anywhere"], cfg["out"]) == (False, None)
    resolved = yaml.safe_load(rlpt("audit", "verifier=unit_tests", "--cfg", "job", "--resolve").stdout)
    assert resolved["verifier"]["sandbox"] == resolved["sandbox"]
    assert "_target_: ???" in rlpt("audit", "--cfg", "job").stdout
    assert "verifier/math" in rlpt("audit", "verifier=math", "--info", "defaults").stdout
    assert list(tmp_path.iterdir()) == []


def test_help_says_what_a_case_is_and_lists_the_verifiers(rlpt: Rlpt) -> None:
    for arguments in (["--help"], ["verifier=math", "-h"]):
        result = rlpt("audit", *arguments)
        assert result.returncode == 0, result.stderr
        assert all(word in result.stdout for word in ('"completion"', "unit_tests", "--config-dir", "exit code"))
        assert max(map(len, result.stdout.splitlines())) <= 100


def test_tab_completion() -> None:
    assert "audit" in candidates("rlpt au")
    assert {"verifier=", "cases=", "out="} <= set(candidates("rlpt audit "))
    assert candidates("rlpt audit verifier=ma") == ["verifier=math"]
    assert "verifier.anywhere=" in candidates("rlpt audit verifier=math verifier.")


def test_nothing_heavy_is_imported(tmp_path: Path) -> None:
    write(tmp_path / "cases.jsonl", case(1, "\\boxed{5}", True))
    program = (
        "import sys; from rlpt.cli import main; code = main(['audit', 'verifier=math', 'cases=cases.jsonl']);"
        f"print(code, sorted(set({HEAVY!r}) & set(sys.modules)), file=sys.stderr)"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert result.stderr.strip() == "0 []"
