"""Runs verifiers in processes that can be killed, and returns one verdict for each completion, always.

A worker that hangs, grows past its memory limit or dies is killed and replaced; its sample is tried once more, and then
its verdict is `infra_error` without a reward. All other samples keep their verdicts and their places.

Each worker has a thread of its own here, which keeps the clock. A call that takes far longer than its domain's verdicts
did on average is overdue: a spare worker then takes over its share, so that completions that hang do not hold up the
others. A second try gets a quarter of the time limit, since what hung once mostly hangs again.
"""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from rlpt.counting import add
from rlpt.errors import UserError
from rlpt.records import Message, Task, Verdict, verdict_from_json
from rlpt.verifiers.jobs import Batch, Job, plain_value
from rlpt.verifiers.pace import Pace
from rlpt.verifiers.process import CannotBuildError, WorkerLostError, WorkerProcess
from rlpt.verifiers.protocol import Item
from rlpt.verifiers.replacements import Replacements
from rlpt.verifiers.worker import encode

SPARES_PER_WORKER = 4
TRIES = 2


class VerifierPool:
    """A pool of worker processes; each holds a verifier of every domain. Works from any thread and several at once.

    `verifiers`: domain -> the verifier's resolved configuration (plain values with `_target_`).
    `workers`: processes that judge at once. `timeout_s`: wall clock of one verdict. `memory_mb`: memory of one worker
    in MiB, None for no limit. Workers start with the first call of `score` or `check`.
    """

    def __init__(
        self,
        verifiers: Mapping[str, Mapping[str, Any]],
        workers: int,
        timeout_s: float = 5.0,
        memory_mb: int | None = 1024,
    ) -> None:
        if workers < 1 or timeout_s <= 0:
            raise UserError(f"A verifier pool needs workers and a time limit; got {workers} workers and {timeout_s} s.")
        try:
            self._verifiers: dict[str, dict[str, Any]] = json.loads(json.dumps(verifiers, default=plain_value))
        except (TypeError, ValueError) as error:
            raise UserError(f"A verifier's configuration must hold plain values alone: {error}.") from error
        self.workers = workers
        self.timeout_s = timeout_s
        self.memory_mb = memory_mb
        self.infra_errors = 0
        """Verdicts that could not be made."""
        self.restarts = 0
        """Workers that hung, swelled or died."""
        lock = threading.Lock()
        self._work = threading.Condition(lock)
        self._done = threading.Condition(lock)
        self._jobs: deque[Job] = deque()
        self._threads: list[threading.Thread] = []
        self._starting = 0  # workers of which it is not known yet whether they can be built
        self._usable = False
        self._broken = ""
        self._running = 0  # calls that are not overdue
        self._overdue = 0
        self._pace = Pace(timeout_s)
        self._closed = False
        self._counted: dict[str, float] = {}
        self._replacements = Replacements(self._verifiers, memory_mb)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def check(self) -> None:
        """Start the workers and wait until one has built its verifiers. Raises UserError where none can."""
        with self._done:
            self._start()
            while self._starting and not self._usable and not self._closed:
                self._done.wait()
            self._raise_if_unusable()

    def score(self, items: Sequence[Item]) -> list[Verdict]:
        """Return the verdict on each item, in order. Raises as `score_timed` does."""
        return [verdict for verdict, _ in self.score_timed(items)]

    def score_timed(self, items: Sequence[Item]) -> list[tuple[Verdict, float]]:
        """Return the verdict on each item, a (task, completion) or more, and its seconds, in order.

        The seconds are from the request to the worker's answer: all tries together, without waiting for a free worker
        and without starting a new one.

        Raises UserError for a domain without a verifier, for a reference that is not plain values, and where a
        verifier cannot be built at all. Nothing that happens to a worker afterwards raises.
        """
        batch = Batch([None] * len(items), len(items))
        jobs = [Job(batch, i, item[0].domain, self._request(*item)) for i, item in enumerate(items)]
        with self._done:
            self._start()
            if not self._starting:
                self._raise_if_unusable()
            self._jobs.extend(jobs)
            self._work.notify_all()
            try:
                while batch.left and batch.error is None:
                    self._done.wait()
            finally:
                if batch.left:  # interrupted: nobody waits for these any more
                    self._jobs = deque(job for job in self._jobs if job.batch is not batch)
        if batch.error is not None:
            raise batch.error
        return [timed for timed in batch.verdicts if timed is not None]

    def counters(self) -> dict[str, float]:
        """What has happened so far, by name: here, and what the verifiers of all workers have counted."""
        with self._work:
            own = {"verifier/infra_errors": float(self.infra_errors), "verifier/restarts": float(self.restarts)}
            return own | self._counted

    def close(self) -> None:
        """End the workers, closing their verifiers. Calls of `score` that still wait raise. Idempotent."""
        with self._done:
            self._closed = True
            self._fail_all(RuntimeError("the verifier pool was closed"))
            self._work.notify_all()
            threads = list(self._threads)
        for thread in threads:
            thread.join()

    def _request(self, task: Task, completion: str, said: Sequence[Message] = ()) -> bytes:
        if task.domain not in self._verifiers:
            known = ", ".join(sorted(self._verifiers))
            raise UserError(f"The domain {task.domain!r} has no verifier in this pool; those with one are {known}.")
        try:
            return encode(task, completion, said)
        except (TypeError, ValueError) as error:
            sentence = f"The reference of {task.domain}/{task.task_id} must hold plain values: {error}."
            raise UserError(sentence) from error

    # What follows up to _run is called with the lock held.

    def _start(self) -> None:
        if self._closed:
            raise RuntimeError("the verifier pool is closed")
        for _ in range(self.workers - len(self._threads)):
            self._starting += 1
            self._add_thread(spare=False)

    def _add_thread(self, *, spare: bool) -> None:
        thread = threading.Thread(target=self._run, args=(spare,), name="verifier", daemon=True)
        self._threads.append(thread)
        thread.start()

    def _raise_if_unusable(self) -> None:
        if self._closed:
            raise RuntimeError("the verifier pool was closed")
        if not self._usable:
            raise UserError(f"A verifier cannot be built: {self._broken}")

    def _fail_all(self, error: Exception) -> None:
        for job in self._jobs:
            job.batch.error = error
        self._jobs.clear()
        self._done.notify_all()

    def _take(self, spare: bool) -> Job | None:
        """The next job; None when there will be none for this thread."""
        while not self._closed:
            if self._jobs and self._usable and self._running < self.workers and (self._overdue or not spare):
                self._running += 1
                return self._jobs.popleft()
            if spare:
                return None
            self._work.wait()
        return None

    def _finish(self, job: Job, outcome: Verdict | str, seconds: float) -> None:
        """File the verdict; or note what went wrong, and then the job is tried again or given up."""
        if job.overdue:
            job.overdue = False
            self._overdue -= 1
        else:
            self._running -= 1
        if isinstance(outcome, Verdict):
            self._pace.took(job.domain, seconds)
            self._file(job, outcome)
            return
        job.failures.append(outcome)
        if self._closed:
            self._jobs.append(job)
            self._fail_all(RuntimeError("the verifier pool was closed"))
        elif len(job.failures) < TRIES:
            self._jobs.append(job)
            self._work.notify()
        else:
            self.infra_errors += 1
            self._file(job, Verdict(None, "infra_error", job.failures[-1]))

    def _file(self, job: Job, verdict: Verdict) -> None:
        job.batch.verdicts[job.index] = (verdict, job.seconds)
        job.batch.left -= 1
        if not job.batch.left:
            self._done.notify_all()

    def _run(self, spare: bool) -> None:
        """The life of one worker's thread."""
        worker: WorkerProcess | None = None
        try:
            if not spare:
                worker = self._first_worker()
            while True:
                with self._work:
                    job = self._take(spare)
                if job is None:
                    return
                started = time.monotonic()
                worker, outcome = self._judge(worker, job)
                with self._work:
                    self._finish(job, outcome, time.monotonic() - started)
        finally:
            if worker is not None:
                worker.close()
            with self._work:
                self._work.notify_all()

    def _first_worker(self) -> WorkerProcess | None:
        """Start this thread's worker and record whether that is possible at all."""
        worker, problem = None, ""
        try:
            worker = WorkerProcess(self._verifiers, self.memory_mb)
        except (CannotBuildError, WorkerLostError, OSError) as error:
            problem = str(error)
        with self._work:
            self._starting -= 1
            self._usable = self._usable or worker is not None
            self._broken = self._broken or problem
            if self._usable:
                self._work.notify_all()
            elif not self._starting:
                self._fail_all(UserError(f"A verifier cannot be built: {self._broken}"))
            self._done.notify_all()
        return worker

    def _judge(self, worker: WorkerProcess | None, job: Job) -> tuple[WorkerProcess | None, Verdict | str]:
        """Have a job judged; return the worker, None where it was lost, and the verdict or what went wrong."""
        try:
            worker = worker or self._replacements.start(lambda: self._closed)
            answer = self._ask(worker, job)
            return worker, verdict_from_json(answer["verdict"]) if "verdict" in answer else str(answer["error"])
        except WorkerLostError as error:
            with self._work:
                self.restarts += 1
            return None, str(error)
        except Exception as error:  # whatever it is, nobody may be left waiting for this verdict
            if worker is not None:
                worker.kill()
            return None, f"no verdict: {type(error).__name__}: {error}"

    def _ask(self, worker: WorkerProcess, job: Job) -> dict[str, Any]:
        with self._work:
            overdue_s, limit_s = self._pace.overdue_s(job.domain), self._pace.limit_s(job)
        started, before = time.monotonic(), worker.counters
        try:
            return worker.ask(job.request, limit_s, overdue_s, lambda: self._make_room(job), lambda: self._closed)
        finally:
            job.seconds += time.monotonic() - started
            self._count(before, worker.counters)

    def _count(self, before: Mapping[str, float], after: Mapping[str, float]) -> None:
        with self._work:
            add(self._counted, after)
            add(self._counted, before, -1.0)

    def _make_room(self, job: Job) -> None:
        """An overdue call no longer counts as running; where there is work, a spare worker does its share."""
        with self._work:
            job.overdue = True
            self._running -= 1
            self._overdue += 1
            self._work.notify()
            self._threads = [thread for thread in self._threads if thread.is_alive()]
            if self._jobs and len(self._threads) < self.workers * (1 + SPARES_PER_WORKER) and not self._closed:
                self._add_thread(spare=True)
