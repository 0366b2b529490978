"""The process that holds a vLLM engine: `python -m rlpt.samplers.vllm_worker FD`, spoken to over a socket.

The engine runs inside this process (no further process of vLLM's own), so that weights can be handed over as
tensors and a dying trainer leaves nothing behind. Messages are pickled: both ends are rlpt.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Mapping, Sequence
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

from rlpt.parent import when_orphaned
from rlpt.samplers.vllm_tool_calls import CallReader

if TYPE_CHECKING:
    from torch import nn


def main() -> None:
    """Serve one client until it closes the socket or dies."""
    # Also in the middle of a long generation, where the socket is not read.
    when_orphaned(lambda: os._exit(1), os.getppid())
    connection = Connection(int(sys.argv[1]))
    try:
        engine: _Engine | None = None
        while True:
            name, payload = connection.recv()
            try:
                if name == "start":
                    engine, value = _Engine(payload), None
                else:
                    assert engine is not None, f"{name} before start"
                    value = engine.handle(name, payload)
                connection.send(("done", value))
            except Exception as error:  # every failure is the client's to judge; this process must answer
                traceback.print_exc()
                connection.send(("failed", f"{type(error).__name__}: {error}"))
    except (EOFError, ConnectionError):
        pass
    finally:
        # vLLM leaves threads behind that keep a normal exit waiting.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


class _Engine:
    def __init__(self, settings: Mapping[str, Any]) -> None:
        from vllm import LLM

        self._temperature: float = settings["temperature"]
        self._top_p: float = settings["top_p"]
        self._top_k: int = settings["top_k"]
        self._stop_token_ids: list[int] = settings["stop_token_ids"]
        self._per_request_seeds: bool = settings["per_request_seeds"]
        self._rank: int = settings["rank"]
        self._reader = CallReader(settings["engine"]["model"], settings["tool_parser"], self._stop_token_ids)
        self._llm = LLM(**settings["engine"])

    def handle(self, name: str, payload: Any) -> Any:  # noqa: ANN401 - each request has its own answer
        if name == "sample":
            return self._sample(**payload)
        if name == "tool_calls":
            return self._reader.read(**payload)
        if name == "load":
            return self._load(payload)
        raise ValueError(f"unknown request {name!r}")

    def _sample(self, requests: Sequence[tuple[Sequence[int], int, int, bool]], seed: int) -> list[list[Any]]:
        import torch
        from vllm import SamplingParams

        # One seed for the whole batch: the sampler draws from torch's global generator. Seeds for single requests
        # make vLLM sample row by row, many times slower; they are for results that do not depend on the batch.
        torch.manual_seed(seed + self._rank)
        params = [
            SamplingParams(
                n=n,
                temperature=0.0 if greedy else self._temperature,
                top_p=self._top_p,
                top_k=self._top_k,
                max_tokens=max_tokens,
                stop_token_ids=self._stop_token_ids,
                logprobs=0,
                detokenize=False,
                seed=_request_seed(seed, prompt_ids) if self._per_request_seeds else None,
            )
            for prompt_ids, n, max_tokens, greedy in requests
        ]
        prompts = [{"prompt_token_ids": list(prompt_ids)} for prompt_ids, *_ in requests]
        outputs: Any = self._llm.generate(prompts, params, use_tqdm=False)  # type: ignore[arg-type]
        return [
            [
                (
                    list(out.token_ids),
                    [step[token].logprob for step, token in zip(out.logprobs, out.token_ids, strict=True)],
                    out.finish_reason,
                )
                for out in sorted(output.outputs, key=lambda out: out.index)
            ]
            for output in outputs
        ]

    def _load(self, path: str) -> None:
        from safetensors import safe_open

        with safe_open(path, framework="pt") as file:
            weights = [(name, file.get_tensor(name)) for name in file.keys()]  # noqa: SIM118
        self._llm.collective_rpc("reload_weights", kwargs={"weights_iterator": weights})
        self._llm.apply_model(_repack_output_layers)
        if not self._llm.reset_prefix_cache():
            raise RuntimeError("the prefix cache could not be dropped; stale prefixes would be served")


def _repack_output_layers(model: nn.Module) -> None:
    """On a CPU vLLM computes from a packed copy of each linear layer's weights.

    Reloading packs anew what it was given. An output layer tied to the embedding is given nothing: without this it
    would go on with the logits of the weights before.
    """
    from vllm.model_executor.layers.vocab_parallel_embedding import ParallelLMHead

    for layer in model.modules():
        if isinstance(layer, ParallelLMHead):
            layer.quant_method.process_weights_after_loading(layer)


def _request_seed(seed: int, prompt_ids: Sequence[int]) -> int:
    """A seed that depends on the step and the prompt alone, not on the request's place in the batch."""
    import hashlib

    digest = hashlib.sha256(f"{seed}:{list(prompt_ids)}".encode()).digest()
    return int.from_bytes(digest[:6], "big")


if __name__ == "__main__":
    main()
