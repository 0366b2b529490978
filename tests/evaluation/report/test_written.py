"""The report as a user reads it: on a terminal, as a page, as JSON; whatever a model wrote."""

from __future__ import annotations

import io
import json
import re
import unicodedata
from collections.abc import Sequence
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlpt.errors import UserError
from rlpt.evaluation.report.columns import columns, end_of, excerpt
from rlpt.evaluation.report.cost import Cost
from rlpt.evaluation.report.files import write_whole
from rlpt.evaluation.report.page import LONGEST, anchor_names, page, text
from rlpt.evaluation.report.plain import json_text
from rlpt.evaluation.report.report import build_report
from rlpt.evaluation.report.svg import Bar, Line, interval_plot, line_plot, ticks
from rlpt.evaluation.report.terminal import print_report
from rlpt.evaluation.report.words import cost_cells, duration, setting
from tests.evaluation.report.conftest import HOSTILE, MakeRun

VOID = {"meta", "br", "link", "img", "input"}


class Page(HTMLParser):
    """Elements with their attributes, text, and whether every element that was opened was closed."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def values(self, name: str) -> list[str]:
        return [value for _, attributes in self.elements if (value := attributes.get(name)) is not None]


def printed(names: Sequence[object], n: int = 2) -> str:
    stream = io.StringIO()
    print_report(build_report([str(name) for name in names]), n, stream)
    return stream.getvalue()


def test_the_terminal_says_everything_at_100_columns(lost: tuple[Path, Path]):
    candidate, reference = lost
    out = printed([candidate, reference, f"{candidate}@0"])
    assert "Regressed in code; improved in arithmetic." in out
    assert re.search(r"code +0\.75 +0\.25 +-0\.50 .* regressed", out)
    assert re.search(r"algorithm\.group_size +\*16 +8 +\*16", out)
    assert re.search(r"algorithm\.loss +\(1 key\) +absent +\(1 key\)", out)
    assert re.search(r"code +AC +\S+ +0\.25 +0\.50 +A 0\.25 @2, C 0\.00 @0", out)
    assert re.search(r"sampled tokens +3k +3k +-", out)
    assert re.search(r"code +20 lost +0 won +of 40", out)
    assert "-- lost: code / t10 ---" in out
    assert re.search(r"B: correct, reward 1, 3 tokens: judged reference +A: wrong, reward 0", out)
    assert re.search(r"reference says 10 +candidate says 11", out)
    assert out.count("-- lost:") == out.count("-- won:") == 2
    tables = [line for line in out.splitlines() if not line.startswith(("A  ", "B  ", "C  "))]
    assert max(map(len, tables)) <= 100


def test_runs_without_a_difference_say_so(make_run: MakeRun):
    run = make_run("run", {"code": 3})
    out = printed([run, run])
    assert "Not enough data: code." in out
    assert "No difference." in out


def test_a_text_cannot_control_the_terminal(lost: tuple[Path, Path]):
    out = printed(lost, n=20)
    assert not {char for char in out if unicodedata.category(char) in ("Cc", "Cf", "Cs")} - {"\n"}
    assert "\\x1b]0;owned" in out
    assert "more characters]" in out
    assert len(out) < 60_000  # one answer has a million characters


def test_a_terminal_without_blocks_gets_other_characters(lost: tuple[Path, Path]):
    raw = io.BytesIO()
    with io.TextIOWrapper(raw, encoding="ascii", errors="strict", write_through=True) as stream:
        print_report(build_report([str(run) for run in lost]), 0, stream)
        assert re.search(rb"code +A +-\+ +0\.25 +0\.50", raw.getvalue())


def test_the_page_needs_nothing_else_and_runs_nothing(lost: tuple[Path, Path]):
    candidate, reference = map(str, lost)
    markup = page(build_report([candidate, reference, f"{candidate}@0"]))
    found = Page(markup)
    assert found.open == []
    tags = {tag for tag, _ in found.elements}
    assert not tags & {"script", "link", "img", "iframe", "object", "embed", "form", "base"}
    assert not found.values("src")
    assert all(link.startswith("#") for link in found.values("href"))
    assert not re.search(r"url\(|@import|https?:", markup)
    assert "default-src 'none'" in markup
    assert not any(name.startswith("on") for _, attributes in found.elements for name in attributes)
    assert "prefers-color-scheme: dark" in markup
    assert len(markup) < 200_000


def test_hostile_texts_are_shown_and_do_nothing(lost: tuple[Path, Path]):
    markup = page(build_report([str(run) for run in lost]))
    assert not {char for char in markup if unicodedata.category(char) in ("Cc", "Cf", "Cs")} - {"\n"}
    markup.encode("utf-8")
    assert "&lt;/pre&gt;&lt;script&gt;alert(&quot;owned&quot;)&lt;/script&gt; &amp; \\x00 \\u202eevil" in markup
    assert f"[{1_000_000 - LONGEST:,} more characters]" in markup


@given(st.text())
def test_any_text_is_one_text_of_the_page(value: str):
    shown = text(value)
    found = Page(f"<pre>{shown}</pre>")
    assert (len(found.elements), found.open) == (1, [])
    assert "\0" not in unescape(shown)


def test_names_of_domains_and_tasks_are_no_markup(make_run: MakeRun):
    name = '"><img src=x onerror=alert(1)>'
    runs = [make_run("a", {name: 3, "cost": 1}), make_run("b", {name: 30, "cost": 1})]
    found = Page(page(build_report([str(run) for run in runs])))
    assert found.open == []
    assert "img" not in {tag for tag, _ in found.elements}
    ids, links = found.values("id"), found.values("href")
    assert len(set(ids)) == len(ids)
    assert {link.removeprefix("#") for link in links} == set(ids)


def test_every_domain_has_an_anchor_with_its_plot_and_tasks(lost: tuple[Path, Path]):
    markup = page(build_report([str(run) for run in lost]))
    assert {"arithmetic", "code", "config", "cost"} == set(Page(markup).values("id"))
    section = markup.partition('<h2 id="code">')[2]
    assert "<svg" in section
    assert "A against B: 20 lost, 0 won of 40" in section
    assert section.count("<details") == 20
    assert section.count("<details open>") == 1
    assert section.index("reference says 10") < section.index("candidate says 11")


def test_anchors_are_the_names_of_domains_where_they_can_be():
    assert anchor_names(["code", "math 2", "math-2", "???", "cost"]) == {
        "code": "code",
        "math 2": "math-2",
        "math-2": "math-2-2",
        "???": "domain",
        "cost": "cost-2",
    }


def test_json_holds_all_as_plain_values(lost: tuple[Path, Path]):
    candidate, reference = map(str, lost)
    values = json.loads(json_text(build_report([candidate, f"{reference}@last", f"{candidate}@0"])))
    assert (values["candidate"], values["regressed"]) == ("A", True)
    assert values["evaluations"]["B"]["run"] == reference
    assert values["evaluations"]["B"]["step"] == 2
    code = values["against"]["B"]["domains"]["code"]
    assert (code["before"], code["after"], code["verdict"]) == (0.75, 0.25, "regressed")
    assert code["ci95"][1] < 0
    moved = {item["task_id"]: item for item in values["against"]["B"]["tasks"]["code"]["lost"]}
    assert len(moved) == 20
    assert moved["t15"]["after"]["text"] == HOSTILE
    assert len(moved["t16"]["after"]["text"]) == 1_000_000
    assert moved["t16"]["delta"] == -1.0
    config = {item["key"]: item for item in values["config"]}
    assert config["algorithm.group_size"]["values"] == {"A": 16, "B": 8, "C": 16}
    assert config["algorithm.group_size"]["overridden"] == ["A", "C"]
    assert set(config["algorithm.loss"]["values"]) == {"A", "C"}
    assert values["curves"]["code"][0]["letters"] == ["A", "C"]
    assert values["cost"]["A"]["sampled_tokens"] == 3000


def test_json_is_read_by_every_reader(lost: tuple[Path, Path], make_run: MakeRun):
    lost[0].joinpath("config.yaml").write_text("rate: .nan\nlimit: .inf\nday: 2026-01-01\n")
    out = json_text(build_report([str(run) for run in lost]))
    assert out.isascii()
    assert not re.search(r"\bNaN\b|\bInfinity\b", out)
    values = {item["key"]: item["values"].get("A") for item in json.loads(out)["config"]}
    assert values["rate"] is None
    assert values["day"] == "2026-01-01"


def test_plots_are_whole_svg_with_everything_inside():
    lines = [
        Line("A <b>", 0, ([1, 9], [0.1, 0.9]), ([0, 9], [0.0, 1.0]), [(9, 1.0)]),
        Line("B", 1, ([], []), ([], []), []),
    ]
    drawn = ElementTree.fromstring(line_plot(lines, 0.0, 1.0, 'title "<&'))
    assert drawn.get("aria-label") == 'title "<&'
    kinds = [part.get("class") for part in drawn]
    assert kinds.count("line c0") == 1
    assert kinds.count("dot c0") == 2
    assert kinds.count("ring c0") == 1
    assert "line c1" not in kinds
    _, _, width, height = map(float, str(drawn.get("viewBox")).split())
    for part in drawn:
        for name in ("x", "x1", "x2", "cx"):
            assert 0 <= float(part.get(name, 0)) <= width
        for name in ("y", "y1", "y2", "cy"):
            assert 0 <= float(part.get(name, 0)) <= height
    bars = ElementTree.fromstring(interval_plot([Bar("code", -0.5, -0.6, -0.3, "regressed")], "changes"))
    mark = next(part for part in bars if part.get("class") == "mark regressed")
    bar = next(part for part in bars if part.get("class") == "bar regressed")
    zero = next(part for part in bars if part.get("class") == "axis")
    x1, x2 = float(bar.get("x1", 0)), float(bar.get("x2", 0))
    assert x1 < float(mark.get("cx", 0)) < x2 < float(zero.get("x1", 0))


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6))
def test_ticks_lie_between_the_bounds(low: float, size: float):
    found = ticks(low, low + size)
    assert 1 <= len(found) <= 7
    assert found == sorted(found)
    assert all(low - size * 1e-6 <= tick <= low + size * (1 + 1e-6) for tick in found)


def test_ticks_are_round():
    assert ticks(0, 1) == [0, 0.2, 0.4, 0.6, 0.8, 1.0]
    assert ticks(-0.5, 0.5) == [-0.4, -0.2, 0, 0.2, 0.4]


def test_numbers_have_units():
    assert [duration(value) for value in (4.4, 59.6, 187, 7500)] == ["4 s", "1:00 min", "3:07 min", "2:05 h"]
    assert cost_cells(Cost(3, 12_345, 999, 2.6e11, None)) == ("3", "12.3k", "999", "260G", "-")
    assert [setting(value) for value in (None, True, "a b", [1, "x"], {"a": {"b": 1, "c": 2}})] == [
        "null",
        "true",
        "a b",
        '[1, "x"]',
        "(2 keys)",
    ]


def test_columns_are_as_wide_as_a_terminal_shows_them():
    out = columns([["\u4f60" * 10, "x"]], [12, None])
    assert out == "\u4f60" * 5 + " \u2026  x"
    assert columns([["abcdef", "gh"]], [3, 3], "fold").splitlines() == ["abc  gh", "def"]


def test_an_excerpt_counts_what_it_leaves_out():
    assert excerpt("a\nb", 2, 10) == "a\nb"
    assert excerpt("", 2, 10) == "(empty)"
    assert excerpt("a\nb\nc", 2, 10) == "a\nb\n[2 more characters]"
    assert excerpt("a\nb\nc", 2, 10, end=True) == "[2 more characters]\nb\nc"
    assert excerpt("x" * 50, 2, 10) == "x" * 20 + "\n[30 more characters]"
    assert end_of("rlpt.losses.gspo", 5) == "\u2026gspo"


def test_a_file_is_whole_or_not_there(tmp_path: Path):
    file = tmp_path / "r.html"
    write_whole("html", file, "first")
    write_whole("html", file, "second")
    assert file.read_text() == "second"
    assert list(tmp_path.iterdir()) == [file]
    with pytest.raises(UserError, match="no folder"):
        write_whole("html", tmp_path / "no" / "r.html", "")
    with pytest.raises(UserError, match="is a folder"):
        write_whole("html", tmp_path, "")
    with pytest.raises(UserError, match="cannot be written"):
        write_whole("html", tmp_path / ("x" * 300), "")
