"""Settles the compute precision of a run that leaves it to the machine: `policy.dtype=auto`."""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

AUTO = "auto"
NATIVE = frozenset({"amx_bf16", "avx512_bf16", "bf16"})
"""How Linux calls the instructions that multiply bfloat16: two on x86, one on ARM. Without one of them bfloat16 is
emulated, at a fraction of the speed of float32."""


@dataclass(frozen=True, slots=True)
class ChosenPrecision:
    """What `auto` stands for on this machine, and why."""

    dtype: str
    because: str

    def __str__(self) -> str:
        return f"precision: {self.dtype} ({self.because})"


def choose(accelerator: str, processor: Set[str]) -> ChosenPrecision:
    """The fastest precision of an accelerator, given the feature flags of the machine's processor."""
    if accelerator != "cpu":
        return ChosenPrecision("bfloat16", "GPUs multiply it natively")
    if native := sorted(NATIVE & processor):
        return ChosenPrecision("bfloat16", f"the processor multiplies it natively: {', '.join(native)}")
    return ChosenPrecision("float32", "the processor does not multiply bfloat16 natively")


def settle(config: dict[str, Any], processor: Set[str] | None = None) -> tuple[dict[str, Any], ChosenPrecision | None]:
    """Return a resolved config with the precision in place of `auto`, and what was chosen, if anything was.

    The recorded config then says what ran, and a run that is resumed on another machine keeps its precision.
    """
    groups = [name for name in ("policy", "sampler") if dict(config.get(name) or {}).get("dtype") == AUTO]
    if not groups:
        return config, None
    flags = processor_flags() if processor is None else processor
    chosen = choose(dict(config.get("hardware") or {}).get("accelerator", "cpu"), flags)
    return {**config, **{name: {**config[name], "dtype": chosen.dtype} for name in groups}}, chosen


def processor_flags(cpuinfo: Path = Path("/proc/cpuinfo")) -> frozenset[str]:
    """The feature flags that Linux lists for the first core; none elsewhere."""
    try:
        text = cpuinfo.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return frozenset()
    found = re.search(r"^(?:flags|Features)\s*:(.*)$", text, re.MULTILINE)
    return frozenset(found.group(1).split()) if found else frozenset()
