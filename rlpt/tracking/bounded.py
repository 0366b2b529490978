"""Calls into code that may hang: made one at a time on a thread of their own, and waited for only so long."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")


class StuckError(Exception):
    """A call did not return in time; calls made after it would wait behind it."""


class BoundedCalls:
    """One daemon thread that runs the calls given to it, in order.

    A thread rather than a pool of `concurrent.futures`: the interpreter waits for those at exit, and a call that
    hangs would keep the process alive.
    """

    def __init__(self, name: str) -> None:
        self._calls: queue.SimpleQueue[tuple[Callable[[], Any], Future[Any]]] = queue.SimpleQueue()
        self._stuck = False
        threading.Thread(target=self._run, name=name, daemon=True).start()

    @property
    def stuck(self) -> bool:
        """Whether a call has not returned in time."""
        return self._stuck

    def call(self, function: Callable[[], T], timeout_s: float) -> T:
        """What `function()` returns or raises.

        Raises StuckError where it has not returned after `timeout_s`, and at once for every later call.
        """
        if self._stuck:
            raise StuckError("an earlier call has not returned")
        future: Future[T] = Future()
        self._calls.put((function, future))
        try:
            return future.result(timeout_s)
        except TimeoutError as error:
            if future.done():  # the function's own TimeoutError
                raise
            self._stuck = True
            raise StuckError(f"no answer within {timeout_s:g} s") from error

    def _run(self) -> None:
        while True:
            function, future = self._calls.get()
            try:
                future.set_result(function())
            except BaseException as error:  # handed to the caller, whatever it is
                future.set_exception(error)
