"""`rlpt trace RUN`: since when a domain is worse, what changed then, and whose updates worked against it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rlpt.commands.words import split_words
from rlpt.errors import UserError

HELP = """rlpt trace RUN [domain=NAME] [step=N] [json=FILE]

  RUN      a run directory, such as runs/2026-01-01/12-00-00-default
  domain   only this domain, also where it did not regress; if left out, the last regression of
           each domain that had one
  step     a regression that the evaluation after this step saw
  json     a file that gets everything as plain values

For each domain it says between which evaluations it got worse; which other domains' updates worked
against it, by the cosine of policy gradients that the run recorded at its evaluations (below 0 =
against) and their part of the signal; and which shares, lengths, rewards, KL, entropies, truncation
and hack rates changed in those steps, in units of their spread from step to step.

Where nothing regressed it says so and prints the cosines.

Example
  rlpt trace runs/DATE/TIME-NAME domain=arithmetic json=trace.json"""

OPTIONS = {"domain": "arithmetic", "step": "20", "json": "trace.json"}


def main(argv: Sequence[str]) -> int:
    """Trace, write the file, print. The exit code is 0.

    Raises:
        UserError: for an option, a run, a domain or a regression that does not exist.
    """
    if not argv or argv[0] in ("-h", "--help"):
        print(HELP)
        return 0
    runs, options = split_words("trace", argv, OPTIONS)
    if len(runs) != 1:
        raise UserError(f"rlpt trace takes one run directory and {len(runs)} were given; see rlpt trace --help.")
    step = options.get("step")
    if step is not None and not step.isdecimal():
        raise UserError(f"step={step}: step takes a whole number, such as step=20.")
    from rlpt.evaluation.report.files import write_whole
    from rlpt.evaluation.text import emit, visible
    from rlpt.evaluation.trace.plain import json_text
    from rlpt.evaluation.trace.terminal import print_trace
    from rlpt.evaluation.trace.trace import trace

    found = trace(Path(runs[0]).expanduser(), options.get("domain"), None if step is None else int(step))
    if "json" in options:  # before anything is printed, as it may fail
        write_whole("json", Path(options["json"]).expanduser(), json_text(found))
    print_trace(found)
    if "json" in options:
        emit(f"\nWritten: {visible(options['json'])}")
    return 0
