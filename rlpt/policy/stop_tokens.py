"""The tokens that end a turn of a model."""

from __future__ import annotations

import json
from pathlib import Path


def stop_token_ids(model_folder: Path) -> list[int]:
    """Every end-of-sequence token of the model: generation_config.json and config.json may name several."""
    found: list[int] = []
    for name in ("generation_config.json", "config.json"):
        path = model_folder / name
        if path.is_file():
            value = json.loads(path.read_text()).get("eos_token_id")
            found += value if isinstance(value, list) else [] if value is None else [value]
    return sorted(set(found))
