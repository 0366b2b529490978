"""`rlpt <verb>`: finds the verb and hands the arguments over. Imports nothing heavy."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from rlpt import __version__
from rlpt.errors import UserError

INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class Verb:
    """`module` has `main(argv) -> exit code`, or, where `composed`, takes the verb before it."""

    module: str
    help: str
    arguments: str = ""
    composed: bool = False


VERBS: dict[str, Verb] = {
    "train": Verb("rlpt.commands.front", "train a policy and show what got better, domain by domain", composed=True),
    "eval": Verb("rlpt.commands.front", "measure a policy or a finished run, domain by domain", composed=True),
    "sft": Verb("rlpt.commands.front", "fine-tune a policy on the domains' demonstrations", composed=True),
    "audit": Verb("rlpt.commands.audit", "find out whether a verifier or a domain can be trusted", composed=True),
    "show": Verb("rlpt.commands.show", "read samples of a run: prompt, answer, verdict, advantage", "RUN"),
    "compare": Verb("rlpt.commands.compare", "compare a run, step or model with others, task by task", "A B"),
    "trace": Verb("rlpt.commands.trace", "say why a domain got worse: since when, what changed, who did it", "RUN"),
    "rollback": Verb("rlpt.commands.rollback", "show a run's lineage and go back to an earlier policy", "RUN"),
    "sandbox": Verb("rlpt.commands.sandbox", "run a program in the sandbox, or measure its speed", "run | bench"),
    "wandb": Verb("rlpt.commands.wandb", "send an offline run to W&B; or lay out its panels: workspace", "sync RUN"),
    "doctor": Verb("rlpt.commands.doctor", "say what is installed and what this machine can do"),
    "completion": Verb("rlpt.commands.completion", "print the tab completion of bash, zsh or fish", "SHELL"),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    0: done. 1: it failed while running (or a bug, with its traceback). 2: what was asked for cannot work.
    3: rlpt compare: the candidate regressed. 130: interrupted.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    _find_users_modules()
    try:
        return _run(arguments)
    except UserError as error:
        print(f"rlpt: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt as interrupt:
        print(f"\nrlpt: {str(interrupt) or 'Interrupted.'}", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # the reader of our output has gone, as in `rlpt train --cfg job | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _run(arguments: list[str]) -> int:
    word = arguments[0] if arguments else "--help"
    if word in ("-h", "--help", "help"):
        print(_help())
        return 0
    if word == "--version":
        print(f"rlpt {__version__}")
        return 0
    if word in ("-sc", "--shell-completion"):
        word, arguments = "completion", ["completion", *arguments[1:]]
    verb = VERBS.get(word)
    if verb is None:
        raise UserError(_no_such_verb(word))
    module = import_module(verb.module)
    rest = arguments[1:]
    code: int = module.main(word, rest) if verb.composed else module.main(rest)
    sys.stdout.flush()
    return code


def _find_users_modules() -> None:
    """Let `_target_` name a class in the folder that rlpt is started in. Installed packages come first."""
    here = str(Path.cwd())
    if here not in sys.path and "" not in sys.path:
        sys.path.append(here)


def _help() -> str:
    lines = ["rlpt: post-training of language models with reinforcement learning from verifiable rewards", ""]
    lines += [f"  rlpt {f'{name} {verb.arguments}':20} {verb.help}" for name, verb in VERBS.items()]
    lines += ["", "rlpt VERB --help says more. The default experiment is: rlpt train"]
    return "\n".join(lines)


def _no_such_verb(word: str) -> str:
    from rlpt.config.nearest import nearest, one_of

    if "=" in word:
        return f"'{word}' stands where the verb should be; write rlpt train {word}."
    near = nearest(word, VERBS)
    hint = f"did you mean rlpt {near[0]}?" if near else f"it is one of {one_of(list(VERBS))}."
    return f"There is no verb '{word}'; {hint}"
