"""A plot of a run from its metrics.jsonl: mean reward of each domain over the steps, with the evaluations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rlpt.errors import UserError
from rlpt.run_dir import open_run
from rlpt.tracking.metrics_log import STEP, read_metrics

Series = tuple[list[int], list[float]]


def reward_series(rows: Sequence[Mapping[str, Any]], kind: str) -> dict[str, Series]:
    """Steps and mean rewards by domain, from `<kind>/<domain>/reward`; `kind` is `train` or `eval`."""
    series: dict[str, Series] = {}
    for row in rows:
        for name, value in row.items():
            head, _, rest = name.partition("/")
            domain, _, last = rest.rpartition("/")
            if head == kind and last == "reward" and domain and value is not None:
                steps, rewards = series.setdefault(domain, ([], []))
                steps.append(int(row[STEP]))
                rewards.append(float(value))
    return series


def plot_rewards(run: Path, file: Path) -> Path:
    """Write the plot of `run` to `file` (its ending says which format: .svg, .png, .pdf) and return it.

    Needs matplotlib, which rlpt does not install by itself. Raises UserError without it, or where the run has no
    rewards yet.
    """
    rows = read_metrics(open_run(run).metrics)
    train, evaluations = reward_series(rows, "train"), reward_series(rows, "eval")
    if not train and not evaluations:
        raise UserError(f"{run} has no rewards to plot yet.")
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError as error:
        raise UserError("Plots need matplotlib; install it with `pip install matplotlib`.") from error
    with mpl.rc_context({"svg.hashsalt": "rlpt", "svg.fonttype": "none"}):  # the same run gives the same file
        figure = Figure(figsize=(7.2, 3.6), layout="constrained")
        axes = figure.add_subplot()
        for index, domain in enumerate(dict.fromkeys([*train, *evaluations])):
            color = f"C{index}"
            if domain in train:
                axes.plot(*train[domain], color=color, linewidth=1.5, label=domain)
            if domain in evaluations:
                label = None if domain in train else domain
                axes.plot(*evaluations[domain], color=color, linestyle="none", marker="o", markersize=6, label=label)
        axes.set_xlabel("step")
        axes.set_ylabel("mean reward")
        axes.set_ylim(bottom=0)
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(axis="y", alpha=0.3)
        title = "lines: training\ndots: evaluation" if train and evaluations else None
        axes.legend(frameon=False, title=title, loc="upper left", bbox_to_anchor=(1.0, 1.0))
        file.parent.mkdir(parents=True, exist_ok=True)
        metadata = {"Date": None} if file.suffix == ".svg" else None
        figure.savefig(file, dpi=150, metadata=metadata)
    return file
