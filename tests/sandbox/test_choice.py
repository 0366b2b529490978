"""Which sandbox is taken, and what is said where one cannot be had."""

from __future__ import annotations

import io
import socket
import subprocess
import sys
import tarfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from rlpt.errors import UserError
from rlpt.sandbox.auto import auto_sandbox
from rlpt.sandbox.cell import CellLostError
from rlpt.sandbox.docker import connect, docker_sandbox, refuse_dropped_limits, why_not
from rlpt.sandbox.engine import missing_engine
from rlpt.sandbox.image import has_image, image_tag, main
from rlpt.sandbox.protocol import Limits
from rlpt.sandbox.warm import WarmSandbox


@pytest.mark.parametrize("limits", [{"wall_s": 0}, {"memory_mb": -1}])
def test_limits_that_are_none_are_one_sentence(process: WarmSandbox, limits: dict[str, float]) -> None:
    with pytest.raises(UserError, match=rf"^sandbox\.limits\.{next(iter(limits))}=.* must be a number from "):
        auto_sandbox(limits)


@pytest.fixture
def no_engine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")


def test_auto_takes_docker_where_an_engine_answers(docker: WarmSandbox) -> None:
    sandbox = auto_sandbox(Limits(), concurrency=1)
    assert (sandbox.name, sandbox.chosen_because) == ("docker", "a Docker engine answers")
    assert sandbox.run_sync("print(1)").stdout == b"1\n"
    sandbox.close()


def test_auto_takes_namespaces_else_and_says_why(process: WarmSandbox, no_engine: None, tmp_path: Path) -> None:
    sandbox = auto_sandbox(Limits(), concurrency=1)
    assert sandbox.name == "process"
    assert f"no Docker engine at {tmp_path}/none.sock" in sandbox.chosen_because
    assert sandbox.run_sync("print(1)").stdout == b"1\n"
    sandbox.close()


def test_auto_never_gives_up_an_image_that_was_asked_for(process: WarmSandbox, docker: WarmSandbox) -> None:
    with pytest.raises(UserError, match="no image nobody/has:this; pull or build it"):
        auto_sandbox(Limits(), concurrency=1, image="nobody/has:this")


def test_docker_without_an_engine_is_one_sentence(no_engine: None) -> None:
    with pytest.raises(UserError, match=r"there is no Docker engine at .*; start one, or use sandbox=process\.$"):
        docker_sandbox()
    assert why_not() is not None


def test_an_engine_that_never_answers_is_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"{tmp_path}/docker.sock")
        server.listen()
        monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/docker.sock")
        assert "no Docker engine answers" in str(missing_engine())


@pytest.mark.parametrize("host", ["ssh://somewhere", "tcp://127.0.0.1:1", "nonsense", "tcp://127.0.0.1:notaport"])
def test_other_addresses(monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    monkeypatch.setenv("DOCKER_HOST", host)
    assert host in str(missing_engine())


def test_a_runtime_that_the_engine_lacks(docker: WarmSandbox) -> None:
    with pytest.raises(UserError, match="no container can be started"):
        docker_sandbox(runtime="nobody-has-this")


def test_an_engine_that_drops_a_limit_is_refused() -> None:
    refuse_dropped_limits(["Your kernel does not support swap limit capabilities. Limitation discarded."])
    with pytest.raises(CellLostError, match="cannot keep a limit"):
        refuse_dropped_limits(["Your kernel does not support pids limit capabilities. PIDs limit discarded."])


def test_the_image_is_built_once(docker: WarmSandbox, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["machine"]) == 0
    assert capsys.readouterr().out == f"{image_tag()} was there already.\n"


def test_a_base_image_without_python_is_refused(
    docker: WarmSandbox, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rlpt.sandbox.image.image_tag", lambda: "rlpt-sandbox:of-nothing")
    with closing(connect()) as client:
        client.api.import_image_from_data(empty_archive(), repository="nothing", tag="at-all")
        assert main(["nothing:at-all"]) == 2
        assert not has_image(client, "rlpt-sandbox:of-nothing")
    assert "nothing:at-all" in capsys.readouterr().err


def empty_archive() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("empty"))
    return buffer.getvalue()


def test_building_without_an_engine_is_one_sentence(no_engine: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["machine"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


REFUSING_KERNEL = """
echo 0 > /proc/sys/user/max_{kind}_namespaces && exec "$0" -c '
from rlpt.errors import UserError
from rlpt.sandbox.process import process_sandbox
try:
    process_sandbox()
except UserError as error:
    print(error)
'
"""


@pytest.mark.parametrize("kind", ["user", "pid", "net", "mnt"])
def test_a_kernel_that_forbids_namespaces_is_an_error(process: WarmSandbox, kind: str) -> None:
    """A user namespace may forbid its own processes any further namespaces, as a machine's owner may."""
    command = ["unshare", "--user", "--map-root-user", "sh", "-c", REFUSING_KERNEL.format(kind=kind), sys.executable]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert said.startswith("sandbox=process does not work here: ")
    assert "sandbox=docker" in said
    assert said.count("\n") == 1


def test_the_supervisor_refuses_to_run_outside_a_namespace(need: Callable[[str | None], None]) -> None:
    """It kills every process that it can see."""
    program = "from rlpt.sandbox.inside.supervisor import main; main()"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert "process 1" in ended.stderr
