"""`rlpt wandb`: W&B's own client sends offline runs to a small server that stands in for the service.

The service itself cannot be reached from here, so what it makes of a workspace is not tested, only what is sent to it.
"""

from __future__ import annotations

import gzip
import json
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml

from rlpt.commands.completion import candidates
from rlpt.commands.wandb import main
from rlpt.errors import UserError
from rlpt.run_dir import RunDir
from rlpt.tracking.protocol import RunInfo
from rlpt.tracking.recorder import Recorder
from rlpt.tracking.wandb import WandbTracker
from rlpt.tracking.wandb_layout import layout
from rlpt.tracking.wandb_session import known_run_id
from rlpt.tracking.wandb_sync import unsent

REWARD = "eval/arithmetic/reward"


class Service(BaseHTTPRequestHandler):
    """Says yes to what W&B's client asks, and keeps what is sent: path and body."""

    requests: list[tuple[str, dict[str, Any]]]

    def do_GET(self) -> None:
        self._reply({})

    def do_PUT(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self._reply({})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.headers.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
        sent = json.loads(body) if self.headers["content-type"].startswith("application/json") else {}
        self.requests.append((self.path, sent))
        self._reply({"data": self._answer(operation(sent), sent.get("variables", {}))})

    def _answer(self, operation: str, given: dict[str, Any]) -> dict[str, Any]:
        if operation == "UpsertBucket":
            project = {"id": "p", "name": given["project"], "entity": {"id": "e", "name": given["entity"] or "me"}}
            bucket = {"id": "x", "name": given["name"], "displayName": "n", "project": project, "historyLineCount": 0}
            return {"upsertBucket": {"bucket": bucket, "inserted": True}}
        if operation == "CreateRunFiles":
            url = f"http://127.0.0.1:{self.server.server_address[1]}/upload"
            files = [{"name": name, "uploadUrl": url} for name in given["files"]]
            return {"createRunFiles": {"runID": "x", "uploadHeaders": [], "files": files}}
        if operation in ("Viewer", "GetDefaultEntity"):
            return {"viewer": {"id": "me", "entity": "me", "username": "me", "flags": "{}", "teams": {"edges": []}}}
        if operation == "UpsertView2":
            return {"upsertView": {"view": {"id": "v", "name": given["name"]}, "inserted": True}}
        return {}

    def _reply(self, value: object) -> None:
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *unused: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    """Says nothing of clients that hang up."""

    def handle_error(self, *unused: object) -> None:
        pass


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[str, dict[str, Any]]]]:
    """What a server, which W&B's client takes for the service, has received."""
    requests: list[tuple[str, dict[str, Any]]] = []
    server = Server(("127.0.0.1", 0), type("Mine", (Service,), {"requests": requests}))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("WANDB_BASE_URL", f"http://127.0.0.1:{server.server_address[1]}")
    monkeypatch.setenv("WANDB_API_KEY", "0" * 40)
    yield requests
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was recorded offline, in two parts."""
    folder = tmp_path_factory.mktemp("recorded")
    config = {"name": "n", "domain": {"arithmetic": {}, "code": {}}, "tracker": {"project": "mine", "entity": None}}
    (folder / "config.yaml").write_text(yaml.safe_dump(config))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(folder / "home"))
        for start, steps in ((0, range(4)), (2, range(3, 6))):
            recorder = Recorder(RunInfo(folder, "n", config, start_step=start), WandbTracker)
            for step in steps:
                recorder.log(step, {REWARD: step / 10})
            recorder.finish(0)
    import wandb

    wandb.teardown()  # it would remember the environment of now
    return folder


@pytest.fixture
def run(recorded: Path, tmp_path: Path, no_account: None) -> Path:
    return shutil.copytree(recorded, tmp_path / "run", symlinks=True)


def operation(sent: dict[str, Any]) -> str:
    """What a GraphQL request asks for; "" where it is none."""
    named = re.search(r"(?:query|mutation) (\w+)", sent.get("query", ""))
    return named.group(1) if named else ""


def rows(requests: list[tuple[str, dict[str, Any]]]) -> list[tuple[str, int]]:
    """The steps that were sent, each with the run that they were sent to."""
    sent = [(path, body["files"]) for path, body in requests if path.endswith("/file_stream") and "files" in body]
    history = [(path, files["wandb-history.jsonl"]) for path, files in sent if "wandb-history.jsonl" in files]
    return [(path, json.loads(line)["rl/step"]) for path, file in history for line in file["content"]]


def test_all_parts_of_a_run_are_sent_in_order_into_one_run_and_only_once(
    run: Path,
    tmp_path: Path,
    service: list[tuple[str, dict[str, Any]]],
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert len(unsent(RunDir(run))) == 2
    assert main(["sync", str(run), "entity=team", "project=theirs"]) == 0
    assert rows(service) == [(f"/files/team/theirs/{known_run_id(RunDir(run))}/file_stream", step) for step in range(6)]
    assert unsent(RunDir(run)) == []
    assert not (tmp_path / "wandb").exists(), "W&B's logs lie in the run directory"
    service.clear()
    assert main(["sync", str(run)]) == 0
    assert service == []
    assert "W&B has everything already" in capfd.readouterr().out


def test_without_a_key_it_says_how_to_get_one(run: Path) -> None:
    with pytest.raises(UserError, match=r"There is no W&B key for .*; set WANDB_API_KEY or run `wandb login`"):
        main(["sync", str(run)])


def test_without_a_network_it_says_so_at_once(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WANDB_API_KEY", "0" * 40)
    monkeypatch.setenv("WANDB_BASE_URL", "http://127.0.0.1:9")
    with pytest.raises(UserError, match=r"W&B cannot be reached at http://127.0.0.1:9 \(.*refused\)"):
        main(["sync", str(run)])
    assert len(unsent(RunDir(run))) == 2


def test_a_run_without_offline_files_and_wrong_words_are_refused(run: Path) -> None:
    shutil.rmtree(run / "wandb")
    for words, said in (
        (["sync", str(run)], "holds no offline files of W&B"),
        (["sync"], "takes a run directory"),
        (["sync", str(run / "nowhere")], "no such folder"),
        (["sink", str(run)], "There is no rlpt wandb sink"),
        (["sync", str(run), "projekt=x"], "did you mean project="),
        (["sync", str(run), "project="], "has no value"),
    ):
        with pytest.raises(UserError, match=said):
            main(words)


def test_a_workspace_has_one_section_a_domain_over_steps() -> None:
    sections = {section.title: section for section in layout(["arithmetic", "my.code"])}
    assert {"arithmetic", "my.code"} <= sections.keys()
    panels = {panel.title: panel for panel in sections["my.code"].panels}
    assert panels["reward"].metrics == ["train/my.code/reward", "eval/my.code/reward"]
    assert "regression/my.code_low" in panels["change since training began, with its interval"].metrics
    assert panels["pass_at"].pattern == r"eval/my\.code/pass_at_[0-9]+"
    assert not any("arithmetic" in name for panel in panels.values() for name in panel.metrics)
    (rewards,) = (panel for panel in sections["All domains"].panels if panel.title == "eval/reward")
    assert rewards.metrics == ["eval/arithmetic/reward", "eval/my.code/reward"]


def test_the_workspace_that_is_sent_has_the_sections_and_the_axis(
    run: Path,
    service: list[tuple[str, dict[str, Any]]],
    need: Callable[[str | None], None],
    capsys: pytest.CaptureFixture[str],
) -> None:
    need(None if find_spec("wandb_workspaces") else "wandb-workspaces is not installed")
    assert main(["workspace", str(run), "name=by domain"]) == 0
    assert "A section for each of arithmetic, code: http" in capsys.readouterr().out
    (sent,) = (body["variables"] for _, body in service if operation(body) == "UpsertView2")
    assert (sent["entityName"], sent["projectName"], sent["displayName"]) == ("me", "mine", "by domain")
    sections = json.loads(sent["spec"])["section"]["panelBankConfig"]["sections"]
    wanted = layout(["arithmetic", "code"])
    assert [section["name"] for section in sections] == [section.title for section in wanted]
    for section, own in zip(sections, wanted, strict=True):
        assert section["localPanelSettings"]["xAxis"] == "rl/step"
        assert len(section["panels"]) == len(own.panels)
    plot = next(panel for panel in sections[1]["panels"] if panel["config"]["chartTitle"] == "reward")
    assert plot["config"]["metrics"] == ["train/arithmetic/reward", "eval/arithmetic/reward"]
    assert plot["config"]["xAxis"] == "rl/step"


def test_a_workspace_needs_its_package_and_a_run_with_domains(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rlpt.config.extras.find_spec", lambda name: None)
    with pytest.raises(
        UserError, match=r"needs the package wandb-workspaces; install it with: pip install 'rlpt\[work"
    ):
        main(["workspace", str(run)])
    monkeypatch.setattr("rlpt.config.extras.find_spec", lambda name: name)
    with pytest.raises(UserError, match="There is no W&B key"):
        main(["workspace", str(run)])
    (run / "config.yaml").write_text("domain: {}\n")
    with pytest.raises(UserError, match="has no domains"):
        main(["workspace", str(run)])


def test_help_and_completion(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, run: Path) -> None:
    assert main([]) == main(["sync", "--help"]) == 0
    assert "rlpt wandb sync RUN" in capsys.readouterr().out
    monkeypatch.chdir(run.parent)
    assert candidates("rlpt wandb ") == ["sync", "workspace"]
    assert candidates("rlpt wandb sync r") == ["run"]
    assert candidates("rlpt wandb sync run p") == ["project="]
    assert candidates("rlpt wandb workspace run n") == ["name="]
    assert candidates("rlpt wandb nonsense x") == []
