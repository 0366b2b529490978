"""Any causal language model: a local folder, or a name that the Hugging Face hub knows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from rlpt.errors import UserError


def folder(path: str, cache_dir: Path, domains: Mapping[str, object], tools: Mapping[str, object]) -> Path:
    """Return the folder of the model at `path`; a rlpt run directory stands for its exported policy.

    Every policy source takes `domains` and `tools`; this one does not need them.

    Raises:
        UserError: where `path` holds no causal language model, or the hub cannot be reached.
    """
    local = Path(path).expanduser()
    if local.is_dir():
        return _checked(local)
    if local.exists() or path.startswith((".", "/", "~")) or path.count("/") > 1:
        raise UserError(f"policy.path={path} is no folder; name a folder that holds config.json and safetensors files.")
    return _from_hub(path, cache_dir)


def _checked(local: Path) -> Path:
    exported = local / "policy"
    if not (local / "config.json").is_file() and (exported / "config.json").is_file():
        local = exported
    try:
        config = json.loads((local / "config.json").read_text())
    except FileNotFoundError:
        raise UserError(
            f"policy.path={local} is no model: it has no config.json; name a Hugging Face model folder or a run "
            "directory that holds policy/."
        ) from None
    except (OSError, ValueError) as error:
        raise UserError(f"policy.path={local} is no model: its config.json cannot be read ({error}).") from error
    architectures = config.get("architectures") or [] if isinstance(config, dict) else []
    if not any(str(name).endswith("ForCausalLM") for name in architectures):
        raise UserError(
            f"policy.path={local} is no causal language model (architectures: {architectures or 'none'}); "
            "rlpt trains ...ForCausalLM models."
        )
    if not any(local.glob("*.safetensors")):
        raise UserError(f"policy.path={local} holds no *.safetensors file; save the model with save_pretrained.")
    if not any((local / name).is_file() for name in ("tokenizer.json", "tokenizer_config.json", "tokenizer.model")):
        raise UserError(f"policy.path={local} holds no tokenizer; save it beside the model with save_pretrained.")
    return local


def _from_hub(name: str, cache_dir: Path) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    try:
        return _checked(Path(snapshot_download(name, cache_dir=cache_dir / "hub", ignore_patterns=["*.bin", "*.pth"])))
    except HFValidationError as error:
        raise UserError(f"policy.path={name} is neither a folder nor a model name; name an existing folder.") from error
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError) as error:
        raise UserError(
            f"policy.path={name} is no folder here and could not be fetched from the model hub "
            f"({type(error).__name__}); check the spelling, the network, or download it and name the folder."
        ) from error
