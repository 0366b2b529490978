"""Looking numbers up in a resolved config. A key that is not there says nothing."""

from __future__ import annotations

from omegaconf import DictConfig, OmegaConf

from rlpt.errors import UserError


def number(cfg: DictConfig, key: str) -> float | None:
    """The number at the dotted `key`, or None where there is none."""
    value = OmegaConf.select(cfg, key)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def positive(cfg: DictConfig, key: str) -> None:
    """Refuse a number at `key` that is 0 or less.

    Raises:
        UserError: naming the key.
    """
    value = number(cfg, key)
    if value is not None and value <= 0:
        raise UserError(f"{key}={value:g} is too small; set it to a number above 0.")
