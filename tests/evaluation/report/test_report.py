"""What a report finds out: sources, what differs, what was won and lost, what it cost."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from rlpt.errors import UserError
from rlpt.evaluation.report.config_difference import ABSENT, differences, overridden_key
from rlpt.evaluation.report.cost import cost
from rlpt.evaluation.report.curves import Curve, bounds, drawn, sparkline, thinned
from rlpt.evaluation.report.report import build_report
from rlpt.evaluation.report.sources import open_sources
from rlpt.evaluation.report.tasks import moved_tasks
from rlpt.run_dir import RunDir
from tests.evaluation.report.conftest import MakeRun


def test_the_candidate_is_compared_with_each_reference(lost: tuple[Path, Path]):
    candidate, reference = map(str, lost)
    report = build_report([candidate, reference, f"{candidate}@0"])
    first, second = report.against
    assert [source.letter for source in report.sources] == ["A", "B", "C"]
    assert {item.domain: item.delta for item in first.judged} == {"arithmetic": 0.375, "code": -0.5}
    assert (first.domains("regressed"), first.domains("improved")) == (["code"], ["arithmetic"])
    assert second.domains("improved") == ["arithmetic", "code"]
    assert report.regressed
    assert not build_report([candidate, f"{candidate}@0"]).regressed
    assert build_report([f"{candidate}@0", candidate, candidate]).regressed


def test_a_regression_against_a_further_reference_counts(lost: tuple[Path, Path]):
    candidate, reference = map(str, lost)
    assert build_report([candidate, f"{candidate}@0", reference]).regressed


def test_the_rules_are_those_that_the_candidate_was_evaluated_with(make_run: MakeRun):
    sure = make_run("sure", {"code": 23}, {"evaluation": {"false_alarms": 0.0001}})
    same = make_run("same", {"code": 23})
    reference = make_run("reference", {"code": 30})
    assert build_report([str(same), str(reference)]).regressed
    assert not build_report([str(sure), str(reference)]).regressed


def test_steps_of_a_run_are_named(make_run: MakeRun):
    run = make_run("run", {"code": 3}, steps=(0, 2, 12))
    for name, step in ((f"{run}", 12), (f"{run}@last", 12), (f"{run}@0", 0), (f"{run}@2", 2)):
        (source,) = open_sources([name])
        assert source.step == step
        assert source.name == f"{run}@{step}"
    with pytest.raises(UserError, match=r"no evaluation at step 3; it has: 0, 2, 12"):
        open_sources([f"{run}@3"])
    with pytest.raises(UserError, match=r"run@first names no step of a run; write .*run@12"):
        open_sources([f"{run}@first"])


def test_a_folder_may_have_an_at_sign_in_its_name(make_run: MakeRun):
    run = make_run("run@home", {"code": 3})
    assert open_sources([str(run)])[0].step == 2
    assert open_sources([f"{run}@0"])[0].step == 0


def test_a_model_folder_stands_for_what_rlpt_eval_left_of_it(
    make_run: MakeRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    model = tmp_path / "my model"
    model.mkdir()
    (model / "config.json").write_text("{}")
    weights = model / "model.safetensors"
    weights.touch()
    with pytest.raises(UserError, match=r"was not measured here; run `rlpt eval 'policy=.*my model'`"):
        open_sources([str(model)])

    def measure(name: str, path: str, **more: object) -> Path:
        policy = {"source": {"_target_": "rlpt.policy.hf.folder"}, "path": path}
        return make_run(f"runs/day/{name}", {"code": 3}, {"policy": policy, **more}, steps=(0,))

    measure("other", "another")
    measure("trained", "my model", algorithm={"group_size": 2})
    with pytest.raises(UserError, match="was not measured"):
        open_sources([str(model)])
    first, last = measure("first", str(model)), measure("last", "./my model")
    os.utime(RunDir(first).evaluation(0), (1e9, 1e9))
    os.utime(weights, (1e9, 1e9))
    assert open_sources(["my model"])[0].run.root.resolve() == last
    os.utime(RunDir(last).evaluation(0), (1e9 - 1, 1e9 - 1))
    assert open_sources(["my model"])[0].run.root.resolve() == first
    os.utime(weights, (2e9, 2e9))
    with pytest.raises(UserError, match="changed since it was measured"):
        open_sources(["my model"])


def test_a_run_without_evaluations_stands_for_the_one_made_of_its_policy(
    make_run: MakeRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    bare = tmp_path / "bare"
    bare.mkdir()
    (bare / "config.yaml").write_text("name: bare\n")
    with pytest.raises(UserError, match="holds no evaluation; run `rlpt eval policy="):
        open_sources([str(bare)])
    policy = {"source": {"_target_": "rlpt.policy.hf.folder"}, "path": "bare"}
    later = make_run("runs/day/later", {"code": 3}, {"policy": policy}, steps=(0,))
    assert open_sources([str(bare)])[0].run.root.resolve() == later


def test_the_policy_of_a_run_is_measured_by_the_run(make_run: MakeRun):
    run = make_run("run", {"code": 3})
    (run / "policy").mkdir()
    (run / "policy" / "config.json").write_text("{}")
    with pytest.raises(UserError, match="run@last"):
        open_sources([str(run / "policy")])


def test_other_suites_are_refused_and_other_domains_left_out(make_run: MakeRun):
    candidate = make_run("candidate", {"code": 3, "maths": 4})
    with pytest.raises(UserError, match=r"cannot be compared: their evaluations of code differ in the tasks"):
        build_report([str(candidate), str(make_run("fewer", {"code": 3}, tasks=20))])
    (one,) = build_report([str(candidate), str(make_run("other", {"code": 3, "logic": 1}))]).against
    assert [item.domain for item in one.judged] == ["code"]
    assert one.left_out == ["maths", "logic"]
    assert list(one.tasks) == ["code"]


def test_configs_differ_by_dotted_key(lost: tuple[Path, Path]):
    report = build_report([str(run) for run in lost])
    found = {item.key: (item.values, item.overridden) for item in report.config}
    assert found == {
        "name": (("candidate", "reference"), (False, False)),
        "algorithm.group_size": ((16, 8), (True, False)),
        "algorithm.loss": (({"clip": 0.2}, ABSENT), (False, False)),
    }


@pytest.mark.parametrize(
    ("override", "key"),
    [
        ("algorithm.group_size=4", "algorithm.group_size"),
        ("algorithm/loss=gspo", "algorithm.loss"),
        ("verifier@domain.code.verifier=exact", "domain.code.verifier"),
        ("++sampler.engine.x=1", "sampler.engine.x"),
        ("~budget.wall_s", "budget.wall_s"),
        ("name=a=b", "name"),
    ],
)
def test_the_key_of_an_override(override: str, key: str):
    assert overridden_key(override) == key


def test_an_override_of_a_group_is_one_of_its_keys():
    one, other = {"algorithm": {"loss": {"clip": 1}}}, {"algorithm": {"loss": {"clip": 2}}}
    (found,) = differences([one, other], [["algorithm=dapo"], ["algorithmic=1", "algorithm.lossy=2"]])
    assert found.overridden == (True, False)


def test_values_that_only_look_equal_differ():
    kinds = differences([{"a": 1, "b": None, "c": 1, "d": [1]}, {"a": True, "c": 1.0, "d": [True]}], [[], []])
    assert [item.key for item in kinds] == ["a", "b", "d"]


@given(st.recursive(st.integers() | st.booleans() | st.none(), lambda inner: st.dictionaries(st.text(), inner)))
def test_a_config_does_not_differ_from_itself(config: object):
    assert differences([{"root": config}] * 3, [[]] * 3) == []


def test_lost_and_won_tasks_show_the_answers_that_say_why(sample):
    def answers(task: str, *rewards: float | None) -> list:
        return [sample(task, reward, text=f"{task} {reward}", index=i) for i, reward in enumerate(rewards)]

    before = [*answers("t0", 1, 0), *answers("t1", 0, 1), *answers("t2", 1, 1), *answers("t3", 0.5), *answers("t4", 1)]
    after = [
        *answers("t0", 0, 0),
        *answers("t1", 1, 1),
        *answers("t2", 0, 0),
        *answers("t3", 0.5),
        *answers("t4", None),
    ]
    found = moved_tasks(before, after)["arithmetic"]
    assert found.n == 4  # t4 was not scored
    assert [item.task_id for item in found.lost] == ["t2", "t0"]  # the greater loss first
    assert (found.lost[1].before.text, found.lost[1].after.text) == ("t0 1", "t0 0")
    assert (found.won[0].before.text, found.won[0].after.text) == ("t1 0", "t1 1")
    assert (found.won[0].before.mean, found.won[0].delta) == (0.5, 0.5)


def test_cost_is_what_was_used_up_to_the_step(lost: tuple[Path, Path]):
    candidate = str(lost[0])
    last, start = build_report([candidate, f"{candidate}@0"]).costs
    assert (last.steps, last.sampled_tokens, last.trained_tokens, last.flops, last.wall_s) == (2, 3000, 200, 4e12, 200)
    assert (start.steps, start.sampled_tokens, start.wall_s) == (0, None, None)
    assert cost([{"rl/step": 0, "eval/code/reward": 1}], 0, {"wall_s": 7.5}).wall_s == 7.5  # rlpt eval
    rows = [{"rl/step": 1, "budget/wall_s": 5.0}, {"rl/step": 2, "train/code/reward": 0.0}, {"rl/step": 3}]
    assert cost(rows, 2, {"wall_s": 99.0, "steps": 3}).wall_s == 5.0


def test_a_run_compared_with_itself_has_one_curve(lost: tuple[Path, Path]):
    candidate, reference = map(str, lost)
    found = build_report([candidate, reference, f"{candidate}@0"]).curves
    assert list(found) == ["arithmetic", "code"]
    assert [curve.letters for curve in found["code"]] == ["AC", "B"]
    assert found["code"][0].train == ([1, 2], [0.25, 0.5])
    assert found["code"][0].evaluations == ([0, 2], [0.0, 0.25])
    assert bounds(found["code"]) == (0.0, 0.75)


def test_a_single_high_step_does_not_flatten_a_long_curve():
    curve = Curve("A", (list(range(100)), [0.2] * 99 + [1.0]), ([100], [0.3]))
    (short,) = drawn([curve], 10)
    assert short.train[0][-1] == 99
    assert short.evaluations == curve.evaluations
    assert bounds([short]) == (0.0, 0.3)


@given(st.lists(st.floats(-1, 2), min_size=1, max_size=300), st.integers(1, 50))
def test_thinning_keeps_the_end_and_the_range(rewards: list[float], most: int):
    steps, thin = thinned((list(range(len(rewards))), rewards), most)
    assert len(steps) == len(thin) == min(most, len(rewards))
    assert steps[-1] == len(rewards) - 1
    assert min(rewards) - 1e-9 <= min(thin)
    assert max(thin) <= max(rewards) + 1e-9


def test_a_sparkline_rises_with_its_values():
    assert sparkline([0, 0.5, 1], 0, 1, "abc") == "abc"
    assert sparkline([-9, 9], 0, 1, "abc") == "ac"
    assert sparkline([], 0, 1) == ""


def test_what_a_run_does_not_hold_is_empty(make_run: MakeRun):
    run = make_run("run", {"code": 3})
    for name in ("overrides.yaml", "metrics.jsonl"):
        (run / name).unlink()
    report = build_report([str(run), f"{run}@0"])
    assert (report.config, report.curves, report.costs[0].wall_s) == ([], {}, None)
    (run / "config.yaml").write_text(yaml.safe_dump([1]))
    with pytest.raises(UserError, match="does not hold a config"):
        build_report([str(run), f"{run}@0"])
