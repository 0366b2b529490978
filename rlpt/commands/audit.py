"""`rlpt audit`: whether verdicts can be trusted, of a verifier by labelled completions, of a domain by its own tasks.

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
from rlpt.config.rewrite import quoted, with_config_dir, written_out
from rlpt.config.subject import audit_root
from rlpt.errors import UserError, complain

WRONG = 1
CONFIG_ERROR = 2

HELP = """rlpt audit verifier=NAME cases=FILE [out=FILE] [verifier.KEY=VALUE ...] [flags]
rlpt audit domain=NAME [attack=true] [policy=NAME] [out=FILE] [KEY=VALUE ...] [flags]

verifier=NAME runs labelled completions through a verifier, twice, in the processes that a run uses.
It prints how many right and wrong ones were accepted, rejected and not scored, every verdict that
differs from its label, the time of a verdict, and whether the second verdict was the same.

  cases   JSON lines: {"id": 1, "completion": "\\\\boxed{5}", "gold": "5", "correct": true}
          "correct" says whether the completion is right; other keys are ignored.
          "gold": "5" is short for "reference": {"answer": "5"}, what the verifier judges by.
  out     verdicts to write, as JSON lines:
          {"id", "expected", "correct", "reward", "status", "detail", "seconds"}

domain=NAME, or domain=[a,b], looks at domains: do their verifiers accept their own answers, do
their hidden tests notice a changed program, are prompts alike in training and evaluation?

  attack  true plays known reward hacks against the tasks and shows which are paid
  policy  answers the tasks: how many are solved in 1, 2, 4, ... tries, and how many are too easy or
          too hard to learn from
  tasks   how many tasks are changed, attacked and answered; split says of which split
  out     what was found, as JSON lines

The exit code is 0 where all is well, 1 where not (a verdict that differs from its label, a domain's
answer that is refused, a hack that is paid), 2 where a file or setting is no good, or a case's
reference is none that the verifier takes. A reference that proves broken only when a completion is
judged by it (check code that fails by itself) leaves that case not scored: 1."""

EXAMPLES = """Examples
  rlpt audit verifier=math cases=answers.jsonl verifier.anywhere=false
  rlpt audit verifier=unit_tests sandbox=process cases=programs.jsonl out=verdicts.jsonl
  rlpt audit verifier._target_=mine.Class +verifier.words=4 cases=answers.jsonl
  rlpt audit domain=python_functions mutants=50 out=found.jsonl
  rlpt audit domain=[arithmetic,instructions] attack=true tasks=16
  rlpt audit domain=arithmetic policy=smollm2 samples=16 split=validation"""

_WIDTH = 100
_PATHS = ("cases", "out")


def main(verb: str, argv: Sequence[str]) -> int:
    """Run `rlpt audit ARGV` and return the exit code: 0, 1 (something is wrong) or 2 (this cannot work)."""
    argv = [_with_quoted_path(text) for text in argv]
    try:
        args = options.parse(verb, argv)
        root = args.config_name or audit_root(args.overrides)
        if _shows_the_config(args):
            return front.main(verb, argv if args.config_name else [*argv, "--config-name", root])
        _refuse_sweep(args)
        overrides = with_config_dir(args.overrides, args.config_dir)
        with composer(verb, overrides, root) as session:
            if args.help:
                print(_help(session))
                return 0
            overrides = written_out(session, overrides)
            cfg = compose_checked(session, overrides)
            return _audit_domain(cfg) if "domain" in cfg else _audit_verifier(session, cfg)
    except UserError as error:
        complain(error, traceback_wanted(argv))
        return CONFIG_ERROR


def _audit_verifier(session: Composer, cfg: DictConfig) -> int:
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

    return 0 if audit_cases(plain, name) else WRONG


def _audit_domain(cfg: DictConfig) -> int:
    check_values(cfg)
    plain = resolved(cfg)
    for check in checks.AUDIT_DOMAIN:
        check(plain)
    check_here(plain)
    from rlpt.audit.domain_run import audit_domains

    return 0 if audit_domains(plain) else WRONG


def _name(session: Composer, cfg: DictConfig) -> str:
    """What the verifier is called in messages: its option, or the class that the user named instead."""
    choice = cfg.hydra.runtime.choices.get("verifier")
    if not OmegaConf.is_missing(cfg.verifier, "_target_"):
        return str(choice or cfg.verifier._target_.rpartition(".")[2])
    if choice is not None:
        raise UserError(f"verifier={choice} has no _target_; its config file must name the class to build.")
    raise UserError(
        "rlpt audit needs domain=NAME or a verifier with cases; choose one with "
        f"verifier=NAME: {one_of(session.groups['verifier'], ALL)}."
    )


def _shows_the_config(args: Namespace) -> bool:
    """Whether one of the flags is there that every verb answers in the same way."""
    shown = ("cfg", "info", "resolve", "package", "hydra_help", "shell_completion")
    return any(getattr(args, flag) for flag in shown)


def _refuse_sweep(args: Namespace) -> None:
    if args.multirun or any(text.lower() == "hydra.mode=multirun" for text in args.overrides):
        raise UserError("rlpt audit is no sweep; leave out -m and start it once for each, or write domain=[a,b].")


def _with_quoted_path(text: str) -> str:
    """`cases=a(1),b.jsonl` as Hydra's grammar takes it: the name of a file, whatever characters it holds."""
    key, equals, value = text.partition("=")
    plain = value not in ("", "null") and value[0] not in "'\"" and "${" not in value
    return f"{key}={quoted(value)}" if equals and key in _PATHS and plain else text


def _help(session: Composer) -> str:
    groups = [
        line
        for group in ("verifier", "domain", "policy", "sandbox")
        for line in textwrap.wrap(
            "  ".join(session.groups[group]), _WIDTH, initial_indent=f"  {group:10}", subsequent_indent=" " * 12
        )
    ]
    keys = f"Keys: set any; rlpt {session.verb} domain=NAME --cfg job prints them all with their values"
    flags = options.parser(session.verb).format_help().strip()
    return "\n".join([HELP, "", "Groups", *groups, "", keys, "", EXAMPLES, "", flags])
