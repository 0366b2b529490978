"""Regressions have their consequences once, wherever the run is killed: a toy policy, everything else for real."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from lightning import LightningModule
from omegaconf import OmegaConf
from torch import nn

from rlpt.domains.mixture import Turn, WeightedMixture
from rlpt.evaluation.gate.verdict import GateRules
from rlpt.evaluation.gate.watch import Watch
from rlpt.evaluation.sample import Sample
from rlpt.evaluation.store import record_suite
from rlpt.evaluation.suite import domain_suite
from rlpt.records import Task
from rlpt.run_dir import RunDir
from rlpt.tracking.lineage import Lineage, read_lineage
from rlpt.tracking.local import LocalRecord
from rlpt.training import checkpoint
from rlpt.training.callbacks import evaluate
from rlpt.training.gate import Gate
from rlpt.training.gate_building import earlier_evaluations
from rlpt.training.going_back import Rollback
from rlpt.training.module import PolicyTraining
from rlpt.training.saving import Saver
from rlpt.training.seeds import sampling_seed
from rlpt.training.states import newest_state, read_state
from rlpt.training.weigh import no_moments

TASKS = {name: [Task(name, f"{name}{n}", [], {}) for n in range(30)] for name in ("good", "bad")}
WEIGHTS = {"good": 1.0, "bad": 1.0}
STEPS = 6
NEW: dict[str, Any] = {"step": 0, "rollbacks": []}


class Killed(BaseException):
    """The process ends here."""


class Toy(PolicyTraining):
    """A policy of one weight: its share of right answers. Tasks of the domain `bad` lower it."""

    def __init__(self) -> None:
        LightningModule.__init__(self)
        self.network = nn.Linear(1, 1, bias=False)
        nn.init.constant_(self.network.weight, 0.9)
        self.mixture = WeightedMixture(TASKS, WEIGHTS, seed=0, tasks_per_step=12)
        self.stream = SimpleNamespace(state=list, resume=lambda state: None)
        self.sync = SimpleNamespace(push=lambda network, version: None)
        self.critic = self.reference = None
        self.step, self.updates, self.taken, self.turns = 0, 0, 0, []
        self.learning_rate_scale, self.last, self.moments = 1.0, False, no_moments(1)

    def train_step(self, step: int) -> list[str]:
        self.step = step
        tasks = [task for _, task in self._take_tasks(0)]
        bad = sum(task.domain == "bad" for task in tasks) / len(tasks)
        self.updates += 1
        with torch.no_grad():
            self.network.weight -= 0.8 * self.learning_rate_scale * bad
        return [f"{task.task_id}/{sampling_seed(0, self.taken, self.turns)}" for task in tasks]

    def samples(self) -> list[Sample]:
        right = round(100 * self.network.weight.item())
        return [Sample("good", f"t{number}", 0, "", "", float(number < right), "") for number in range(100)]


class Follow:
    """Finds each time that the domain `bad` works against `good`."""

    def measure(self, module: Toy, recorder: Any) -> None:
        cosines = {"good": {"bad": -0.5}, "bad": {"good": -0.5}}
        errors = {"good": {"bad": 0.05}, "bad": {"good": 0.05}}
        recorder.local.lineage.add_once(module.step, "interference", {"cosines": cosines, "errors": errors})


def session(folder: Path, taken: dict[int, list[str]], rollback: Rollback) -> Toy:
    """What one process does of a run; `taken` gets the tasks and seeds of each step."""
    run = RunDir(folder)
    suite = {"good": domain_suite("test", TASKS["good"])}
    record_suite(run, suite)
    state = newest_state(run) or NEW
    record = LocalRecord(run, start_step=state["step"])
    recorder = SimpleNamespace(
        local=record, evaluation=lambda step, rows, metrics: record.evaluation(step, rows), moved=lambda *unused: None
    )
    meter = SimpleNamespace(state_dict=dict, add_sampled=lambda tokens: None)
    saver = Saver(run, 2, meter, record.lineage, state["rollbacks"])
    gate = Gate(Watch(GateRules(), STEPS - 1), "rollback", rollback, WEIGHTS, saver, record.lineage)
    earlier = earlier_evaluations(run, state["step"])
    gate.replay(earlier, state["step"])
    options = OmegaConf.create(
        {
            "before": True,
            "after": True,
            "every": 1,
            "confidence": 0.95,
            "samples_per_task": 1,
            "seed": 0,
            "greedy": False,
        }
    )
    finish = SimpleNamespace(meter=meter, interrupted=False)
    callback = evaluate.Evaluate(TASKS, suite, options, finish, recorder, gate, Follow(), earlier)
    module = Toy()
    trainer = SimpleNamespace(
        should_stop=False, optimizers=[torch.optim.SGD(module.network.parameters(), momentum=0.9)]
    )
    if state["step"]:
        saver.load(trainer, module, state["step"])
        module.resume(state["step"], state)
    module.last = state["step"] >= STEPS
    callback.on_train_start(trainer, module)
    while not module.last:
        step = module.step + 1
        taken[step] = module.train_step(step)
        module.last = step >= STEPS
        saver.save(trainer, module)
        callback.on_train_batch_end(trainer, module)
    record.close()
    return module


@pytest.fixture
def dying(monkeypatch: pytest.MonkeyPatch) -> Callable[[int | None], Counter[str]]:
    """`dying(n)`: the n-th change on disk from now on is never made; None: all are."""
    left: list[int | None] = [None]
    seen: Counter[str] = Counter()

    def guard(owner: object, name: str) -> None:
        real = getattr(owner, name)

        def counted(*arguments: Any) -> Any:
            seen["changes"] += 1
            if left[0] is not None and seen["changes"] == left[0]:
                raise Killed
            return real(*arguments)

        monkeypatch.setattr(owner, name, counted)

    guard(Lineage, "add")
    guard(checkpoint, "save")
    guard(LocalRecord, "evaluation")
    monkeypatch.setattr(evaluate, "measure", lambda actors, *unused: actors())
    monkeypatch.setattr(Toy, "actors", property(lambda self: self.samples), raising=False)

    def start(number: int | None) -> Counter[str]:
        seen.clear()
        left[0] = number
        return seen

    return start


def what_became(folder: Path) -> list[dict[str, Any]]:
    return [event for event in read_lineage(RunDir(folder).lineage) if event["event"] != "checkpoint"]


def decisions(events: Sequence[dict[str, Any]]) -> list[tuple[int, str]]:
    return [(event["step"], event["event"]) for event in events if event["event"] in ("rollback", "warn", "stop")]


def test_it_goes_back_lowers_the_suspects_share_and_takes_the_tasks_again(tmp_path, dying) -> None:
    dying(None)
    taken: dict[int, list[str]] = {}
    module = session(tmp_path, taken, Rollback(most=2, learning_rate=0.5, share=0.5, new_seed=False))
    first, second = (event for event in what_became(tmp_path) if event["event"] == "rollback")
    assert (first["step"], first["to"], first["by"], first["suspects"]) == (1, 0, "gate", ["bad"])
    assert first["shares"]["before"] == {"good": 0.5, "bad": 0.5}
    assert first["shares"]["after"]["bad"] == pytest.approx(1 / 3)
    assert second["shares"]["after"]["bad"] == pytest.approx(1 / 5)
    assert [first["learning_rate_scale"], second["learning_rate_scale"]] == [0.5, 0.25]
    assert module.learning_rate_scale == 0.25
    again = {name for name in taken[2] if name.startswith("good")}
    assert again >= {name for name in taken[1] if name.startswith("good")}, (
        "without a new seed the very same come again"
    )
    assert module.taken < module.step, "the place in the mixture went back too"


def test_a_new_seed_gives_other_tasks_and_other_answers(tmp_path, dying) -> None:
    dying(None)
    taken: dict[int, list[str]] = {}
    module = session(tmp_path, taken, Rollback(most=2, learning_rate=0.5, share=1.0, new_seed=True))
    assert not set(taken[1]) & set(taken[2])
    assert module.turns[-1].reseeds == 2


def test_wherever_it_is_killed_the_resumed_run_decides_and_takes_the_same(tmp_path, dying) -> None:
    rollback = Rollback(most=3, learning_rate=0.5, share=0.5, new_seed=True)
    seen, whole = dying(None), {}
    session(tmp_path / "whole", whole, rollback)
    changes = seen["changes"]
    wanted = what_became(tmp_path / "whole")
    assert len(decisions(wanted)) >= 3
    assert len(whole) >= 4
    for number in range(1, changes + 1):
        folder, parts = tmp_path / str(number), {}
        dying(number)
        with pytest.raises(Killed):
            session(folder, parts, rollback)
        dying(None)
        session(folder, parts, rollback)
        assert what_became(folder) == wanted, number
        assert parts == whole, number
        assert newest_state(RunDir(folder)) == newest_state(RunDir(tmp_path / "whole")), number


def test_the_last_good_checkpoint_is_kept(tmp_path, dying) -> None:
    dying(None)
    session(tmp_path, {}, Rollback(most=0, learning_rate=0.5, share=0.5, new_seed=True))
    run = RunDir(tmp_path)
    assert decisions(what_became(tmp_path)) == [(1, "stop")]
    assert run.checkpoint_steps() == [0, 1]
    assert read_state(run, 1)["turns"] == []


def test_a_seed_of_the_answers_belongs_to_the_turns() -> None:
    seeds = {
        sampling_seed(0, 4, turns) for turns in ([], [Turn(2)], [Turn(2, {}, 1)], [Turn(2, {}, 1), Turn(1, {}, 2)])
    }
    assert len(seeds) == 3, "a turn without a new seed keeps it"
