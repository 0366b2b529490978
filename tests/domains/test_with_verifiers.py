"""Every domain with the verifier that its file names: known right answers are paid, known wrong ones are not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import pytest
from hydra.utils import instantiate
from omegaconf import DictConfig, OmegaConf

from rlpt.config.preflight import compose_config
from rlpt.domains.protocol import Domain
from rlpt.errors import UserError
from rlpt.records import Split, Task
from rlpt.verifiers.pool import VerifierPool
from rlpt.verifiers.validate import validate

NAMES = ["arithmetic", "python_functions", "instructions"]

Tasks = Mapping[str, Mapping[Split, Sequence[Task]]]


@pytest.fixture(scope="module")
def pool(need: Callable[[str | None], None]) -> Iterator[VerifierPool]:
    cfg = compose_config("train", ["sandbox=process"])
    need(why_not(cfg.sandbox))
    verifiers = {name: OmegaConf.to_container(cfg.domain[name].verifier, resolve=True) for name in NAMES}
    with VerifierPool(verifiers, workers=2, timeout_s=30.0) as running:
        yield running


def why_not(sandbox: DictConfig) -> str | None:
    """Why a sandbox cannot be had here, or None."""
    try:
        instantiate(sandbox, _partial_=True)().close()
    except UserError as error:
        return str(error)
    return None


@pytest.mark.parametrize("name", NAMES)
def test_every_demonstration_is_paid(name: str, domains: Mapping[str, Domain], tasks: Tasks, pool: VerifierPool):
    for split in ("test", "validation", "train"):
        some = tasks[name][split]
        assert validate(some, [domains[name].demonstration(task) for task in some], pool) == []


@pytest.mark.parametrize("name", NAMES)
def test_the_answer_to_another_task_is_not_paid(
    name: str, domains: Mapping[str, Domain], tasks: Tasks, pool: VerifierPool
):
    some = tasks[name]["test"][:40]
    shifted = [domains[name].demonstration(task) for task in [*some[1:], some[0]]]
    verdicts = pool.score(list(zip(some, shifted, strict=True)))
    paid = [task.task_id for task, verdict in zip(some, verdicts, strict=True) if verdict.reward != 0.0]
    # Two problems of arithmetic can have the same result.
    assert len(paid) <= (2 if name == "arithmetic" else 0), paid


@pytest.mark.parametrize("name", NAMES)
def test_the_prompts_example_and_empty_answers_are_not_paid(name: str, tasks: Tasks, pool: VerifierPool):
    # 9 - 2 is rightly answered by the example of arithmetic, 3 + 4 = 7.
    some = [task for task in tasks[name]["test"][:20] if task.reference.get("answer") != "7"]
    assert len(some) > 15
    cheap = [(task, text) for task in some for text in ("", *(message["content"] for message in task.messages))]
    assert [verdict.reward for verdict in pool.score(cheap)] == [0.0] * len(cheap)
