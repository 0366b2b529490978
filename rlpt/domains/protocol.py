"""What every domain offers, and how the `domain` group of a config becomes domains."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from omegaconf import DictConfig, OmegaConf

from rlpt.config.build import build
from rlpt.errors import UserError
from rlpt.records import Split, Task

READ_BY_THE_RUN = frozenset({"verifier", "max_new_tokens", "weight", "tools", "max_turns"})
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


Turn = Mapping[str, Any]
"""A chat message of a demonstration in the OpenAI format.

The policy's is `{"role": "assistant", "content": text}`, with calls, where it makes some, as
`"tool_calls": [{"type": "function", "function": {"name": text, "arguments": object}}]`. What a tool says to one of them
is `{"role": "tool", "name": text, "content": text}`.
"""


@runtime_checkable
class DemonstratesTools(Protocol):
    """A domain that can also show how its tools are used."""

    def trajectory(self, task: Task) -> Sequence[Turn]:
        """Return everything that is said after the prompt.

        Each turn with calls is followed by one tool's message for each of them, in order; the last turn is the answer.
        """
        ...


def demonstrated(domain: Domain, task: Task) -> Sequence[Turn]:
    """What a domain with tools demonstrates: its trajectory, or its answer alone where it has none."""
    if isinstance(domain, DemonstratesTools):
        return domain.trajectory(task)
    return [{"role": "assistant", "content": domain.demonstration(task)}]


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
        domains[key] = build({**arguments, "_convert_": "all"})
    return domains


def load_tasks(name: str, domain: Domain, split: Split) -> list[Task]:
    """Return a split's tasks, checked: the class that made them is often the user's own.

    Raises:
        UserError: naming domain, split and row, for what is no task, is filed under another domain, or shares its id;
            and where loading itself fails.
    """
    try:
        tasks = list(domain.load(split))
    except UserError:
        raise
    except Exception as error:
        raise UserError(f"Domain {name} cannot load its {split} tasks: {type(error).__name__}: {error}.") from error
    seen: set[str] = set()
    for row, task in enumerate(tasks):
        if problem := _problem(name, task, seen):
            raise UserError(f"Domain {name}, {split} row {row}: {problem}.")
        seen.add(task.task_id)
    return tasks


def _problem(name: str, task: object, seen: Container[str]) -> str | None:
    """What is wrong with what a domain calls a task; None where nothing is."""
    if not isinstance(task, Task):
        return f"this is no rlpt.records.Task but a {type(task).__name__}"
    if not isinstance(task.task_id, str) or not task.task_id:
        return f"task_id={task.task_id!r} must be a text"
    if task.domain != name:
        return f"the task {task.task_id} has domain={task.domain!r}; it must be {name!r}"
    if task.task_id in seen:
        return f"the task_id {task.task_id} stands in an earlier row already; each task needs its own"
    if not isinstance(task.reference, Mapping):
        return f"the reference of {task.task_id} must be a mapping"
    if isinstance(task.messages, str) or not all(map(_is_message, task.messages)):
        return f'the messages of {task.task_id} must be a list of {{"role": text, "content": text}}'
    return None


def _is_message(message: object) -> bool:
    return isinstance(message, Mapping) and all(isinstance(message.get(key), str) for key in ("role", "content"))


def own_answers(name: str, domain: Domain, tasks: Sequence[Task]) -> list[str]:
    """Return the domain's own answer to each task, in order.

    Raises:
        UserError: naming domain and row, where the domain has none: its class is often the user's own, and what it
            stumbles over is a row of their data.
    """
    return [_own_answer(name, domain, row, task) for row, task in enumerate(tasks)]


def _own_answer(name: str, domain: Domain, row: int, task: Task) -> str:
    try:
        answer: object = domain.demonstration(task)
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
        raise UserError(_no_answer(name, row, task, problem)) from error
    if not isinstance(answer, str):
        raise UserError(_no_answer(name, row, task, f"demonstration returns a {type(answer).__name__}, not a text"))
    return answer


def _no_answer(name: str, row: int, task: Task, problem: str) -> str:
    return (
        f"Domain {name} has no own answer to row {row} ({task.task_id}): {problem}; mend the task or the class's "
        "demonstration."
    )


def _arguments(node: Mapping[str, Any]) -> dict[str, Any]:
    plain = OmegaConf.to_container(node, resolve=True) if isinstance(node, DictConfig) else dict(node)
    assert isinstance(plain, dict)
    return {str(key): value for key, value in plain.items() if key not in READ_BY_THE_RUN}
