"""`rlpt --help` and `rlpt <verb> --help`: short, and made from the groups that are there."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from itertools import takewhile

from rlpt.commands import options
from rlpt.config.composer import Composer
from rlpt.config.paths import conf_dir

EXAMPLES: Mapping[str, tuple[str, ...]] = {
    "train": (
        "rlpt train domain=[arithmetic,instructions] algorithm=rloo algorithm.group_size=16",
        "rlpt train -m algorithm=grpo,rloo seed=0,1 hydra/launcher=submitit_local",
        "rlpt train resume=runs/2026-01-01/12-00-00-default",
    ),
    "eval": ("rlpt eval policy=runs/2026-01-01/12-00-00-default domain=[arithmetic]",),
    "sft": ("rlpt sft policy=smollm2 sft.steps=200",),
}

WIDTH = 100


def verb_help(session: Composer) -> str:
    """What can be chosen and set, and the flags."""
    cfg = session.compose(session.searchpath)
    chosen = {str(group): option for group, option in cfg.hydra.runtime.choices.items()}
    several = {"domain": set(cfg.get("domain") or {})}
    lines = [_title(session.verb), "", f"  rlpt {session.verb} [GROUP=OPTION ...] [KEY=VALUE ...] [flags]", ""]
    lines += ["Groups: choose one option of each (* = default; domain=[a,b] takes several)"]
    places = sorted(place for place in chosen if "@" in place)
    placed = {place.partition("@")[0] for place in places}
    for group, names in session.groups.items():
        if group != "hydra" and not group.startswith("hydra/"):
            known = group in chosen or group in placed or group in several
            defaults = several.get(group, {chosen.get(group)})
            marked = "  ".join(f"*{name}" if name in defaults else name for name in names)
            head = f"  {group if known else f'+{group}':24}"
            lines += textwrap.wrap(marked, WIDTH, initial_indent=head, subsequent_indent=" " * 26)
    lines += [f"  ({place}=... for one place)" for place in places]
    lines += ["", f"Keys: set any; rlpt {session.verb} --cfg job prints them all with their values", ""]
    lines += ["Examples", *(f"  {example}" for example in EXAMPLES.get(session.verb, ())), ""]
    lines += [options.parser(session.verb).format_help().strip()]
    lines += ["", 'Tab completion: eval "$(rlpt completion bash)"   (or zsh, fish)']
    return "\n".join(lines)


def _title(verb: str) -> str:
    text = (conf_dir() / f"{verb}.yaml").read_text(encoding="utf-8")
    comments = takewhile(lambda line: line.startswith("#"), text.splitlines())
    return " ".join(line.lstrip("# ") for line in comments)
