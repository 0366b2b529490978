"""The style sheet of the page: readable in light and in dark, on paper and on narrow screens."""

from __future__ import annotations

# Colours of the runs: Okabe and Ito's palette, told apart with every kind of colour vision; lighter in the dark.
STYLE = """
:root { color-scheme: light dark; --fg: #1b1f24; --soft: #57606a; --bg: #ffffff; --card: #f6f8fa; --edge: #d0d7de;
  --good: #0a7f3f; --bad: #c1121f; --odd: #9a6700;
  --c0: #0072b2; --c1: #d55e00; --c2: #009e73; --c3: #a3478a; --c4: #8a6d00; --c5: #2f7fb5; --c6: #555555; }
@media (prefers-color-scheme: dark) {
  :root { --fg: #e6edf3; --soft: #9aa4af; --bg: #0d1117; --card: #161b22; --edge: #30363d;
    --good: #4ac26b; --bad: #ff7b72; --odd: #d6a72c;
    --c0: #56b4e9; --c1: #ff9a4d; --c2: #3ddbb0; --c3: #e29bc9; --c4: #f0e442; --c5: #8cc8f0; --c6: #bbbbbb; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 76rem; padding: 1.5rem; background: var(--bg); color: var(--fg);
  font: 15px/1.5 system-ui, sans-serif; }
h1, h2, h3 { line-height: 1.25; }
h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--edge); padding-bottom: .3rem; }
a { color: var(--c0); }
.wide { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .75rem; border-bottom: 1px solid var(--edge); text-align: right; vertical-align: top; }
th:first-child, td:first-child { text-align: left; }
table.left th, table.left td { text-align: left; overflow-wrap: anywhere; }
th { color: var(--soft); font-weight: 600; white-space: pre-line; }
.improved { color: var(--good); fill: var(--good); stroke: var(--good); }
.regressed { color: var(--bad); fill: var(--bad); stroke: var(--bad); }
.unchanged { color: var(--soft); fill: var(--soft); stroke: var(--soft); }
.no-data, .not-enough-data { color: var(--odd); fill: var(--odd); stroke: var(--odd); }
td.regressed, td.improved { font-weight: 600; }
svg { display: block; width: 100%; max-width: 48rem; height: auto; }
svg text { fill: var(--soft); font: 11px system-ui, sans-serif; }
.grid { stroke: var(--edge); } .axis { stroke: var(--soft); }
.bar { stroke-width: 3; } .line { fill: none; stroke-width: 1.6; } .ring { fill: none; stroke-width: 1.6; }
.key { margin-right: 1.25rem; white-space: nowrap; }
.key::before { content: ""; display: inline-block; width: .8em; height: .8em; margin-right: .4em;
  border-radius: 50%; background: currentColor; }
details { margin: .5rem 0; border: 1px solid var(--edge); border-radius: 6px; padding: .4rem .8rem;
  background: var(--card); }
summary { cursor: pointer; overflow-wrap: anywhere; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: .8rem; }
.pair > div { min-width: 0; }
@media (max-width: 45rem) { .pair { grid-template-columns: 1fr; } }
pre { margin: .3rem 0; padding: .6rem; max-height: 24rem; overflow: auto; white-space: pre-wrap;
  overflow-wrap: anywhere;
  background: var(--bg); border: 1px solid var(--edge); border-radius: 4px; font: 13px/1.45 ui-monospace, monospace;
  unicode-bidi: isolate; }
.note { color: var(--soft); }
"""
COLORS = 7

RUN_COLORS = "".join(
    f".line.c{number}, .ring.c{number} {{ stroke: var(--c{number}); }} .dot.c{number} {{ fill: var(--c{number}); }} "
    f".key.c{number} {{ color: var(--c{number}); }}\n"
    for number in range(COLORS)
)
