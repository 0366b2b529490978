"""Packages that only some options need: whether they are here, and which extra of rlpt brings them."""

from __future__ import annotations

from importlib.util import find_spec

from omegaconf import DictConfig, OmegaConf

from rlpt.errors import UserError

TENSORBOARD = "rlpt.tracking.tensorboard.TensorBoardTracker"


def check_extras(cfg: DictConfig) -> None:
    """Refuse a resolved config whose tracker needs a package that is not installed.

    Raises:
        UserError: naming the command that installs it.
    """
    if OmegaConf.select(cfg, "tracker._target_") == TENSORBOARD:
        require("tensorboard", "tensorboard", "tracker=tensorboard")


def require(module: str, extra: str, what: str) -> None:
    """Raises UserError where `module` is not installed, which `what` needs and rlpt's `extra` brings."""
    if find_spec(module) is None:
        package = module.replace("_", "-")
        raise UserError(f"{what} needs the package {package}; install it with: pip install 'rlpt[{extra}]'.")
