"""What a recipe remembers besides the policy survives: critic, moved reference, moments, tasks, rollouts."""

from __future__ import annotations

import pytest

from tests.system.conftest import CHEAP, WITH_SIGNAL, metrics, only_run

COMMON = (*CHEAP, *WITH_SIGNAL, "tracker=none", "evaluation=none", "serving=none", "sampler.per_request_seeds=true")
RUNS = [
    (
        "algorithm=ppo",
        "hardware=cpu_fsdp2",  # several ranks share out what is not finished
        "algorithm/normalization=running",
        "algorithm.kl.reference_every=1",
        "algorithm.rollout_tokens_per_step=8",
    ),
    ("algorithm=dapo", "algorithm.filters.max_rounds=30"),
]


@pytest.mark.parametrize("recipe", RUNS, ids=lambda recipe: recipe[0].partition("=")[2])
def test_resumed_is_as_if_never_stopped(recipe, rlpt, tmp_path) -> None:
    runs = {}
    for name, steps in (("whole", 3), ("parts", 2)):
        folder = tmp_path / name
        folder.mkdir()
        result = rlpt("train", *COMMON, *recipe, f"budget.steps={steps}", cwd=folder)
        assert result.returncode == 0, result.stdout + result.stderr
        runs[name] = only_run(folder)
    result = rlpt("train", f"resume={runs['parts']}", "budget.steps=3", cwd=tmp_path / "parts")
    assert result.returncode == 0, result.stdout + result.stderr
    whole, parts = metrics(runs["whole"]), metrics(runs["parts"])
    assert [line["rl/step"] for line in parts] == [1, 2, 3]
    for name in ("rl/loss", "rl/gradient_norm", "rl/kl", "rl/value_loss", "rl/sampling_rounds", "rl/staleness"):
        assert parts[2].get(name, 0.0) == pytest.approx(whole[2].get(name, 0.0), rel=1e-3, abs=1e-6), name
    assert parts[2]["perf/sampled_tokens"] == whole[2]["perf/sampled_tokens"]
