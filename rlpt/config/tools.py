"""Rules about domains with tools, as those in `checks`: from the resolved config to None or a UserError."""

from __future__ import annotations

from collections.abc import Iterator

from omegaconf import DictConfig, OmegaConf

from rlpt.config.nearest import nearest, one_of
from rlpt.errors import UserError


def check_tools(cfg: DictConfig) -> None:
    """Every tool that a domain names must be there, but where no policy is asked to call it."""
    if not isinstance(OmegaConf.select(cfg, "policy"), DictConfig):
        return
    composed = OmegaConf.select(cfg, "tool")
    there = [str(name) for name in composed] if isinstance(composed, DictConfig) else []
    for domain, tools in domains_with_tools(cfg):
        for tool in tools:
            if tool in there:
                continue
            near = nearest(tool, there)
            hint = f"did you mean {near[0]}?" if near else f"choose it with tool=[{','.join([*there, tool])}]."
            known = f"this run has {one_of(there)}" if there else "this run has none"
            raise UserError(f"domain.{domain}.tools names {tool}, which is not among the tools ({known}); {hint}")


def check_turns(cfg: DictConfig) -> None:
    """A call needs a turn after it, and a way to be read."""
    for name, node in _domains(cfg):
        turns = node.get("max_turns")
        if isinstance(turns, int) and turns < 1:
            raise UserError(f"domain.{name}.max_turns={turns} is too small; set it to 1 or more.")
    for name, tools in domains_with_tools(cfg):
        turns = OmegaConf.select(cfg, f"domain.{name}.max_turns", default=1)
        if isinstance(turns, int) and turns < 2:
            raise UserError(
                f"domain.{name}.max_turns={turns} leaves no turn for an answer after a call of {one_of(tools)}; write "
                f"domain.{name}.max_turns=2 or more, or domain.{name}.tools=[]."
            )
        if isinstance(OmegaConf.select(cfg, "policy"), DictConfig) and not OmegaConf.select(cfg, "policy.tool_parser"):
            raise UserError(
                f"domain.{name} has tools and policy.tool_parser is null, so calls could not be read; write "
                "policy.tool_parser=NAME, such as hermes for Qwen, the way in which the model writes calls."
            )


def domains_with_tools(cfg: DictConfig) -> Iterator[tuple[str, list[str]]]:
    """The domains of a resolved config that name tools, with their names."""
    for name, node in _domains(cfg):
        if tools := node.get("tools"):
            yield name, [str(tool) for tool in tools]


def _domains(cfg: DictConfig) -> Iterator[tuple[str, DictConfig]]:
    domains = OmegaConf.select(cfg, "domain")
    for name in domains if isinstance(domains, DictConfig) else ():
        if isinstance(domains[name], DictConfig):
            yield str(name), domains[name]
