"""vLLM in a process of its own, seen from the trainer: it can be waited for with a limit, killed and replaced."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from rlpt.config.tool_parsers import check_parser
from rlpt.records import FinishReason
from rlpt.samplers.protocol import Request, Sample, SamplerError, ToolCall

GPU_MEMORY_UTILIZATION = 0.4
"""Share of a GPU's memory that the engine takes by default; the trainer needs the rest."""


class VLLMSampler:
    """A Sampler whose engine is vLLM, on the CPU or on a GPU.

    The process is started by the constructor and gets ready in the background; the first call waits for it.

    Args:
        model_folder: Hugging Face model folder; its weights are policy version 0.
        log_path: file that takes everything that the engine prints.
        stop_token_ids: tokens that end a turn.
        dtype: `float32` or `bfloat16`, the precision of weights and computation.
        temperature, top_p, top_k: the sampling distribution; log-probabilities are of this distribution.
        context_length: most tokens of prompt and completion together.
        kv_cache_gib: memory for the key-value cache in GiB, on a CPU.
        max_num_seqs: most sequences in one engine batch.
        tool_parser: vLLM's name of the way in which the model writes tool calls; None where it is never asked for them.
        per_request_seeds: samples do not depend on what else is in the batch; many times slower on a CPU.
        rank: number of the trainer's rank; engines of other ranks draw other random numbers.
        startup_timeout_s, request_timeout_s: after these the process is killed and SamplerError raised.
        device: which of the GPUs that this process sees the engine takes; None on a CPU.
        threads: CPU threads of the engine; None leaves the choice to OpenMP.
        engine: further arguments of vLLM's engine, by name.

    Raises:
        UserError: for a tool parser that vLLM does not have.
    """

    def __init__(
        self,
        *,
        model_folder: Path,
        log_path: Path,
        stop_token_ids: Sequence[int],
        dtype: str = "bfloat16",
        temperature: float = 1.0,
        top_p: float = 1.0,
        top_k: int = -1,
        context_length: int = 1024,
        kv_cache_gib: float = 1.0,
        max_num_seqs: int = 128,
        per_request_seeds: bool = False,
        tool_parser: str | None = None,
        startup_timeout_s: float = 300.0,
        request_timeout_s: float = 600.0,
        threads: int | None = None,
        rank: int = 0,
        device: int | None = None,
        engine: Mapping[str, Any] | None = None,
    ) -> None:
        check_parser(tool_parser)
        self._request_timeout_s = request_timeout_s
        self._startup_timeout_s = startup_timeout_s
        self._log_path = log_path
        self.model_folder = model_folder
        self._version = 0
        self._ready = False
        settings = {
            "temperature": temperature,
            "top_p": top_p,
            "top_k": top_k,
            "per_request_seeds": per_request_seeds,
            "rank": rank,
            "stop_token_ids": list(stop_token_ids),
            "tool_parser": tool_parser,
            "engine": {
                "model": str(model_folder),
                "dtype": dtype,
                "max_model_len": context_length,
                "max_num_seqs": max_num_seqs,
                "logprobs_mode": "processed_logprobs",
                "enforce_eager": True,
                "enable_prefix_caching": True,
                # Whole blocks are shared between prompts with the same beginning, as all samples of a task have. vLLM's
                # own choice on a CPU, 128 tokens, is longer than most prompts here; 32 is the least it takes there.
                "block_size": 32,
                "skip_tokenizer_init": True,
                "disable_log_stats": True,
                "seed": 0,
                **_memory(kv_cache_gib, device),
                **(engine or {}),
            },
        }
        self._process, self._connection = _spawn(log_path, _environment(threads, device))
        self._connection.send(("start", settings))

    @property
    def pid(self) -> int:
        """Process id of the engine."""
        return self._process.pid

    @property
    def version(self) -> int:
        """The policy version that the engine holds."""
        return self._version

    def sample(self, requests: Sequence[Request], seed: int) -> list[list[Sample]]:
        """Return `requests[i].n` samples for each request, in order. The same seed gives the same samples."""
        if not requests:
            return []
        wire = [(list(request.prompt_ids), request.n, request.max_new_tokens, request.greedy) for request in requests]
        answers = self._call("sample", {"requests": wire, "seed": seed})
        return [
            [Sample(token_ids, logprobs, _finish(reason), self._version) for token_ids, logprobs, reason in answer]
            for answer in answers
        ]

    def tool_calls(self, turns: Sequence[Sequence[int]], tools: Sequence[Mapping[str, Any]]) -> list[list[ToolCall]]:
        """Find the tool calls in turns that the engine wrote, one list for each turn, in order."""
        if not turns:
            return []
        wire = {"turns": [list(turn) for turn in turns], "tools": [dict(tool) for tool in tools]}
        return [[ToolCall(*call) for call in calls] for calls in self._call("tool_calls", wire)]

    def load(self, weights: Path, version: int) -> None:
        """Take the weights of a safetensors file as policy `version` and forget every cached prefix."""
        self._call("load", str(weights))
        self._version = version

    def wait_ready(self) -> None:
        """Wait until the engine has loaded its model.

        Raises:
            SamplerError: where it does not get ready in time or ends; its last lines of log are in the message.
        """
        if not self._ready:
            self._receive(self._startup_timeout_s, "start")
            self._ready = True

    def close(self) -> None:
        """End the engine. May be called twice."""
        self._connection.close()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _call(self, name: str, payload: Any) -> Any:  # noqa: ANN401 - each request has its own answer
        self.wait_ready()
        try:
            self._connection.send((name, payload))
        except OSError:
            raise self._failure(name, "ended") from None
        return self._receive(self._request_timeout_s, name)

    def _receive(self, timeout_s: float, name: str) -> Any:  # noqa: ANN401
        try:
            if not self._connection.poll(timeout_s):
                self._process.kill()
                raise self._failure(name, f"gave no answer within {timeout_s:g} s and was killed")
            status, value = self._connection.recv()
        except (EOFError, OSError):
            raise self._failure(name, "ended") from None
        if status == "failed":
            raise SamplerError(f"The vLLM engine failed to {name}: {value} (log: {self._log_path}).")
        return value

    def _failure(self, name: str, what: str) -> SamplerError:
        code = None
        try:
            code = self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
        ending = f" (exit code {code})" if what == "ended" and code is not None else ""
        return SamplerError(
            f"The vLLM engine {what}{ending} when asked to {name}; the end of its log {self._log_path}:\n"
            f"{_tail(self._log_path)}"
        )


def _memory(kv_cache_gib: float, device: int | None) -> dict[str, Any]:
    """How much memory the engine takes: for its cache on a CPU, for everything on a GPU that a trainer shares."""
    if device is None:
        return {"kv_cache_memory_bytes": int(kv_cache_gib * 2**30)}
    return {"gpu_memory_utilization": GPU_MEMORY_UTILIZATION}


def visible_device(device: int, environment: Mapping[str, str]) -> str:
    """CUDA_VISIBLE_DEVICES for an engine that may use the `device`-th of the GPUs that this process sees."""
    seen = [entry for entry in environment.get("CUDA_VISIBLE_DEVICES", "").split(",") if entry]
    return seen[device] if device < len(seen) else str(device)


def _environment(threads: int | None, device: int | None) -> dict[str, str]:
    environment = {
        **os.environ,
        "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
        # By default vLLM pins itself and leaves one core free; trainer and engine take turns, so it may have all.
        "VLLM_CPU_OMP_THREADS_BIND": "nobind",
        "VLLM_NO_USAGE_STATS": "1",
        "VLLM_LOGGING_LEVEL": os.environ.get("VLLM_LOGGING_LEVEL", "WARNING"),
        "PYTHONUNBUFFERED": "1",
    }
    # Left over from a distributed trainer, these would make the engine join the trainer's process group.
    for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT", "NODE_RANK"):
        environment.pop(name, None)
    if device is not None:
        environment["CUDA_VISIBLE_DEVICES"] = visible_device(device, os.environ)
    if threads is not None:
        environment["OMP_NUM_THREADS"] = str(threads)
    return environment


def _spawn(log_path: Path, environment: Mapping[str, str]) -> tuple[subprocess.Popen[bytes], Connection]:
    log_path.parent.mkdir(parents=True, exist_ok=True)
    ours, theirs = socket.socketpair()
    with theirs, log_path.open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "rlpt.samplers.vllm_worker", str(theirs.fileno())],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            env=dict(environment),
            pass_fds=[theirs.fileno()],
            start_new_session=True,  # Ctrl-C is the trainer's: it still needs the engine to finish its step
        )
    return process, Connection(ours.detach())


def _finish(reason: str | None) -> FinishReason:
    return "stop" if reason == "stop" else "length" if reason == "length" else "abort"


def _tail(path: Path, lines: int = 15) -> str:
    try:
        return "\n".join(path.read_text(errors="replace").splitlines()[-lines:])
    except OSError:
        return "(no log)"
