"""TensorBoard as a mirror of the local record: event files in `RUN/tensorboard`."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import yaml

from rlpt.config.extras import require
from rlpt.run_dir import RunDir
from rlpt.tracking.files import dump_json
from rlpt.tracking.metrics_log import STEP
from rlpt.tracking.protocol import Artifact, Row, RunInfo
from rlpt.tracking.tensorboard_texts import as_code, flat, rows_as_markdown, safe

log = logging.getLogger(__name__)


class TensorBoardTracker:
    """Mirrors a run to event files. What a resumed run does again takes the place of what was there.

    The first failure is reported by one warning, all are counted in `failures`.
    """

    def __init__(self, info: RunInfo, samples_per_step: int = 4) -> None:
        """Open the run's event files. `samples_per_step` is the number of answers of each domain shown of a step.

        Raises:
            UserError: where TensorBoard is not installed.
        """
        require("tensorboard", "tensorboard", "tracker=tensorboard")
        from torch.utils.tensorboard import SummaryWriter  # takes seconds where torch is not loaded yet

        self.failures = 0
        self.samples_per_step = samples_per_step
        self.location = str(RunDir(info.folder).tensorboard)
        self._info = info
        self._last: dict[str, float] = {}
        self._writer: Any = None
        # Steps from here on are about to happen again; what the files have of them is no longer shown.
        again = info.start_step + 1 if info.start_step else 0
        self._guard("open", lambda: self._open(SummaryWriter(self.location, purge_step=again)))

    def log(self, step: int, metrics: Mapping[str, float]) -> None:
        """Write numbers of one step."""
        self._last |= {**metrics, STEP: step}

        def write(writer: Any) -> None:  # noqa: ANN401 - TensorBoard's own type
            for name, value in metrics.items():
                writer.add_scalar(name, value, step)
            writer.flush()

        self._send("log", write)

    def log_table(self, step: int, name: str, rows: Sequence[Row]) -> None:
        """Write texts of one step, for each domain as `name/DOMAIN`."""
        for domain in dict.fromkeys(row["domain"] for row in rows):
            self._text(step, f"{name}/{domain}", rows_as_markdown([row for row in rows if row["domain"] == domain]))

    def alert(self, step: int, title: str, text: str) -> None:
        """Write it as a text: TensorBoard tells nobody."""
        self._text(step, "alerts", safe(f"**{title}**\n\n{text}"))

    def artifact(self, step: int, artifact: Artifact) -> None:
        """Write where it lies, or what it holds."""
        text = str(artifact.folder) if artifact.folder else "\n\n".join(artifact.texts.values())
        self._text(step, f"artifacts/{artifact.name}", as_code(text))

    def summary(self, values: Mapping[str, Any]) -> None:
        """Write what the run came to as a text, and the config beside the rewards for TensorBoard's own table."""
        step = int(self._last.get(STEP, self._info.start_step))
        self._text(step, "summary", as_code(dump_json(values, indent=2)))
        self._send("log", self._write_settings)

    def finish(self, exit_code: int) -> None:
        """Close the event files. Calling it twice is allowed."""
        writer, self._writer = self._writer, None
        if writer is not None:
            self._guard("finish", writer.close)

    def _open(self, writer: Any) -> None:  # noqa: ANN401 - TensorBoard's own type
        self._writer = writer
        config = yaml.safe_dump({"tags": list(self._info.tags), **self._plain_config()}, sort_keys=False)
        writer.add_text("config", as_code(config), self._info.start_step)

    def _write_settings(self, writer: Any) -> None:  # noqa: ANN401 - TensorBoard's own type
        from torch.utils.tensorboard.summary import hparams

        # Not `add_hparams`: it would write the results a second time, into a file of their own.
        results = {name: value for name, value in self._last.items() if name.startswith(("eval/", "regression/"))}
        for part in hparams(flat(self._info.config), results):
            writer.file_writer.add_summary(part)

    def _plain_config(self) -> dict[str, Any]:
        plain: dict[str, Any] = yaml.safe_load(dump_json(self._info.config))
        return plain

    def _text(self, step: int, name: str, text: str) -> None:
        self._send("log texts", lambda writer: writer.add_text(name, text, step))

    def _send(self, what: str, function: Callable[[Any], object]) -> None:
        if self._writer is not None:
            self._guard(what, lambda: function(self._writer))

    def _guard(self, what: str, function: Callable[[], object]) -> None:
        try:
            function()
        except Exception as error:  # a mirror's failure ends no run
            self.failures += 1
            if self.failures == 1:
                log.warning(
                    "TensorBoard could not %s (%s: %s). The run goes on; all is recorded in %s.",
                    what,
                    type(error).__name__,
                    error,
                    self._info.folder,
                )
