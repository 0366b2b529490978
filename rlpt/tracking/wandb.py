"""Weights & Biases as a mirror of the local record. Whatever happens to W&B, the run goes on."""

from __future__ import annotations

import json
import logging
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any

from rlpt.run_dir import RunDir
from rlpt.tracking.bounded import BoundedCalls
from rlpt.tracking.files import dump_json
from rlpt.tracking.metrics_log import STEP, read_metrics
from rlpt.tracking.protocol import Row, RunInfo
from rlpt.tracking.wandb_session import choose_mode, has_key, last_offline_step, run_id

log = logging.getLogger(__name__)

INIT_TIMEOUT_S = 30.0
OPEN_TIMEOUT_S = 120.0
LOG_TIMEOUT_S = 20.0
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
    ) -> None:
        """Open the W&B run of `info`. `mode` is auto, online, offline or disabled.

        `group` joins the runs of a sweep. `samples_per_step` is the number of answers of each
        domain in the table of a step.
        """
        self.failures = 0
        self.samples_per_step = samples_per_step
        self.location = ""
        self.mode = str(mode.value if isinstance(mode, Enum) else mode)
        self._info = info
        self._project = project
        self._group = group
        self._environ: set[str] = set()
        self._run: Any = None
        self._enabled = True
        self._offline = True
        self._stored_step = -1
        self._calls = BoundedCalls("wandb")
        self._guard("open", self._open, OPEN_TIMEOUT_S)

    def log(self, step: int, metrics: Mapping[str, float]) -> None:
        """Send numbers of one step."""
        if step > self._stored_step:
            row = {STEP: step, **metrics}
            self._send("log", lambda run: run.log(row, step=step))

    def log_samples(self, step: int, rows: Sequence[Row]) -> None:
        """Send texts of one step as the table `samples`."""
        if rows and step > self._stored_step:
            self._send("log samples", lambda run: run.log({"samples": _table(step, rows)}, step=step))

    def summary(self, values: Mapping[str, Any]) -> None:
        """Send what the run came to."""
        self._send("write the summary", lambda run: run.summary.update(dict(values)))

    def finish(self, exit_code: int) -> None:
        """Close the W&B run; after a failure W&B's process is given up, so that nothing waits for it at exit."""
        if not self._enabled:
            return
        timeout_s = FINISH_TIMEOUT_S["offline" if self._offline else "online"]
        self._send("finish", lambda run: run.finish(exit_code=exit_code), timeout_s)
        self._enabled = False
        if self.failures:
            _give_up()
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
        mode = choose_mode(self.mode, os.environ, lambda: has_key(os.environ, _base_url()))
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
        self._run.define_metric(STEP)
        self._run.define_metric("*", step_metric=STEP)
        self._offline = bool(self._run.offline)
        self.location = str(run_dir.wandb) if self._offline else str(self._run.url)
        self._stored_step = stored if self._offline else int(self._run.starting_step) - 1
        self._send_missing(run_dir)

    def _init(self, init: Callable[..., object], run_dir: RunDir, mode: str) -> object:
        return init(
            project=self._project,
            id=run_id(run_dir),
            resume="allow",
            name=self._info.name[:MAX_NAME],
            group=self._group[:MAX_NAME] if self._group else None,
            job_type=self._info.job_type,
            tags=[tag[:MAX_NAME] for tag in self._info.tags],
            config=json.loads(dump_json(self._info.config)),  # enums and paths would become their repr
            dir=str(run_dir.root),
            mode=mode,
            settings={"silent": True, "console": "off", "init_timeout": INIT_TIMEOUT_S, "finish_timeout": 240.0},
        )

    def _send_missing(self, run_dir: RunDir) -> None:
        if not run_dir.metrics.is_file():
            return
        for row in read_metrics(run_dir.metrics):
            if self._stored_step < row[STEP] <= self._info.start_step:
                self._run.log({name: value for name, value in row.items() if value is not None}, step=row[STEP])

    def _set_environ(self, values: Mapping[str, str]) -> None:
        for name, value in values.items():
            if name not in os.environ:
                self._environ.add(name)
                os.environ[name] = value

    def _restore_environ(self) -> None:
        for name in self._environ:
            os.environ.pop(name, None)
        self._environ.clear()


def _base_url() -> str:
    import wandb

    # Global settings, so that W&B does not tell on stderr where it found a key.
    return str(wandb.setup(settings=wandb.Settings(silent=True)).settings.base_url)


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [""])[0]


def _table(step: int, rows: Sequence[Row]) -> object:
    import wandb

    columns = list(dict.fromkeys(name for row in rows for name in row))
    data = [[step, *(_cell(row.get(name)) for name in columns)] for row in rows]
    return wandb.Table(columns=[STEP, *columns], data=data, allow_mixed_types=True)


def _cell(value: object) -> object:
    if value is None or isinstance(value, bool | int | float):
        return value
    # A lone surrogate from a model's bytes cannot be encoded and would cost the whole table.
    return str(value).encode("utf-8", "backslashreplace").decode("utf-8")


def _give_up() -> None:
    """Take W&B's hook off the interpreter's exit: it waits for W&B's process without a limit."""

    def teardown() -> None:
        try:
            import wandb

            wandb.teardown()
        except Exception as error:
            log.debug("W&B teardown: %s", error)

    thread = threading.Thread(target=teardown, name="wandb-teardown", daemon=True)
    thread.start()
    thread.join(5.0)
