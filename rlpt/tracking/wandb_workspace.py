"""A W&B workspace for a project. Needs the extra `workspaces`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rlpt.tracking.metrics_log import STEP
from rlpt.tracking.wandb_layout import Panel, Section, layout


def build_workspace(entity: str, project: str, name: str, domains: Sequence[str]) -> Any:  # noqa: ANN401 - W&B's own
    """The `wandb_workspaces.workspaces.Workspace` with one section a domain. Talks to nobody; `save()` does."""
    from wandb_workspaces import workspaces

    return workspaces.Workspace(
        entity=entity,
        project=project,
        name=name,
        sections=[_section(section) for section in layout(domains)],
        settings=workspaces.WorkspaceSettings(x_axis=STEP),
    )


def _section(section: Section) -> Any:  # noqa: ANN401 - W&B's own type
    from wandb_workspaces import workspaces

    return workspaces.Section(
        name=section.title,
        panels=[_panel(panel) for panel in section.panels],
        is_open=section.is_open,
        panel_settings=workspaces.SectionPanelSettings(x_axis=STEP),
    )


def _panel(panel: Panel) -> Any:  # noqa: ANN401 - W&B's own type
    from wandb_workspaces.reports.v2.interface import LinePlot, WeavePanelSummaryTable

    if panel.table:
        return WeavePanelSummaryTable(table_name=panel.table)
    return LinePlot(title=panel.title, x=STEP, y=list(panel.metrics), metric_regex=panel.pattern or None)
