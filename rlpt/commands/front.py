"""The front of the verbs that compose a config: from arguments to help, a printed config, a run or a sweep."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence

from omegaconf import DictConfig, OmegaConf, flag_override

from rlpt.commands import completion, launch, options
from rlpt.commands.job import traceback_wanted
from rlpt.config import record
from rlpt.config.composer import Composer, composer
from rlpt.config.preflight import compose_checked
from rlpt.config.resolve import resolved
from rlpt.config.rewrite import resume_target, with_config_dir
from rlpt.errors import UserError, complain

CONFIG_ERROR = 2


def main(verb: str, argv: Sequence[str]) -> int:
    """Run `rlpt VERB ARGV` and return the exit code: 0, 1 (the run failed) or 2 (what was asked for cannot work)."""
    try:
        args = options.parse(verb, argv)
        _one_of(args)
        if args.shell_completion:
            return completion.main(args.overrides)
        overrides = with_config_dir(args.overrides, args.config_dir)
        run = resume_target(overrides)
        recorded = record.recorded_overrides(run) if run else []
        with composer(verb, [*recorded, *overrides], args.config_name) as session:
            return _dispatch(session, overrides, args)
    except UserError as error:
        complain(error, traceback_wanted(argv))
        return CONFIG_ERROR


def _dispatch(session: Composer, overrides: list[str], args: Namespace) -> int:
    if args.multirun or any(text.lower() == "hydra.mode=multirun" for text in overrides):
        return launch.launch_sweep(session, overrides)
    if args.help:
        from rlpt.commands.help import verb_help

        print(verb_help(session))
    elif args.hydra_help:
        session.hydra.hydra_help(session.root, options.parser(session.verb), args)
    elif args.info:
        asked = launch.request(session, overrides)
        compose_checked(session, asked.overrides)
        session.hydra.show_info(args.info, session.root, asked.overrides)
    elif args.cfg:
        _show(session, launch.request(session, overrides).overrides, args)
    else:
        return launch.launch_run(session, launch.request(session, overrides))
    return 0


def _one_of(args: Namespace) -> None:
    chosen = [flag for flag in ("cfg", "info", "multirun", "run") if getattr(args, flag)]
    if len(chosen) > 1:
        raise UserError(f"--{chosen[0]} and --{chosen[1]} cannot go together; give one of them.")
    if (args.resolve or args.package) and not args.cfg:
        raise UserError("--resolve and --package belong to --cfg; add --cfg job.")


def _show(session: Composer, overrides: list[str], args: Namespace) -> None:
    cfg = compose_checked(session, overrides)
    if args.cfg != "job":
        session.hydra.show_cfg(session.root, overrides, args.cfg, args.package, resolve=args.resolve)
        return
    shown = resolved(cfg) if args.resolve else _without_hydra(cfg)
    package = None if args.package == "_global_" else args.package
    node = OmegaConf.select(shown, package) if package else shown
    if node is None:
        raise UserError(f"The config has no node '{package}'; rlpt {session.verb} --cfg job prints all.")
    header = f"# @package {package}\n" if package and OmegaConf.is_config(node) else ""
    print(header + (OmegaConf.to_yaml(node).rstrip() if OmegaConf.is_config(node) else str(node)))


def _without_hydra(cfg: DictConfig) -> DictConfig:
    with flag_override(cfg, ["struct", "readonly"], [False, False]):
        del cfg["hydra"]
    return cfg
