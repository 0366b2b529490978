"""`rlpt compare A B`: what a candidate wins and loses against one or more references, domain by domain."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from rlpt.commands.words import split_words
from rlpt.errors import UserError

REGRESSED = 3

HELP = """rlpt compare A B [C ...] [html=FILE] [json=FILE] [n=2]

  A        the candidate; B, C, ... the references, each compared with A on its own; each is a
             RUN         a run directory: its last evaluation; also what rlpt eval left
             RUN@120     the evaluation after step 120; RUN@0: before training; RUN@last: the last
             FOLDER      a model folder that was measured from here with rlpt eval policy=FOLDER
  html     one file with everything and plots, readable without a network
  json     the same as plain values
  n        tasks lost, and as many won, whose texts are printed of each domain

It prints the table by domain, paired by task, with intervals and verdicts; what differs in the
configs; learning curves; cost; the tasks lost and won with both answers side by side.

The exit code is 0; 3 where the candidate regressed in any domain against any reference; 2 where
something cannot be compared, as evaluations on other tasks or with other settings cannot.

Examples
  rlpt compare runs/DATE/TIME-new runs/DATE/TIME-old html=report.html
  rlpt compare runs/DATE/TIME-new@last runs/DATE/TIME-new@0"""

FILES = ("html", "json")
OPTIONS = {"html": "report.html", "json": "report.json", "n": "4"}


def main(argv: Sequence[str]) -> int:
    """Compare, print, write the files, and return the exit code.

    Raises:
        UserError: for an option, a run or an evaluation that does not exist, or for suites that differ.
    """
    if not argv or argv[0] in ("-h", "--help"):
        print(HELP)
        return 0
    names, options = split_words("compare", argv, OPTIONS)
    if len(names) < 2:
        raise UserError(
            "rlpt compare takes a candidate and at least one reference"
            + (f"; write rlpt compare {shlex.join([names[0], f'{names[0]}@0'])}." if names else ", see --help.")
        )
    n = options.get("n", "2")
    if not n.isdecimal():
        raise UserError(f"n={n}: n takes a whole number, such as n=4.")
    files = {name: Path(options[name]).expanduser() for name in FILES if name in options}
    if len(set(files.values())) < len(files):
        raise UserError(f"html and json cannot both be {files['html']}; name two files.")
    from rlpt.evaluation.report.files import write_whole
    from rlpt.evaluation.report.page import page
    from rlpt.evaluation.report.plain import json_text
    from rlpt.evaluation.report.report import build_report
    from rlpt.evaluation.report.terminal import print_report
    from rlpt.evaluation.text import emit, visible

    report = build_report(names)
    write = {"html": page, "json": json_text}
    for name, file in files.items():  # before anything is printed, as it may fail
        write_whole(name, file, write[name](report))
    print_report(report, int(n))
    if files:
        emit(f"\nWritten: {visible(', '.join(map(str, files.values())))}")
    return REGRESSED if report.regressed else 0
