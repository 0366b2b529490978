"""A Sampler that outlives its engine: a dead or hanging engine is replaced and given the last weights again."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from rlpt.samplers.protocol import Request, Sample, Sampler, SamplerError, ToolCall

T = TypeVar("T")
log = logging.getLogger(__name__)


class RestartingSampler:
    """Repeats a failed request on a fresh engine, `restarts_allowed` times in all; then the error passes through.

    The file given to `load` must stay in place until the next one is loaded.
    """

    def __init__(self, make: Callable[[], Sampler], restarts_allowed: int = 2) -> None:
        self._make = make
        self._sampler = make()
        self._left = restarts_allowed
        self._weights: tuple[Path, int] | None = None
        self.restarts = 0

    @property
    def version(self) -> int:
        """The policy version that the engine holds."""
        return self._sampler.version

    def sample(self, requests: Sequence[Request], seed: int) -> list[list[Sample]]:
        """See Sampler."""
        return self._retry(lambda: self._sampler.sample(requests, seed))

    def tool_calls(self, turns: Sequence[Sequence[int]], tools: Sequence[Mapping[str, Any]]) -> list[list[ToolCall]]:
        """See Sampler."""
        return self._retry(lambda: self._sampler.tool_calls(turns, tools))

    def load(self, weights: Path, version: int) -> None:
        """See Sampler."""
        self._weights = (weights, version)
        self._retry(lambda: self._sampler.load(weights, version))

    def counters(self) -> dict[str, float]:
        """How often the engine was started again."""
        return {"sampler/restarts": float(self.restarts)}

    def close(self) -> None:
        """See Sampler."""
        self._sampler.close()

    def _retry(self, request: Callable[[], T]) -> T:
        while True:
            try:
                return request()
            except SamplerError as error:
                self._left -= 1
                self._sampler.close()
                if self._left < 0:
                    raise
                log.warning("%s\nThe engine is started again.", error)
                self.restarts += 1
                self._sampler = self._make()
                if self._weights is not None:
                    self._sampler.load(*self._weights)
