"""`rlpt completion bash|zsh|fish`: prints the script; the script asks `rlpt completion query LINE` at each TAB."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from rlpt.config.nearest import one_of
from rlpt.errors import UserError

# Readline replaces what stands behind the last word break (`=`, `:` and `@` are such), so the part of the word before
# it is cut off the candidates. The user's COMP_WORDBREAKS stays as it is.
BASH = r"""_rlpt_complete() {
    local line="${COMP_LINE:0:COMP_POINT}" breaks="${COMP_WORDBREAKS//[^=:@]/}" word prefix="" choice
    word="${line##*[[:space:]]}"
    if [[ -n $breaks && $word == *["$breaks"]* ]]; then prefix="${word%"${word##*["$breaks"]}"}"; fi
    COMPREPLY=()
    while IFS= read -r choice; do
        COMPREPLY+=("${choice#"$prefix"}")
    done < <("${COMP_WORDS[0]}" completion query "$line" 2>/dev/null)
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} != *[=./] && ${COMPREPLY[0]} != "["* ]]; then compopt +o nospace; fi
}
complete -o nospace -F _rlpt_complete rlpt
"""

ZSH = r"""#compdef rlpt
_rlpt() {
    local -a choices open
    choices=("${(@f)$("${words[1]}" completion query "${(j: :)words[1,CURRENT]}" 2>/dev/null)}")
    open=(${(M)choices:#*[=./]})
    choices=(${choices:#*[=./]})
    (( ${#open} )) && compadd -Q -S '' -- "${open[@]}"
    (( ${#choices} )) && compadd -Q -- "${choices[@]}"
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }
compdef _rlpt rlpt
"""

FISH = r"""complete -c rlpt -f -a '(rlpt completion query (commandline -cp) 2>/dev/null)'
"""

SCRIPTS: Mapping[str, str] = {"bash": BASH, "zsh": ZSH, "fish": FISH}

INSTALL = """Tab completion of verbs, groups, options and keys. For this shell only, or in its start-up file:
  bash   eval "$(rlpt completion bash)"      in ~/.bashrc
  zsh    eval "$(rlpt completion zsh)"       in ~/.zshrc
  fish   rlpt completion fish | source       in ~/.config/fish/config.fish"""


def main(argv: Sequence[str]) -> int:
    """Print a script, or the candidates of a line. `install=SHELL` and `query=SHELL` are Hydra's way of asking."""
    word = argv[0] if argv else "--help"
    if word in ("-h", "--help"):
        print(INSTALL)
        return 0
    if word == "query" or word.startswith("query="):
        line = argv[1] if word == "query" and len(argv) > 1 else os.environ.get("COMP_LINE", "")
        for candidate in candidates(line):
            print(candidate)
        return 0
    if word.startswith("uninstall="):
        print("complete -r rlpt" if word.endswith("=bash") else "complete -e -c rlpt")
        return 0
    script = SCRIPTS.get(word.removeprefix("install="))
    if script is None:
        raise UserError(f"There is no completion for '{word}'; write rlpt completion {one_of(list(SCRIPTS))}.")
    print(script, end="")
    return 0


def candidates(line: str) -> list[str]:
    """What may stand in the place of the last word of `line`, which begins with the command itself.

    Never raises for what the user has typed so far: an unfinished line has no candidates.
    """
    words = line.split()
    if not words or line[-1:].isspace():
        words.append("")
    *before, word = words[1:] or [""]
    from rlpt.cli import VERBS

    if not before:
        return sorted(name for name in VERBS if name.startswith(word))
    verb = VERBS.get(before[0])
    if verb is None:
        return []
    if verb.composed:
        return _composed(before[0], before[1:], word)
    if before[0] == "sandbox":
        return _sandbox(before[1:], word)
    if before[0] == "wandb":
        return _wandb(before[1:], word)
    others: Mapping[str, Callable[[str], list[str]]] = {
        "completion": _shells,
        "show": _runs,
        "trace": _runs,
        "rollback": _runs,
        "compare": _compared,
    }
    return others[before[0]](word) if before[0] in others else []


def _composed(verb: str, before: list[str], word: str) -> list[str]:
    from rlpt.commands.complete import complete
    from rlpt.config.composer import composer
    from rlpt.config.rewrite import with_config_dir

    folder = next((before[i + 1] for i, text in enumerate(before[:-1]) if text in ("--config-dir", "-cd")), None)
    try:
        overrides = with_config_dir([text for text in before if "=" in text], folder)
    except UserError:
        overrides = []
    with composer(verb, overrides, _root(verb, overrides)) as session:
        return complete(session, before, word)


def _root(verb: str, overrides: Sequence[str]) -> str | None:
    """The root config of a line that is not finished; None for the verb's own."""
    from rlpt.config.subject import DOMAIN, POLICY, audit_root

    if verb == "sandbox":
        from rlpt.commands.sandbox import ROOT

        return ROOT
    if verb != "audit":
        return None
    try:
        root = audit_root(overrides)
    except UserError:
        return None
    return POLICY if root == DOMAIN else root  # it has all that a domain's has, and a policy to choose


def _sandbox(before: list[str], word: str) -> list[str]:
    """What is done, then what chooses and sets the sandbox, and files: the program, or where the figures go."""
    from rlpt.commands.complete import files
    from rlpt.commands.sandbox import PARTS

    if not before:
        return sorted(part for part in PARTS if part.startswith(word))
    found = [name for name in _composed("sandbox", before[1:], word) if name.startswith(("sandbox", "out="))]
    if before[0] == "run":
        return [name for name in found if name.startswith("sandbox")] + files(word)
    return sorted([*found, *(["out="] if "out=".startswith(word) else [])])


def _wandb(before: list[str], word: str) -> list[str]:
    """What is done, then runs and options."""
    from rlpt.commands.wandb import OPTIONS

    if not before:
        return sorted(part for part in OPTIONS if part.startswith(word))
    return [*_runs(word), *(f"{name}=" for name in OPTIONS.get(before[0], ()) if f"{name}=".startswith(word))]


def _shells(word: str) -> list[str]:
    return [name for name in SCRIPTS if name.startswith(word)]


def _compared(word: str) -> list[str]:
    """Runs, the steps of a run behind its `@`, and the files that the report goes to."""
    from rlpt.commands.compare import FILES, OPTIONS
    from rlpt.commands.complete import files
    from rlpt.run_dir import RunDir

    option, equals, path = word.partition("=")
    if equals and option in FILES:
        return [f"{option}={found}" for found in files(path)]
    run, at, step = word.rpartition("@")
    if at:
        steps = [str(one) for one in RunDir(Path(run).expanduser()).evaluation_steps()]
        return [f"{run}@{name}" for name in [*steps, *(["last"] if steps else [])] if name.startswith(step)]
    return [*_runs(word), *(f"{name}=" for name in OPTIONS if f"{name}=".startswith(word))]


def _runs(word: str) -> list[str]:
    """Run directories below the working directory, and the folders that lead to them."""
    folder, slash, start = word.rpartition("/")
    place = Path(folder or slash or ".")
    found = [entry for entry in sorted(place.glob("*/")) if entry.name.startswith(start) and entry.name[0] != "."]
    return [f"{folder}{slash}{entry.name}{'' if (entry / 'config.yaml').is_file() else '/'}" for entry in found]
