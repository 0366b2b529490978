"""Tab completion: what may stand next."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rlpt.commands.complete import complete
from rlpt.commands.completion import candidates
from rlpt.config.composer import Composer, composer
from rlpt.run_dir import RunDir


@pytest.fixture(scope="module")
def train() -> Iterator[Composer]:
    with composer("train") as session:
        yield session


def test_a_verb() -> None:
    assert candidates("rlpt tra") == ["trace", "train"]
    assert {"train", "eval", "show"} <= set(candidates("rlpt "))
    assert candidates("rlpt nonsense ") == []
    assert candidates("") == candidates("rlpt ")


def test_the_sandbox(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "program.py").touch()
    assert candidates("rlpt sandbox ") == ["bench", "run"]
    assert candidates("rlpt sandbox ru") == ["run"]
    assert candidates("rlpt sandbox run pro") == ["program.py"]
    assert {"sandbox=", "program.py"} <= set(candidates("rlpt sandbox run "))
    assert candidates("rlpt sandbox run program.py sandbox=pr") == ["sandbox=process"]
    assert candidates("rlpt sandbox bench sandbox.limits.wall") == ["sandbox.limits.wall_s="]
    assert candidates("rlpt sandbox bench sandbox=process sandbox.cpu") == []
    assert candidates("rlpt sandbox bench ") == ["out=", "sandbox="]
    assert candidates("rlpt sandbox bench out=pro") == ["out=program.py"]
    assert candidates("rlpt sandbox bench algorithm=") == []


def test_runs_to_compare_their_steps_and_the_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    run = RunDir(tmp_path / "runs" / "one")
    run.suite.parent.mkdir(parents=True)
    run.config.touch()
    for step in (0, 12):
        run.evaluation(step).touch()
    assert candidates("rlpt comp") == ["compare", "completion"]
    assert candidates("rlpt compare ") == ["runs/", "html=", "json=", "n="]
    assert candidates("rlpt compare runs/o") == ["runs/one"]
    assert candidates("rlpt compare runs/one runs/one@") == ["runs/one@0", "runs/one@12", "runs/one@last"]
    assert candidates("rlpt compare runs/one@1") == ["runs/one@12"]
    assert candidates("rlpt compare runs/two@") == []
    assert candidates("rlpt compare runs/one html=ru") == ["html=runs/"]


def test_groups_and_root_keys_come_first(train: Composer) -> None:
    found = complete(train, [], "")
    assert {"algorithm=", "domain=", "hardware=", "seed=", "checkpoint."} <= set(found)
    assert not any("hydra" in name or name.startswith("algorithm/") for name in found)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("hardw", {"hardware.", "hardware="}),
        ("algorithm/", {"algorithm/advantage=", "algorithm/loss=", "algorithm/optimizer="}),
        ("algorithm=", {"algorithm=grpo", "algorithm=rloo"}),
        ("algorithm=rl", {"algorithm=rloo"}),
        ("domain=[ar", {"domain=[arithmetic"}),
        ("algorithm.optimizer.", {"algorithm.optimizer.learning_rate=", "algorithm.optimizer.betas="}),
        ("algorithm.opt", {"algorithm.optimizer."}),
        ("policy.dtype=", {"policy.dtype=auto", "policy.dtype=bfloat16", "policy.dtype=float32"}),
        ("traceback=", {"traceback=true", "traceback=false"}),
        ("budget.wall_s=", {"budget.wall_s=null"}),
        ("budget.steps=", {"budget.steps=22"}),
        ("verifier@", {"verifier@domain.arithmetic.verifier="}),
        ("verifier@domain.arithmetic.verifier=ma", {"verifier@domain.arithmetic.verifier=math"}),
        ("hydra/lau", {"hydra/launcher="}),
        ("hydra/launcher=submitit_l", {"hydra/launcher=submitit_local"}),
        ("--multi", {"--multirun"}),
    ],
)
def test_a_word_is_completed(train: Composer, word: str, expected: set[str]) -> None:
    found = complete(train, [], word)
    assert expected <= set(found)
    assert all(candidate.startswith(word) for candidate in found)


def test_a_list_and_a_sweep_offer_what_is_not_in_them_yet(train: Composer) -> None:
    assert "domain=[arithmetic,instructions" in complete(train, [], "domain=[arithmetic,")
    assert "domain=[arithmetic,arithmetic" not in complete(train, [], "domain=[arithmetic,")
    assert "algorithm=grpo,rloo" in complete(train, ["-m"], "algorithm=grpo,")


def test_keys_are_those_of_the_options_chosen_before(train: Composer) -> None:
    assert complete(train, ["algorithm=dr_grpo"], "algorithm.aggregation.t") == ["algorithm.aggregation.tokens="]
    assert complete(train, ["algorithm=grpo"], "algorithm.aggregation.t") == []


def test_a_mistake_earlier_on_the_line_does_not_stop_it(train: Composer) -> None:
    assert complete(train, ["algorithm=grpoo", "++", "x=(", "seed=1"], "hardware=g") == ["hardware=gpu"]


def test_folders_where_a_folder_is_meant(train: Composer, tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    assert complete(train, [], f"policy.path={tmp_path}/mo") == [f"policy.path={tmp_path}/model/"]
    assert complete(train, [], f"resume={tmp_path}/mo") == [f"resume={tmp_path}/model/"]
    assert complete(train, ["--config-dir"], f"{tmp_path}/mo") == [f"{tmp_path}/model/"]


def test_values_of_flags(train: Composer) -> None:
    assert complete(train, ["--cfg"], "") == ["all", "hydra", "job"]
    assert "defaults" in complete(train, ["--info"], "def")
