"""The sentences of a trace. Pure."""

from __future__ import annotations

from rlpt.evaluation.trace.accused import Accused
from rlpt.evaluation.trace.trace import Trace, Traced
from rlpt.evaluation.trace.windows import Window


def headline(one: Traced) -> str:
    """What happened to the domain, and who is most likely to blame."""
    what = _happened(one.window)
    if one.culprit is not None:
        verb = "most likely because of" if one.window.regressed else "most worked against it:"
        return f"{what}; {verb} {_described(one.culprit)}."
    if one.accused:
        return f"{what}; no other domain's updates clearly worked against it."
    return f"{what}; the interference of other domains was not recorded in these steps."


def nothing_regressed(found: Trace) -> str:
    """Where there is nothing to trace."""
    if not found.compared:
        return "No evaluation was compared with an earlier one; see evaluation.before and evaluation.every."
    return f"No domain regressed (evaluations that were compared: {found.compared})."


def sized(size: float | None) -> str:
    """A change in units of the spread from step to step."""
    if size is None:
        return "-"
    return f"{size:+.1f}" if abs(size) < 100 else f"{'+' if size > 0 else '-'}>99"


def _happened(window: Window) -> str:
    rewards = "" if window.before is None or window.after is None else f" ({window.before:.2f} -> {window.after:.2f})"
    between = f"between step {window.good} and {window.bad}{rewards}"
    if not window.regressed:
        return f"{window.domain} did not regress {between}"
    return f"{window.domain} regressed {between}{'' if window.lasts else ', no longer seen later'}"


def _described(one: Accused) -> str:
    share = ""
    if one.share is not None:
        before = "" if one.share_before is None else f"{one.share_before:.2f} -> "
        share = f", share {before}{one.share:.2f}"
    return f"{one.domain} (cosine {one.cosine:+.2f} +- {one.error:.2f}{share})"
