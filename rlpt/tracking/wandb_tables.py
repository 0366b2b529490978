"""Tables of texts for W&B."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rlpt.tracking.metrics_log import STEP
from rlpt.tracking.protocol import Row


def table(step: int, rows: Sequence[Row]) -> Any:  # noqa: ANN401 - W&B's own type
    """The rows with their step as a wandb.Table."""
    import wandb

    columns = list(dict.fromkeys(name for row in rows for name in row))
    data = [[step, *(_cell(row.get(name)) for name in columns)] for row in rows]
    return wandb.Table(columns=[STEP, *columns], data=data, allow_mixed_types=True)


def _cell(value: object) -> object:
    if value is None or isinstance(value, bool | int | float):
        return value
    # A lone surrogate from a model's bytes cannot be encoded and would cost the whole table.
    return str(value).encode("utf-8", "backslashreplace").decode("utf-8")
