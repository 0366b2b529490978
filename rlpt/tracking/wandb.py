"""Weights & Biases as a mirror of the local record. Whatever happens to W&B, the run goes on."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any, cast

from rlpt.run_dir import RunDir
from rlpt.tracking.bounded import BoundedCalls
from rlpt.tracking.files import dump_json
from rlpt.tracking.metrics_log import STEP, read_metrics
from rlpt.tracking.protocol import Artifact, Row, RunInfo
from rlpt.tracking.wandb_artifacts import Weights, send_artifact
from rlpt.tracking.wandb_metrics import define_metrics, summaries
from rlpt.tracking.wandb_session import base_url, choose_mode, give_up, has_key, last_offline_step, run_id
from rlpt.tracking.wandb_tables import table

log = logging.getLogger(__name__)

INIT_TIMEOUT_S = 30.0
OPEN_TIMEOUT_S = 120.0
LOG_TIMEOUT_S = 20.0
ARTIFACT_TIMEOUT_S = {"none": 120.0, "reference": 120.0, "upload": 1800.0}
FINISH_TIMEOUT_S = {"offline": 60.0, "online": 300.0}
MAX_NAME = 64


class WandbTracker:
    """Mirrors a run to W&B, offline where there is no key. Never asks for a login and prints nothing.

    Every call to W&B runs under a time limit on a thread of its own. The first failure is reported by one warning,
    all are counted in `failures`. Steps are W&B's own steps too, and a resumed run goes on under the same id: steps
    that W&B already has are not sent again, those that it lost are sent from metrics.jsonl.
    """

    def __init__(
        self,
        info: RunInfo,
        project: str = "rlpt",
        group: str | None = None,
        mode: str | Enum = "auto",
        samples_per_step: int = 4,
        weights: str | Enum = "reference",
        entity: str | None = None,
    ) -> None:
        """Open the W&B run of `info`. `mode` is auto, online, offline or disabled.

        `entity` is a user or team, `group` joins the runs of a sweep. `samples_per_step` is the number of answers of
        each domain in the table of a step. `weights` of checkpoints and policy: reference, upload or none.
        """
        self.failures = 0
        self.samples_per_step = samples_per_step
        self.location = ""
        self.mode = _word(mode)
        self._weights: Weights = cast(Weights, _word(weights))
        self._info = info
        self._project = project
        self._entity = entity
        self._group = group
        self._environ: set[str] = set()
        self._run: Any = None
        self._enabled = True
        self._offline = True
        self._stored_step = self._last_step = -1
        self._calls = BoundedCalls("wandb")
        self._guard("open", self._open, OPEN_TIMEOUT_S)

    def log(self, step: int, metrics: Mapping[str, float]) -> None:
        """Send numbers of one step."""
        if step > self._stored_step:
            self._last_step = step
            row = {STEP: step, **metrics}
            self._send("log", lambda run: run.log(row, step=step))

    def log_table(self, step: int, name: str, rows: Sequence[Row]) -> None:
        """Send texts of one step as the table `name`."""
        if rows and step > self._stored_step:
            self._send("log texts", lambda run: run.log({name: table(step, rows)}, step=step))

    def alert(self, step: int, title: str, text: str) -> None:
        """Send an alert; W&B mails it, or posts it where the user has connected a channel."""
        if step > self._stored_step:
            self._send("alert", lambda run: run.alert(title, text, level="WARN"))

    def artifact(self, step: int, artifact: Artifact) -> None:
        """Send an artifact: as an input of the run where it was used, else as an output."""
        if artifact.used or step > self._stored_step:
            timeout_s = ARTIFACT_TIMEOUT_S[self._weights]
            self._send("record an artifact", lambda run: send_artifact(run, artifact, self._weights), timeout_s)

    def summary(self, values: Mapping[str, Any]) -> None:
        """Send what the run came to."""
        self._send("write the summary", lambda run: run.summary.update(dict(values)))

    def finish(self, exit_code: int) -> None:
        """Close the W&B run; after a failure W&B's process is given up, so that nothing waits for it at exit."""
        if not self._enabled:
            return
        self._complete_summaries()
        timeout_s = FINISH_TIMEOUT_S["offline" if self._offline else "online"]
        self._send("finish", lambda run: run.finish(exit_code=exit_code), timeout_s + self._upload_s())
        self._enabled = False
        if self.failures:
            give_up()
        self._restore_environ()

    def _send(self, what: str, function: Callable[[Any], object], timeout_s: float = LOG_TIMEOUT_S) -> None:
        if not self._enabled:
            return
        if self._run is None:
            self.failures += 1
            return
        self._guard(what, lambda: function(self._run), timeout_s)

    def _guard(self, what: str, function: Callable[[], object], timeout_s: float) -> None:
        try:
            self._calls.call(function, timeout_s)
        except (Exception, SystemExit) as error:  # W&B raises of everything; none of it may end the run
            self.failures += 1
            if self.failures == 1:
                log.warning(
                    "W&B could not %s (%s: %s). The run goes on; all is recorded in %s. Further failures are "
                    "counted as tracker/failures.",
                    what,
                    type(error).__name__,
                    _first_line(error),
                    self._info.folder,
                )

    def _open(self) -> None:
        import wandb  # takes half a second: only where a run is recorded

        run_dir = RunDir(self._info.folder)
        run_dir.wandb.mkdir(parents=True, exist_ok=True)
        # Staged tables and logs would otherwise lie in the home folder, which nodes may not share.
        self._set_environ({"WANDB_DATA_DIR": str(run_dir.wandb), "WANDB_CACHE_DIR": str(run_dir.wandb / "cache")})
        mode = choose_mode(self.mode, os.environ, lambda: has_key(os.environ, base_url()))
        if mode == "disabled":
            self._enabled = False
            self._restore_environ()
            return
        if mode == "offline" and self.mode == "online":
            log.warning("There is no W&B key, so the run is recorded offline; set WANDB_API_KEY or run `wandb login`.")
        stored = last_offline_step(run_dir)  # before this run's own file is there
        try:
            self._run = self._init(wandb.init, run_dir, mode)
        except Exception as error:
            if mode == "offline":
                raise
            log.warning("W&B cannot be reached (%s); the run is recorded offline.", _first_line(error))
            wandb.teardown()  # its process holds the run's id
            self._run = self._init(wandb.init, run_dir, "offline")
        define_metrics(self._run, self._domains())
        self._offline = bool(self._run.offline)
        self.location = str(run_dir.wandb) if self._offline else str(self._run.url)
        self._stored_step = stored if self._offline else int(self._run.starting_step) - 1
        self._send_missing(run_dir)

    def _init(self, init: Callable[..., object], run_dir: RunDir, mode: str) -> object:
        wait_s = 240.0 + self._upload_s()
        return init(
            project=self._project,
            entity=self._entity,
            id=run_id(run_dir),
            resume="allow",
            name=self._info.name[:MAX_NAME],
            group=self._group[:MAX_NAME] if self._group else None,
            job_type=self._info.job_type,
            tags=[tag[:MAX_NAME] for tag in self._info.tags],
            # Enums and paths would become their repr. Runs can be grouped by what was chosen: `choices.algorithm`.
            config=json.loads(dump_json({**self._info.config, "choices": self._info.choices})),
            dir=str(run_dir.root),
            mode=mode,
            settings={"silent": True, "console": "off", "init_timeout": INIT_TIMEOUT_S, "finish_timeout": wait_s},
        )

    def _send_missing(self, run_dir: RunDir) -> None:
        if not run_dir.metrics.is_file():
            return
        for row in read_metrics(run_dir.metrics):
            if self._stored_step < row[STEP] <= self._info.start_step:
                self._run.log({name: value for name, value in row.items() if value is not None}, step=row[STEP])

    def _complete_summaries(self) -> None:
        """Where earlier parts of the run are in other files, W&B's own summaries know the last part alone."""
        file, domains = RunDir(self._info.folder).metrics, self._domains()

        def complete(run: Any) -> None:  # noqa: ANN401 - W&B's own type
            if self._last_step > self._stored_step:
                run.log({}, step=self._last_step, commit=True)  # a row that waits would be taken for the summary
            run.summary.update(summaries(read_metrics(file), domains))

        if self._stored_step >= 0 and file.is_file():
            self._send("write the summary", complete)

    def _upload_s(self) -> float:
        return ARTIFACT_TIMEOUT_S["upload"] if self._weights == "upload" else 0.0

    def _domains(self) -> list[str]:
        return list(self._info.config.get("domain", ()))

    def _set_environ(self, values: Mapping[str, str]) -> None:
        for name, value in values.items():
            if name not in os.environ:
                self._environ.add(name)
                os.environ[name] = value

    def _restore_environ(self) -> None:
        for name in self._environ:
            os.environ.pop(name, None)
        self._environ.clear()


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [""])[0]


def _word(value: str | Enum) -> str:
    return str(value.value if isinstance(value, Enum) else value)
