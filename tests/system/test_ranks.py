"""`hardware=cpu_fsdp2`: two ranks over gloo give what one rank gives."""

from __future__ import annotations

import pytest

from rlpt.run_dir import RunDir
from rlpt.tracking.local import read_rollouts
from tests.system.conftest import CHEAP, WITH_SIGNAL, metrics, only_run

SAME = (*WITH_SIGNAL, "tracker=none", "budget.steps=2", "sampler.per_request_seeds=true")


def test_two_ranks_are_one(tmp_path, rlpt):
    runs = {}
    for hardware in ("cpu", "cpu_fsdp2"):
        folder = tmp_path / hardware
        folder.mkdir()
        result = rlpt("train", *CHEAP, *SAME, f"hardware={hardware}", cwd=folder)
        assert result.returncode == 0, result.stdout + result.stderr
        assert result.stdout.count("step 2/2") == 1, "only rank 0 speaks"
        runs[hardware] = only_run(folder)
    one, two = (metrics(run) for run in runs.values())
    assert [line["rl/step"] for line in two] == [0, 1, 2]
    texts = [
        [rollout.text for group, _ in read_rollouts(RunDir(run).rollouts(1)) for rollout in group.rollouts]
        for run in runs.values()
    ]
    assert texts[0] == texts[1], "the same samples, whichever rank drew them"
    assert one[1]["rl/updates"] == two[1]["rl/updates"] == 1
    for name in ("rl/loss", "rl/gradient_norm", "rl/entropy"):
        assert two[1][name] == pytest.approx(one[1][name], rel=1e-4, abs=1e-6), name
    assert max(line.get("mismatch/max", 0.0) for line in two[1:]) < 1e-4
