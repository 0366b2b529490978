"""Schema of the group `sampler`: the inference engine that writes rollouts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from omegaconf import MISSING

from rlpt.config.schemas.policy import Precision


@dataclass
class VLLM:
    """Arguments of `rlpt.samplers.vllm.VLLMSampler`; `engine` holds further arguments of vLLM's engine."""

    _target_: str = MISSING
    dtype: Precision = MISSING
    context_length: int = MISSING
    temperature: float = MISSING
    top_p: float = MISSING
    top_k: int = MISSING
    kv_cache_gib: float = MISSING
    max_num_seqs: int = MISSING
    per_request_seeds: bool = MISSING
    tool_parser: str | None = MISSING
    threads: int | None = MISSING
    startup_timeout_s: float = MISSING
    request_timeout_s: float = MISSING
    engine: dict[str, Any] = MISSING


SCHEMAS: dict[str, type] = {"vllm_schema": VLLM}
