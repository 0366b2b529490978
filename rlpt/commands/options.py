"""The arguments of the verbs that compose a config: the same as any Hydra application has."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from typing import NoReturn

from rlpt.errors import UserError

INFO = ("all", "config", "defaults", "defaults-tree", "plugins", "searchpath")
CFG = ("job", "hydra", "all")


class Parser(argparse.ArgumentParser):
    """Reports a wrong argument as a UserError, like everything else that the user can mend."""

    def error(self, message: str) -> NoReturn:
        """Raise instead of printing the usage and leaving."""
        raise UserError(f"{message[0].upper()}{message[1:]}; see {self.prog} --help.")


def parse(verb: str, argv: Sequence[str]) -> argparse.Namespace:
    """Parse the arguments after `rlpt VERB`; overrides and flags may be mixed in any order.

    Raises:
        UserError: for an argument that does not exist.
    """
    return parser(verb).parse_intermixed_args(list(argv))


def parser(verb: str) -> Parser:
    """The flags, with their help."""
    one = Parser(
        prog=f"rlpt {verb}",
        add_help=False,
        allow_abbrev=False,
        usage=argparse.SUPPRESS,
        formatter_class=partial(argparse.HelpFormatter, max_help_position=26, width=100),
    )
    one.add_argument("overrides", nargs="*", help=argparse.SUPPRESS)
    add = one.add_argument_group("Flags").add_argument
    add("-m", "--multirun", action="store_true", help="run every combination of KEY=A,B,... (a sweep)")
    add("-c", "--cfg", choices=CFG, metavar="WHAT", help="print the config and stop: job | hydra | all")
    add("--resolve", action="store_true", help="with --cfg: print values in the place of ${references}")
    add("-p", "--package", metavar="NODE", help="with --cfg: print one node, such as algorithm.optimizer")
    add("-i", "--info", nargs="?", const="all", choices=INFO, metavar="WHAT", help=f"print {' | '.join(INFO)}")
    add("-cd", "--config-dir", metavar="DIR", help="also look for groups in DIR")
    add("-cn", "--config-name", metavar="NAME", help=argparse.SUPPRESS)
    add("-r", "--run", action="store_true", help=argparse.SUPPRESS)
    add("-sc", "--shell-completion", action="store_true", help=argparse.SUPPRESS)
    add("--hydra-help", action="store_true", help="Hydra's own groups and flags")
    add("-h", "--help", action="store_true", help="this text")
    return one
