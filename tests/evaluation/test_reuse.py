"""Results are taken again exactly where model, suite and sampling are the same."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from omegaconf import DictConfig, OmegaConf

from rlpt.assembly import load_domains
from rlpt.config.preflight import compose_config
from rlpt.config.resolve import as_dict
from rlpt.evaluation.measure import describe_suite, suite_tasks
from rlpt.evaluation.reuse import Results
from rlpt.evaluation.sample import Sample
from rlpt.policy.content import content_digest

Open = Callable[..., Results]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    folder = tmp_path / "model"
    folder.mkdir()
    for name in ("model.safetensors", "config.json", "tokenizer.json", "chat_template.jinja"):
        (folder / name).write_text(name)
    return folder


@pytest.fixture(scope="module")
def composed() -> DictConfig:
    names = ["policy=hf", "policy.path=model", "policy.dtype=bfloat16", "evaluation.tasks_per_domain=4"]
    return compose_config("eval", [*names, "domain=[arithmetic,python_functions]"])


@pytest.fixture
def results(tmp_path: Path, model: Path, composed: DictConfig) -> Open:
    def make(*changes: str, domains: Sequence[str] = ("arithmetic", "python_functions")) -> Results:
        plain = as_dict(composed) | {"cache_dir": str(tmp_path / "cache")}
        plain["domain"] = {name: plain["domain"][name] for name in domains}
        cfg = OmegaConf.merge(plain, OmegaConf.from_dotlist(list(changes)))
        assert isinstance(cfg, DictConfig)
        tasks = suite_tasks(cfg, load_domains(cfg))
        return Results(cfg, model, tasks, describe_suite(cfg, tasks))

    return make


def samples(results: Results, answers: int = 2, reward: float | None = 1.0) -> list[Sample]:
    return [
        Sample(domain, task.task_id, index, "?", "5", reward, "correct")
        for domain, own in results._tasks.items()
        for task in own
        for index in range(answers)
    ]


def by_domain(samples: Sequence[Sample]) -> Mapping[str, list[Sample]]:
    return {name: [one for one in samples if one.domain == name] for name in dict.fromkeys(s.domain for s in samples)}


def test_what_was_measured_is_found_again(results: Open):
    first = results()
    assert first.find() == {}
    measured = samples(first)
    first.keep(measured)
    assert results().find() == by_domain(measured)
    assert results("name=other", "sampler.threads=1", "verification.timeout_s=20").find() == by_domain(measured)


def test_domains_are_kept_one_by_one(results: Open):
    alone = results(domains=["arithmetic"])
    alone.keep(samples(alone))
    assert set(results().find()) == {"arithmetic"}


@pytest.mark.parametrize(
    "change",
    [
        "evaluation.seed=1",
        "evaluation.tasks_per_domain=3",
        "evaluation.samples_per_task=1",
        "evaluation.split=validation",
        "sampler.temperature=0.5",
        "sampler.top_p=0.9",
        "sampler.dtype=float32",
        "sampler.context_length=512",
        "domain.arithmetic.max_new_tokens=8",
        "domain.arithmetic.seed=1",
        "domain.arithmetic.verifier.anywhere=false",
    ],
)
def test_whatever_changes_the_result_is_measured_again(results: Open, change: str):
    first = results(domains=["arithmetic"])
    first.keep(samples(first))
    assert "arithmetic" in results(domains=["arithmetic"]).find()
    assert results(change, domains=["arithmetic"]).find() == {}


@pytest.mark.parametrize("file", ["model.safetensors", "tokenizer.json", "chat_template.jinja", "config.json"])
def test_another_model_is_measured_again(results: Open, model: Path, file: str):
    first = results()
    first.keep(samples(first))
    (model / file).write_text("other")
    assert results().find() == {}


def test_a_model_is_what_its_files_say_wherever_they_lie(model: Path, tmp_path: Path):
    same = tmp_path / "links"
    same.mkdir()
    for file in model.iterdir():
        (same / file.name).symlink_to(file)
    (same / "README.md").write_text("for readers")
    assert content_digest(same) == content_digest(model)


def test_samples_without_a_verdict_are_not_kept(results: Open):
    first = results()
    broken = [*samples(first)[:-1], *samples(first, reward=None)[-1:]]
    first.keep(broken)
    assert set(results().find()) == {"arithmetic"}


def test_a_damaged_file_is_measured_again(results: Open, tmp_path: Path, caplog: pytest.LogCaptureFixture):
    first = results()
    first.keep(samples(first))
    (file,) = (tmp_path / "cache" / "evaluations").glob("arithmetic-*")
    file.write_bytes(file.read_bytes()[:-5])
    with caplog.at_level(logging.WARNING):
        assert set(results().find()) == {"python_functions"}
    assert "arithmetic: it is measured again" in caplog.text


def test_a_file_that_lacks_answers_is_measured_again(results: Open):
    first = results()
    first.keep(samples(first)[:-1])
    assert set(results().find()) == {"arithmetic"}


def test_a_cache_that_cannot_be_written_is_no_failure(results: Open, tmp_path: Path, caplog: pytest.LogCaptureFixture):
    (tmp_path / "cache").write_text("in the way")
    with caplog.at_level(logging.WARNING):
        first = results()
        first.keep(samples(first))
    assert "are not kept" in caplog.text
