"""Small plots as SVG text, coloured by the page's style sheet: pure functions of values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from rlpt.evaluation.plot import Series

WIDTH, HEIGHT = 640, 220
LEFT, RIGHT, TOP, BOTTOM = 46, 12, 10, 34
EDGE = 10
ROW = 26
NAMES = 170


@dataclass(frozen=True, slots=True)
class Line:
    """One run in a plot. `color` is a number that the style sheet knows; `rings` are the points that are compared."""

    label: str
    color: int
    train: Series
    evaluations: Series
    rings: Sequence[tuple[int, float]]


@dataclass(frozen=True, slots=True)
class Bar:
    """One interval; `kind` is the verdict, a class of the style sheet."""

    label: str
    middle: float
    low: float
    high: float
    kind: str


def line_plot(lines: Sequence[Line], low: float, high: float, title: str) -> str:
    """Reward over steps: lines for training, dots for evaluations, rings around those that are compared."""
    last = max([1, *(step for line in lines for series in (line.train, line.evaluations) for step in series[0])])

    def x(step: float) -> float:
        return LEFT + EDGE + step / last * (WIDTH - LEFT - EDGE - RIGHT)

    def y(reward: float) -> float:
        return HEIGHT - BOTTOM - (reward - low) / (high - low) * (HEIGHT - TOP - BOTTOM)

    parts = []
    for tick in ticks(low, high):
        parts.append(_segment("grid", LEFT, y(tick), WIDTH - RIGHT, y(tick)))
        parts.append(_text(LEFT - 6, y(tick) + 4, f"{tick:g}", "end"))
    for tick in ticks(0, last):
        if tick == int(tick):
            parts.append(_text(x(tick), HEIGHT - BOTTOM + 16, f"{tick:g}", "middle"))
    parts.append(_text((LEFT + WIDTH) / 2, HEIGHT - 4, "step", "middle"))
    for line in lines:
        points = " ".join(f"{x(step):.1f},{y(reward):.1f}" for step, reward in zip(*line.train, strict=True))
        if points:
            parts.append(f'<polyline class="line c{line.color}" points="{points}"/>')
        name = escape(line.label)
        for step, reward in zip(*line.evaluations, strict=True):
            place = f'cx="{x(step):.1f}" cy="{y(reward):.1f}"'
            tip = f"<title>{name}, step {step}: {reward:.3f}</title>"
            if (step, reward) in line.rings:
                parts.append(f'<circle class="ring c{line.color}" r="7" {place}/>')
            parts.append(f'<circle class="dot c{line.color}" r="3.5" {place}>{tip}</circle>')
    return _figure(WIDTH, HEIGHT, title, parts)


def interval_plot(bars: Sequence[Bar], title: str) -> str:
    """Each change with its interval, about a line at zero."""
    height = TOP + ROW * len(bars) + BOTTOM
    most = max([0.05, *(abs(value) for bar in bars for value in (bar.low, bar.high))])

    def x(value: float) -> float:
        return NAMES + (value + most) / (2 * most) * (WIDTH - NAMES - RIGHT)

    parts = []
    for tick in ticks(-most, most):
        parts.append(_segment("axis" if tick == 0 else "grid", x(tick), TOP, x(tick), height - BOTTOM))
        parts.append(_text(x(tick), height - BOTTOM + 16, f"{tick:+g}" if tick else "0", "middle"))
    parts.append(_text((NAMES + WIDTH) / 2, height - 4, "change in mean reward", "middle"))
    for number, bar in enumerate(bars):
        middle = TOP + ROW * (number + 0.5)
        name = bar.label if len(bar.label) <= 24 else f"{bar.label[:23]}\u2026"
        kind = bar.kind.replace(" ", "-")
        parts.append(_text(NAMES - 8, middle + 4, name, "end"))
        parts.append(_segment(f"bar {kind}", x(bar.low), middle, x(bar.high), middle))
        tip = f"<title>{escape(bar.label)}: {bar.middle:+.3f} [{bar.low:+.3f}, {bar.high:+.3f}], {bar.kind}</title>"
        parts.append(f'<circle class="mark {kind}" r="5" cx="{x(bar.middle):.1f}" cy="{middle:.1f}">{tip}</circle>')
    return _figure(WIDTH, height, title, parts)


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """At most `most` round numbers from `low` to `high`, evenly spaced, zero among them where it lies between."""
    size = 10 ** math.floor(math.log10((high - low) / most))
    step = next(size * factor for factor in (1, 2, 5, 10, 20) if (high - low) / (size * factor) <= most - 1)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(index * step, 12) + 0.0 for index in range(first, last + 1)]


def _figure(width: int, height: int, title: str, parts: Sequence[str]) -> str:
    name = escape(title)
    return f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{name}">{"".join(parts)}</svg>'


def _segment(kind: str, x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
