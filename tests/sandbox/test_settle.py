"""A run settles on one sandbox before its workers start."""

from __future__ import annotations

from pathlib import Path

import pytest
from hydra.utils import instantiate
from omegaconf import OmegaConf

from rlpt.config.preflight import compose_config
from rlpt.errors import UserError
from rlpt.sandbox.choice import settle
from rlpt.sandbox.warm import WarmSandbox


def node(name: str) -> dict[str, object]:
    found = OmegaConf.to_container(compose_config("train", [f"sandbox={name}"]).sandbox, resolve=True)
    assert isinstance(found, dict)
    return {str(key): value for key, value in found.items()}


def test_auto_becomes_what_it_took(process: WarmSandbox, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    choice = settle(node("auto"))
    assert str(choice).startswith("sandbox: process (there is no Docker engine")
    sandbox = instantiate(choice.node)
    assert (sandbox.name, sandbox.chosen_because) == ("process", choice.because)
    sandbox.close()


def test_auto_becomes_docker(docker: WarmSandbox) -> None:
    choice = settle(node("auto"))
    assert choice.name == "docker"
    sandbox = instantiate(choice.node)
    assert sandbox.run_sync("print(1)").stdout == b"1\n"
    sandbox.close()


def test_what_was_asked_for_stays(process: WarmSandbox) -> None:
    assert settle(node("process")).node == node("process")


def test_what_does_not_work_is_one_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    with pytest.raises(UserError, match=r"^sandbox=docker needs a Docker engine"):
        settle(node("docker"))
