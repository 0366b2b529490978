"""Writing weights: for the engine at every step, and as a model folder that any tool can serve."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from safetensors.torch import save_file
from torch import Tensor


def write_weights(weights: Mapping[str, Tensor], path: Path) -> None:
    """Write a safetensors file; a reader sees the whole file or none."""
    partial = path.with_suffix(".partial")
    save_file(dict(weights), partial, metadata={"format": "pt"})
    partial.rename(path)


def export_folder(weights: Mapping[str, Tensor], source: Path, target: Path) -> None:
    """Write a Hugging Face model folder: `weights`, and configuration and tokenizer of the folder `source`.

    An existing `target` is replaced as a whole.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    scratch.chmod(0o755)
    for path in source.iterdir():
        if path.is_file() and ".safetensors" not in path.name:
            shutil.copy(path, scratch / path.name)
    write_weights(weights, scratch / "model.safetensors")
    config = json.loads((scratch / "config.json").read_text())
    config["dtype"] = str(next(iter(weights.values())).dtype).removeprefix("torch.")
    config.pop("torch_dtype", None)
    (scratch / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    if target.exists():
        shutil.rmtree(target)
    scratch.rename(target)
