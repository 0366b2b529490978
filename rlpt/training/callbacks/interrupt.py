"""Ctrl-C and SIGTERM end a run between two steps."""

from __future__ import annotations

import signal
from types import FrameType
from typing import Any

from lightning import Callback, LightningModule, Trainer

from rlpt.collectives import rank


class Interrupt(Callback):
    """Notes the first signal; the run ends after the step in hand. A second Ctrl-C ends it at once."""

    def __init__(self) -> None:
        self.requested = False
        self._previous: dict[int, Any] = {}

    def on_fit_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """Take over the signals."""
        for number in (signal.SIGINT, signal.SIGTERM):
            self._previous[number] = signal.signal(number, self._handle)

    def teardown(self, trainer: Trainer, pl_module: LightningModule, stage: str) -> None:
        """Give the signals back."""
        while self._previous:
            signal.signal(*self._previous.popitem())

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.requested and number == signal.SIGINT:
            raise KeyboardInterrupt
        if not self.requested and rank() == 0:
            print("\nFinishing this step and saving it; Ctrl-C again ends at once.", flush=True)
        self.requested = True
