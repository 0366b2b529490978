"""Seeds for every purpose from the run's one seed, so that no state need be saved to go on from a step."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from rlpt.domains.mixture import Turn


def derive(seed: int, *purpose: object) -> int:
    """A 63-bit seed that is the same in every process for the same seed and purpose."""
    text = "/".join(str(part) for part in (seed, *purpose))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


def sampling_seed(seed: int, taken: int, turns: Sequence[Turn]) -> int:
    """The seed of the answers to the tasks that were taken as number `taken`; another one where a turn says so."""
    reseeds = turns[-1].reseeds if turns else 0
    return derive(seed, "train", taken, *([reseeds] if reseeds else []))
