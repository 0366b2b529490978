"""What every domain offers, and how the `domain` group of a config becomes domains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from hydra.errors import InstantiationException
from hydra.utils import instantiate
from omegaconf import DictConfig, OmegaConf

from rlpt.errors import UserError
from rlpt.records import Split, Task

READ_BY_THE_RUN = frozenset({"verifier", "max_new_tokens", "weight"})
"""Keys of a domain's config that the run reads itself. All others are arguments of the domain's `_target_`."""


class Domain(Protocol):
    """A source of tasks. Everything it returns is the same in every process and every run."""

    def load(self, split: Split) -> Sequence[Task]:
        """Return the tasks of `split`, in a fixed order. No two splits share a task.

        Raises:
            UserError: where the split cannot be filled, saying which setting to change.
        """
        ...

    def demonstration(self, task: Task) -> str:
        """Return an answer that the domain's verifier accepts. `task` must come from this domain."""
        ...


def build_domains(nodes: Mapping[str, Any]) -> dict[str, Domain]:
    """Build every domain of `cfg.domain`, by name and in the order of the config.

    Raises:
        UserError: as a domain raises it, or where a domain's `name` is not the key it stands under, so that its tasks
            would be filed elsewhere.
    """
    domains: dict[str, Domain] = {}
    for key, node in nodes.items():
        arguments = _arguments(node)
        if arguments.get("name", key) != key:
            raise UserError(
                f"domain.{key}.name is {arguments['name']!r}; set it to {key!r}, the name under which the run has it."
            )
        try:
            domains[key] = instantiate(arguments, _convert_="all")
        except InstantiationException as error:
            if isinstance(error.__cause__, UserError):  # Hydra wraps what a constructor raises.
                raise error.__cause__ from None
            raise
    return domains


def own_answers(name: str, domain: Domain, tasks: Sequence[Task]) -> list[str]:
    """Return the domain's own answer to each task, in order.

    Raises:
        UserError: naming domain and row, where the domain has none: its class is often the user's own, and what it
            stumbles over is a row of their data.
    """
    answers: list[str] = []
    for row, task in enumerate(tasks):
        try:
            answers.append(domain.demonstration(task))
        except Exception as error:
            raise UserError(
                f"Domain {name} has no own answer to row {row} ({task.task_id}): {type(error).__name__}: {error}; mend "
                "the task or the class's demonstration."
            ) from error
    return answers


def _arguments(node: Mapping[str, Any]) -> dict[str, Any]:
    plain = OmegaConf.to_container(node, resolve=True) if isinstance(node, DictConfig) else dict(node)
    assert isinstance(plain, dict)
    return {str(key): value for key, value in plain.items() if key not in READ_BY_THE_RUN}
