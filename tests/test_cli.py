"""`rlpt` as a user meets it: a process of its own, its output and its exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

Rlpt = Callable[..., subprocess.CompletedProcess[str]]

HEAVY = ("torch", "vllm", "transformers", "lightning", "wandb", "numpy", "docker", "submitit")

# A model of the user's own that ends the run as soon as it is asked for: the whole way there is real.
OWN_MODEL = """
from pathlib import Path
from rlpt.errors import UserError

def folder(cache_dir, domains, tools):
    raise UserError(f"no further than here with {len(domains)} domains.")

def bug(cache_dir, domains, tools):
    raise ZeroDivisionError("a bug")

def interrupted(cache_dir, domains, tools):
    raise KeyboardInterrupt("go on with resume=RUN")
"""

STOP = "policy.source._target_=mine.folder"


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(OWN_MODEL)
    return tmp_path


def one_sentence(result: subprocess.CompletedProcess[str], code: int = 2) -> str:
    assert result.returncode == code, result.stderr
    lines = result.stderr.strip().splitlines()
    assert len(lines) == 1, result.stderr
    assert lines[0].startswith("rlpt: ")
    return lines[0]


def runs(folder: Path) -> list[Path]:
    return sorted(file.parent for file in folder.glob("runs/*/*/config.yaml"))


def test_help_lists_the_verbs(rlpt: Rlpt) -> None:
    for arguments in ([], ["--help"]):
        result = rlpt(*arguments)
        assert result.returncode == 0
        assert all(
            verb in result.stdout
            for verb in ("train", "eval", "sft", "audit", "show", "compare A B", "doctor", "sandbox run")
        )


@pytest.mark.parametrize("verb", ["train", "eval", "sft"])
def test_help_of_a_verb_lists_groups_options_and_flags(rlpt: Rlpt, verb: str) -> None:
    result = rlpt(verb, "--help")
    assert result.returncode == 0, result.stderr
    assert "*smollm2" in result.stdout
    assert "*arithmetic" in result.stdout
    assert "--multirun" in result.stdout


@pytest.mark.parametrize("verb", ["train", "eval", "sft"])
def test_the_config_can_be_printed_and_read_back(rlpt: Rlpt, verb: str) -> None:
    result = rlpt(verb, "--cfg", "job")
    assert result.returncode == 0, result.stderr
    assert set(yaml.safe_load(result.stdout)["domain"]) == {"arithmetic", "python_functions", "instructions"}
    assert list(Path(result.args[0]).parent.glob("runs")) == []


def test_printing_the_config_imports_nothing_heavy(tmp_path: Path) -> None:
    program = (
        "import sys; from rlpt.cli import main; main(['train', '--cfg', 'job', 'algorithm=rloo']);"
        f"print(sorted(set({HEAVY!r}) & set(sys.modules)), file=sys.stderr)"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert result.stderr.strip() == "[]"


def test_composing_as_hydra_users_expect(rlpt: Rlpt) -> None:
    result = rlpt("train", "domain=[arithmetic]", "algorithm=rloo", "algorithm.group_size=4", "--cfg", "job")
    cfg = yaml.safe_load(result.stdout)
    assert list(cfg["domain"]) == ["arithmetic"]
    assert cfg["algorithm"]["group_size"] == 4
    assert cfg["algorithm"]["advantage"]["_target_"].endswith("leave_one_out")
    assert yaml.safe_load(rlpt("train", "experiment=quick", "--cfg", "job").stdout)["policy"]["name"] == "tiny"
    assert "algorithm/grpo" in rlpt("train", "--info", "defaults").stdout
    assert rlpt("train", "--cfg", "job", "-p", "budget.steps").stdout.strip() == "22"
    resolved = yaml.safe_load(rlpt("train", "--cfg", "job", "--resolve").stdout)
    assert resolved["sampler"]["context_length"] == resolved["policy"]["context_length"]
    assert "sweep" in rlpt("train", "--cfg", "hydra").stdout


def test_flags_and_overrides_may_be_mixed(rlpt: Rlpt) -> None:
    result = rlpt("train", "seed=3", "--cfg", "job", "name=x")
    assert (yaml.safe_load(result.stdout)["seed"], yaml.safe_load(result.stdout)["name"]) == (3, "x")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["train", "++typo=1"], "typo"),
        (["train", "domian=gsm8k"], "domain"),
        (["train", "algorithm.group_size=eight"], "algorithm.group_size=8"),
        (["train", "algorithm=grpoo"], "did you mean grpo?"),
        (["train", "algorithm.rloo="], "algorithm=rloo"),
        (["train", "-m", "algorithm=grpo,rlooo"], "did you mean rloo?"),
        (["train", "-m", "algorithm.group_size=8,eight"], "algorithm.group_size=8"),
        (["train", "-m", "algorithm.group_size=8,1"], "algorithm=reinforce"),
        (["train", "-m", "++typo=1,2"], "typo"),
        (["train", "algorithm.group_size=1", "--cfg", "job"], "algorithm=reinforce"),
        (["eval", "algorithm=grpo"], "algorithm"),
        (["train", "policy=hf"], "policy.path=PATH"),
        (["train", "policy=hf", "policy.path=./nowhere"], "./nowhere"),
        (["train", "policy=./nowhere"], "./nowhere"),
        (["train", "resume=./nowhere"], "nowhere"),
        (["train", "resume=."], "config.yaml"),
        (["train", "--config-dir", "nowhere"], "nowhere"),
        (["train", "--cfgg", "job"], "--help"),
        (["train", "--cfg", "jobb"], "job"),
        (["train", "--cfg", "job", "-m"], "--cfg"),
        (["trian"], "did you mean rlpt train?"),
        (["algorithm=grpo"], "rlpt train algorithm=grpo"),
        (["show"], "--help"),
        (["show", "nowhere"], "nowhere"),
        (["show", "nowhere", "stp=3"], "did you mean step=?"),
        (["compare", "nowhere"], "rlpt compare nowhere nowhere@0"),
        (["compare", "nowhere", "elsewhere"], "nowhere"),
        (["compare", "a", "b", "htlm=x.html"], "did you mean html=?"),
        (["completion", "tcsh"], "bash"),
        (["sandbox", "rn", "x.py"], "run"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_input_is_one_plain_sentence_and_exit_code_2(
    rlpt: Rlpt, tmp_path: Path, arguments: list[str], expected: str
) -> None:
    if arguments == ["show"]:
        assert rlpt("show").returncode == 0
        return
    assert expected in one_sentence(rlpt(*arguments))
    assert list(tmp_path.iterdir()) == []


def test_a_traceback_is_shown_to_those_who_ask_for_it(rlpt: Rlpt) -> None:
    for result in (
        rlpt("train", "algorithm=grpoo", "traceback=true"),
        rlpt("train", "algorithm=grpoo", env={"RLPT_TRACEBACK": "1"}),
    ):
        assert result.returncode == 2
        assert "Traceback" in result.stderr
        assert "did you mean grpo?" in result.stderr.strip().splitlines()[-1]


def test_a_folder_that_cannot_be_written_is_one_plain_sentence(rlpt: Rlpt, tmp_path: Path) -> None:
    (tmp_path / "runs").touch()
    assert "cannot be written" in one_sentence(rlpt("train", "tracker=none"))


def test_a_run_records_its_config_and_overrides(rlpt: Rlpt, mine: Path) -> None:
    result = rlpt("train", STOP, "name=mine", "domain=[arithmetic]")
    assert "no further than here with 1 domains" in one_sentence(result, code=1)
    (run,) = runs(mine)
    assert run.name.endswith("-mine")
    assert yaml.safe_load((run / "overrides.yaml").read_text()) == [STOP, "name=mine", "domain=[arithmetic]"]
    cfg = yaml.safe_load((run / "config.yaml").read_text())
    assert cfg["sampler"]["dtype"] in ("bfloat16", "float32")  # what ran, not `auto`
    assert not (run / ".hydra").exists()


def test_a_run_goes_on_in_its_own_directory(rlpt: Rlpt, mine: Path) -> None:
    rlpt("train", STOP, "name=mine", "seed=3")
    (run,) = runs(mine)
    cfg = yaml.safe_load((run / "config.yaml").read_text())
    # As if rlpt's own default had been another one when the run was started.
    cfg["checkpoint"]["every"] = 77
    (run / "config.yaml").write_text(yaml.safe_dump(cfg))

    result = rlpt("train", f"resume={run}", "budget.steps=99")

    assert "no further than here" in one_sentence(result, code=1)
    assert runs(mine) == [run]
    resumed = yaml.safe_load((run / "config.yaml").read_text())
    assert (resumed["seed"], resumed["budget"]["steps"], resumed["checkpoint"]["every"]) == (3, 99, 77)
    assert resumed["resume"] == str(run)
    # A second resume keeps what the first one changed.
    rlpt("train", f"resume={os.path.relpath(run, mine)}")
    assert yaml.safe_load((run / "config.yaml").read_text())["budget"]["steps"] == 99


def test_runs_that_start_at_once_get_directories_of_their_own(mine: Path) -> None:
    command = [sys.executable, "-m", "rlpt", "train", STOP, "hydra.run.dir=runs/day/same"]
    unnamed = [sys.executable, "-m", "rlpt", "train", STOP]
    processes = [subprocess.Popen(unnamed, cwd=mine, stderr=subprocess.DEVNULL) for _ in range(3)]
    assert [process.wait() for process in processes] == [1, 1, 1]
    assert len(runs(mine)) == 3
    assert subprocess.run(command, cwd=mine, capture_output=True, check=False).returncode == 1
    again = subprocess.run(command, cwd=mine, capture_output=True, text=True, check=False)
    assert "resume=" in one_sentence(again)


def test_an_interrupt_says_what_the_trainer_says(rlpt: Rlpt, mine: Path) -> None:
    result = rlpt("train", "policy.source._target_=mine.interrupted")
    assert result.returncode == 130
    assert "go on with resume=RUN" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_bug_keeps_its_traceback(rlpt: Rlpt, mine: Path) -> None:
    result = rlpt("train", "policy.source._target_=mine.bug")
    assert result.returncode == 1
    assert "ZeroDivisionError" in result.stderr
    assert "in bug" in result.stderr


@pytest.mark.parametrize("launcher", ["basic", "submitit_local"])
def test_a_sweep_runs_every_combination_and_says_how_many_failed(rlpt: Rlpt, mine: Path, launcher: str) -> None:
    result = rlpt("train", "-m", STOP, "algorithm=grpo,rloo", f"hydra/launcher={launcher}")
    assert result.returncode == 1, result.stderr
    assert "2 of 2 runs failed:" in result.stderr
    assert result.stderr.splitlines()[-1].endswith("algorithm=rloo: no further than here with 3 domains.")
    assert "Traceback" not in result.stderr
    recorded = sorted(mine.glob("runs/*/*-sweep/*/config.yaml"))
    configs = [yaml.safe_load(file.read_text()) for file in recorded]
    assert {cfg["algorithm"]["loss"]["_target_"].rpartition(".")[2] for cfg in configs} == {
        "clipped_ratio",
        "reinforce",
    }
    # The runs of a sweep are one W&B group.
    assert {cfg["tracker"]["group"] for cfg in configs} == {"/".join(recorded[0].parts[-4:-2])}


def test_configs_and_code_of_ones_own_from_outside_the_package(rlpt: Rlpt, mine: Path) -> None:
    (mine / "own" / "policy").mkdir(parents=True)
    (mine / "own" / "policy" / "mine.yaml").write_text(
        "source: {_target_: mine.folder}\nname: mine\ndtype: float32\ncontext_length: 128\n"
    )
    by_flag = rlpt("train", "--config-dir", "own", "policy=mine")
    assert "no further than here with 3 domains" in one_sentence(by_flag, code=1)
    by_override = rlpt("train", f"hydra.searchpath=[file://{mine}/own]", "policy=mine", "domain=[arithmetic]")
    assert "no further than here with 1 domains" in one_sentence(by_override, code=1)
    # The folder is recorded, so that the run can be resumed without naming it again.
    resumed = rlpt("train", f"resume={runs(mine)[0]}")
    assert "no further than here" in one_sentence(resumed, code=1)


def test_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    command = f"{sys.executable} -m rlpt train --cfg job | head -1"
    result = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, cwd=tmp_path)
    assert result.stderr == ""


def test_doctor_says_what_is_here(rlpt: Rlpt) -> None:
    result = rlpt("doctor")
    assert all(word in result.stdout for word in ("torch", "vllm", "cpu cores", "policy=smollm2", "sandbox=docker"))


def test_a_program_in_the_sandbox(rlpt: Rlpt, tmp_path: Path, need: Callable[[str | None], None]) -> None:
    from rlpt.sandbox.process import why_not

    need(why_not())
    (tmp_path / "program.py").write_text("print('hello')\nraise SystemExit(3)\n")
    result = rlpt("sandbox", "run", "program.py", "sandbox=process")
    assert result.returncode == 0, result.stderr
    execution = json.loads(result.stdout)
    assert (execution["sandbox"], execution["status"], execution["exit_code"]) == ("process", "crash", 3)
    assert execution["stdout"] == "hello\n"
    assert "did you mean 'sandbox.limits.wall_s'" in one_sentence(
        rlpt("sandbox", "run", "program.py", "sandbox.limits.wall=1")
    )
