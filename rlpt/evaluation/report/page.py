"""The report as one HTML file that needs nothing else: no network, no scripts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape

from rlpt.evaluation.report.curves import bounds, drawn, marked
from rlpt.evaluation.report.report import Against, Report
from rlpt.evaluation.report.style import COLORS, RUN_COLORS, STYLE
from rlpt.evaluation.report.svg import Bar, Line, interval_plot, line_plot
from rlpt.evaluation.report.tasks import Answer, Moved
from rlpt.evaluation.report.verdicts import OUTCOMES
from rlpt.evaluation.report.words import COST_ROWS, conclusion, cost_cells, judged, setting, starred
from rlpt.evaluation.text import visible

SHOWN = 20
"""Tasks lost, and as many won, that are shown of each domain against each reference."""
LONGEST = 8_000
"""Characters of a text that are shown; the JSON file holds all of it."""
POINTS = 400

# Even if a text got past the escaping, the browser would run nothing and fetch nothing.
POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def page(report: Report) -> str:
    """The whole page. Texts of models and names of domains are escaped: they cannot become markup."""
    anchors = anchor_names(report.domains)
    title = f"{report.candidate.name} against {', '.join(one.reference.name for one in report.against)}"
    sections = [
        _overview(report, anchors),
        f'<h2 id="cost">Cost up to the step that is compared</h2>{_costs(report)}',
        f'<h2 id="config">What differs in the configs</h2>{_config(report)}',
        *(_domain(report, domain, anchors[domain]) for domain in report.domains),
    ]
    links = [("cost", "cost"), ("config", "configs"), *((anchor, domain) for domain, anchor in anchors.items())]
    return "\n".join(
        (
            '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{text(title)}</title><style>{STYLE}{RUN_COLORS}</style></head><body>",
            "<h1>Comparison of evaluations</h1>",
            "<nav>" + " \u00b7 ".join(f'<a href="#{anchor}">{text(name)}</a>' for anchor, name in links) + "</nav>",
            *sections,
            "</body></html>\n",
        )
    )


def text(value: str, longest: int = LONGEST) -> str:
    """`value` as text of the page: escaped, cut, and with a visible escape for what a reader would not see."""
    kept = escape(visible(value[:longest]))
    return kept if len(value) <= longest else f"{kept}\n[{len(value) - longest:,} more characters]"


def anchor_names(domains: Sequence[str]) -> dict[str, str]:
    """Domain -> the name of its section in links: its own where that is plain enough."""
    names: dict[str, str] = {}
    for domain in domains:
        name = re.sub(r"[^A-Za-z0-9_-]+", "-", domain).strip("-") or "domain"
        taken = {"cost", "config", *names.values()}
        free = (f"{name}-{number}" for number in range(2, len(domains) + 4))
        names[domain] = name if name not in taken else next(one for one in free if one not in taken)
    return names


def _overview(report: Report, anchors: Mapping[str, str]) -> str:
    kinds = ["candidate", *["reference"] * len(report.against)]
    who = [[source.letter, source.name, kind] for source, kind in zip(report.sources, kinds, strict=True)]
    return _table([], who, "left") + "".join(_against(report, one, anchors) for one in report.against)


def _against(report: Report, one: Against, anchors: Mapping[str, str]) -> str:
    before, after = one.reference.letter, report.candidate.letter
    bars = [
        Bar(visible(item.domain), item.delta, item.low, item.high, item.outcome)
        for item in one.judged
        if item.delta is not None and item.low is not None and item.high is not None
    ]
    left_out = f"Not compared, as only one of the two was evaluated on it: {', '.join(one.left_out)}."
    notes = [*one.table.notes, *([left_out] if one.left_out else [])]
    rows = [
        [f'<a href="#{anchors[item.domain]}">{text(item.domain)}</a>', *(text(cell) for cell in row[1:])]
        for item, row in zip(one.judged, one.table.rows, strict=True)
    ]
    return "".join(
        (
            f"<h2>{after} against {before}</h2><p>{text(conclusion(one))} ",
            f'<span class="note">Before: {before}, after: {after}.</span></p>',
            interval_plot(bars, f"Change in mean reward, {after} against {before}") if bars else "",
            _markup_table([text(cell) for cell in one.table.header], rows),
            *(f'<p class="note">{text(note)}</p>' for note in notes),
        )
    )


def _costs(report: Report) -> str:
    cells = [cost_cells(cost) for cost in report.costs]
    rows = [[name, *(column[index] for column in cells)] for index, name in enumerate(COST_ROWS)]
    return _table(["", *(source.letter for source in report.sources)], rows)


def _config(report: Report) -> str:
    if not report.config:
        return "<p>No difference.</p>"
    rows = [
        [item.key, *(starred(setting(value), mine) for value, mine in zip(item.values, item.overridden, strict=True))]
        for item in report.config
    ]
    head = ["", *(source.letter for source in report.sources)]
    return '<p class="note">* = set on the command line</p>' + _table(head, rows, "left")


def _domain(report: Report, domain: str, anchor: str) -> str:
    parts = [f'<h2 id="{anchor}">{text(domain)}</h2>', _curves(report, domain)]
    for one in report.against:
        tasks = one.tasks.get(domain)
        if tasks is None:
            continue
        before, after = one.reference.letter, report.candidate.letter
        parts.append(f"<h3>{after} against {before}: {len(tasks.lost)} lost, {len(tasks.won)} won of {tasks.n}</h3>")
        for kind, items in (("lost", tasks.lost), ("won", tasks.won)):
            parts += [_task(kind, item, before, after, item is items[0]) for item in items[:SHOWN]]
            if len(items) > SHOWN:
                parts.append(f'<p class="note">{len(items) - SHOWN} more {kind}; json=FILE holds all.</p>')
    return "".join(parts)


def _curves(report: Report, domain: str) -> str:
    mine = drawn(report.curves.get(domain, []), POINTS)
    if not mine:
        return ""
    order = {source.letter: number % COLORS for number, source in enumerate(report.sources)}
    lines = [
        Line(
            label=", ".join(curve.letters),
            color=order[curve.letters[0]],
            train=curve.train,
            evaluations=curve.evaluations,
            rings=list(marked(curve, report.steps).values()),
        )
        for curve in mine
    ]
    keys = "".join(f'<span class="key c{line.color}">{text(line.label)}</span>' for line in lines)
    plot = line_plot(lines, *bounds(mine), title=f"Mean reward of {visible(domain)} over the steps")
    note = "lines: training; dots: evaluation; rings: what is compared"
    return f'{plot}<p>{keys}<span class="note">{note}</span></p>'


def _task(kind: str, item: Moved, before: str, after: str, is_open: bool) -> str:
    sides = ((before, item.before), (after, item.after))
    verdict = "regressed" if kind == "lost" else "improved"
    return "".join(
        (
            f'<details{" open" if is_open else ""}><summary><b class="{verdict}">{kind}</b> {text(item.task_id, 200)} ',
            f'<span class="note">{item.before.mean:.2f} \u2192 {item.after.mean:.2f}</span></summary>',
            f'<pre>\n{text(item.prompt)}</pre><div class="pair">',
            *(_answer(letter, answer) for letter, answer in sides),
            "</div></details>",
        )
    )


def _answer(letter: str, answer: Answer) -> str:
    return f"<div><b>{letter}</b>: {text(judged(answer))}<pre>\n{text(answer.text) or '(empty)'}</pre></div>"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], kind: str = "") -> str:
    return _markup_table([text(cell) for cell in head], [[text(cell) for cell in row] for row in rows], kind)


def _markup_table(head: Sequence[str], rows: Iterable[Sequence[str]], kind: str = "") -> str:
    """The cells are markup. A cell that is a verdict has its colour."""
    first = f"<tr>{''.join(f'<th>{cell}</th>' for cell in head)}</tr>" if head else ""
    body = "".join(f"<tr>{''.join(_cell(cell) for cell in row)}</tr>" for row in rows)
    return f'<div class="wide"><table class="{kind}">{first}{body}</table></div>'


def _cell(cell: str) -> str:
    return f'<td class="{cell.replace(" ", "-")}">{cell}</td>' if cell in OUTCOMES else f"<td>{cell}</td>"
