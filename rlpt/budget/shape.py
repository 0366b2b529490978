"""The size of a model folder, read from its headers: no weights are loaded and no deep-learning library is needed."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rlpt.errors import UserError

MAX_HEADER_BYTES = 100_000_000


@dataclass(frozen=True, slots=True)
class ModelShape:
    """What memory and compute depend on."""

    parameters: int
    layers: int
    hidden: int
    intermediate: int
    vocabulary: int


def read_shape(folder: Path) -> ModelShape:
    """The shape of the model in `folder` (config.json and *.safetensors, as Hugging Face saves them).

    Raises UserError where the folder holds no such model.
    """
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        parameters = sum(count_parameters(file) for file in sorted(folder.glob("*.safetensors")))
        shape = _shape(config, parameters)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(f"{folder} is not a model folder with config.json and *.safetensors ({error!r}).") from error
    if not parameters:
        raise UserError(f"{folder} holds no weights in *.safetensors; save the model in that format.")
    return shape


def count_parameters(file: Path) -> int:
    """Numbers in a safetensors file, from its header: 8 bytes of length, then JSON with every tensor's shape.

    Tied weights are saved once, so they are counted once.
    """
    with file.open("rb") as stream:
        length = int.from_bytes(stream.read(8), "little")
        if not 0 < length <= MAX_HEADER_BYTES:
            raise ValueError(f"{file.name} is not a safetensors file")
        header = json.loads(stream.read(length))
    return sum(math.prod(tensor["shape"]) for name, tensor in header.items() if name != "__metadata__")


def _shape(config: Mapping[str, Any], parameters: int) -> ModelShape:
    # GPT-2 and GPT-NeoX use other names, or leave the width of the MLP to the usual factor of 4.
    text = config.get("text_config", config)
    hidden = int(text["hidden_size"] if "hidden_size" in text else text["n_embd"])
    return ModelShape(
        parameters=parameters,
        layers=int(text["num_hidden_layers"] if "num_hidden_layers" in text else text["n_layer"]),
        hidden=hidden,
        intermediate=int(text.get("intermediate_size") or text.get("n_inner") or 4 * hidden),
        vocabulary=int(text["vocab_size"]),
    )
