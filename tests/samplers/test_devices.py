"""Which GPU an engine takes. Without a GPU here: what its process would be told."""

from __future__ import annotations

import pytest

from rlpt.samplers.vllm import visible_device


@pytest.mark.parametrize(
    ("device", "seen", "expected"),
    [(0, None, "0"), (3, None, "3"), (0, "5,7", "5"), (1, "5,7", "7"), (1, "GPU-a,GPU-b", "GPU-b")],
)
def test_an_engine_takes_the_gpu_of_its_rank(device: int, seen: str | None, expected: str) -> None:
    assert visible_device(device, {} if seen is None else {"CUDA_VISIBLE_DEVICES": seen}) == expected
