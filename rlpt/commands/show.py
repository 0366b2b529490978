"""`rlpt show RUN`: the run's table and some of its texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rlpt.config.nearest import nearest, one_of
from rlpt.errors import UserError

HELP = """rlpt show RUN [step=N] [of=rollouts|evaluation] [domain=NAME] [n=4] [sort=order]

  RUN      a run directory, such as runs/2026-01-01/12-00-00-default
  step     the RL step; the last one if left out; step=0 is the evaluation before training
  of       rollouts, or the evaluation after that step: of=evaluation alone shows the last evaluation;
           if left out, rollouts where the step has some
  domain   only this domain
  n        texts of each domain
  sort     order | reward | -reward | advantage | -advantage | length | -length | hacks;
           hacks: answers with signs of cheating first"""

OPTIONS = ("step", "of", "domain", "n", "sort")
WHOLE = ("step", "n")


def main(argv: Sequence[str]) -> int:
    """Print what was asked for.

    Raises:
        UserError: for an option or a run that does not exist.
    """
    if not argv or argv[0] in ("-h", "--help"):
        print(HELP)
        return 0
    runs = [word for word in argv if "=" not in word or Path(word).is_dir()]
    if len(runs) != 1:
        raise UserError(f"rlpt show takes one run directory and {len(runs)} were given; see rlpt show --help.")
    options = parse([word for word in argv if word not in runs])
    from rlpt.evaluation.show import show

    show(Path(runs[0]).expanduser(), **options)
    return 0


def parse(words: Sequence[str]) -> Mapping[str, Any]:
    """Read `key=value` words.

    Raises:
        UserError: for a key that does not exist or a number that is none.
    """
    found: dict[str, Any] = {}
    for word in words:
        key, _, value = word.lstrip("-").partition("=") if word.startswith("--") else word.partition("=")
        if key not in OPTIONS:
            near = nearest(key, OPTIONS)
            hint = f"did you mean {near[0]}=?" if near else f"it has {one_of(OPTIONS)}."
            raise UserError(f"rlpt show has no option '{key}'; {hint}")
        if key in WHOLE and not value.isdecimal():
            raise UserError(f"{word}: {key} takes a whole number, such as {key}=4.")
        found[key] = int(value) if key in WHOLE else value
    return found
