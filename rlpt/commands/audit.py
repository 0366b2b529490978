"""`rlpt audit`: labelled completions through a verifier; says where it is wrong, how fast it is, whether it wavers.

Unlike the other verbs that compose a config it leaves no run directory, and nothing at all on the disk without `out=`.
"""

from __future__ import annotations

import textwrap
from argparse import Namespace
from collections.abc import Sequence

from omegaconf import DictConfig, OmegaConf

from rlpt.commands import front, options
from rlpt.commands.job import traceback_wanted
from rlpt.config import checks
from rlpt.config.composer import Composer, composer
from rlpt.config.nearest import ALL, one_of
from rlpt.config.preflight import check_here, compose_checked
from rlpt.config.required import check_values
from rlpt.config.resolve import frozen, resolved
from rlpt.config.rewrite import quoted, with_config_dir
from rlpt.errors import UserError, complain

DISAGREE = 1
CONFIG_ERROR = 2

HELP = """rlpt audit verifier=NAME cases=FILE [out=FILE] [verifier.KEY=VALUE ...] [flags]

Runs labelled completions through a verifier, twice, in the processes that a run uses. Prints how
many right and wrong ones were accepted, rejected and not scored, every verdict that is not what its
label says, the time of a verdict, and whether the second verdict was the same.

  cases   JSON lines: {"id": 1, "completion": "\\\\boxed{5}", "gold": "5", "correct": true}
          "correct" says whether the completion is right; other keys are ignored.
          "gold": "5" is short for "reference": {"answer": "5"}, what the verifier judges by.
  out     verdicts to write, as JSON lines:
          {"id", "expected", "correct", "reward", "status", "seconds"}

The exit code is 0 where all agree, 1 where not, 2 where the file or a reference is no good."""

EXAMPLES = """Examples
  rlpt audit verifier=math cases=answers.jsonl verifier.anywhere=false
  rlpt audit verifier=unit_tests sandbox=process cases=programs.jsonl out=verdicts.jsonl
  rlpt audit verifier._target_=mine.Class +verifier.words=4 cases=answers.jsonl"""

_WIDTH = 100
_PATHS = ("cases", "out")


def main(verb: str, argv: Sequence[str]) -> int:
    """Run `rlpt audit ARGV` and return the exit code: 0, 1 (a verdict is wrong) or 2 (this cannot work)."""
    argv = [_with_quoted_path(text) for text in argv]
    try:
        args = options.parse(verb, argv)
        if _shows_the_config(args):
            return front.main(verb, argv)
        _refuse_sweep(args)
        overrides = with_config_dir(args.overrides, args.config_dir)
        with composer(verb, overrides, args.config_name) as session:
            if args.help:
                print(_help(session))
                return 0
            return _audit(session, overrides)
    except UserError as error:
        complain(error, traceback_wanted(argv))
        return CONFIG_ERROR


def _audit(session: Composer, overrides: Sequence[str]) -> int:
    cfg = compose_checked(session, overrides)
    name = _name(session, cfg)
    check_values(cfg)
    if not cfg.cases:
        raise UserError("rlpt audit needs labelled cases; add cases=FILE, see rlpt audit --help.")
    plain = resolved(cfg)
    # The rule looks at a domain's verifier, so it is shown one.
    checks.check_verification(
        frozen({"verification": plain.verification, "domain": {name: {"verifier": plain.verifier}}})
    )
    check_here(plain)
    from rlpt.audit.run import audit_cases

    return 0 if audit_cases(plain, name) else DISAGREE


def _name(session: Composer, cfg: DictConfig) -> str:
    """What the verifier is called in messages: its option, or the class that the user named instead."""
    choice = cfg.hydra.runtime.choices.get("verifier")
    if not OmegaConf.is_missing(cfg.verifier, "_target_"):
        return str(choice or cfg.verifier._target_.rpartition(".")[2])
    if choice is not None:
        raise UserError(f"verifier={choice} has no _target_; its config file must name the class to build.")
    raise UserError(
        f"rlpt audit needs a verifier; choose one with verifier=NAME: {one_of(session.groups['verifier'], ALL)}."
    )


def _shows_the_config(args: Namespace) -> bool:
    """Whether one of the flags is there that every verb answers in the same way."""
    shown = ("cfg", "info", "resolve", "package", "hydra_help", "shell_completion")
    return any(getattr(args, flag) for flag in shown)


def _refuse_sweep(args: Namespace) -> None:
    if args.multirun or any(text.lower() == "hydra.mode=multirun" for text in args.overrides):
        raise UserError("rlpt audit takes one verifier at a time; leave out -m and start it once for each.")


def _with_quoted_path(text: str) -> str:
    """`cases=a(1),b.jsonl` as Hydra's grammar takes it: the name of a file, whatever characters it holds."""
    key, equals, value = text.partition("=")
    plain = value not in ("", "null") and value[0] not in "'\"" and "${" not in value
    return f"{key}={quoted(value)}" if equals and key in _PATHS and plain else text


def _help(session: Composer) -> str:
    groups = [
        line
        for group in ("verifier", "sandbox")
        for line in textwrap.wrap(
            "  ".join(session.groups[group]), _WIDTH, initial_indent=f"  {group:10}", subsequent_indent=" " * 12
        )
    ]
    keys = f"Keys: set any; rlpt {session.verb} verifier=NAME --cfg job prints them all with their values"
    flags = options.parser(session.verb).format_help().strip()
    return "\n".join([HELP, "", "Groups", *groups, "", keys, "", EXAMPLES, "", flags])
