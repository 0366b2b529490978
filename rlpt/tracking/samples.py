"""Rows of the table of samples that a tracker shows for a step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rlpt.records import Group, Message, Task


def prompt_text(task: Task) -> str:
    """The task's chat messages as text for a reader: `role: content`, a blank line between messages."""
    return _chat_text(task.messages)


def answer_text(text: str, messages: Sequence[Message]) -> str:
    """The answer for a reader: the text, or all that was said where there was more than one turn."""
    return _chat_text(messages) if len(messages) > 1 else text


def _chat_text(messages: Sequence[Message]) -> str:
    return "\n\n".join(f"{message['role']}: {message['content']}" for message in messages)


def sample_rows(
    groups: Sequence[Group], advantages: Sequence[Sequence[float]], per_domain: int
) -> list[dict[str, Any]]:
    """Up to `per_domain` rollouts of each domain, of different tasks where there are enough.

    The first rollouts of all groups come before any second one; which are taken depends on nothing but the order.
    """
    most = max((len(group.rollouts) for group in groups), default=0)
    candidates = (
        _row(group, values, index)
        for index in range(most)
        for group, values in zip(groups, advantages, strict=True)
        if index < len(group.rollouts)
    )
    return _first_of_domains(candidates, per_domain)


def evaluation_rows(rows: Iterable[Mapping[str, Any]], per_domain: int) -> list[dict[str, Any]]:
    """The first answers to the first `per_domain` tasks of each domain: the same tasks at every evaluation.

    `rows` are those of `rlpt.evaluation.sample.Sample.to_json`.
    """
    firsts = (_evaluation_row(row) for row in rows if row["index"] == 0)
    return _first_of_domains(firsts, per_domain)


def _first_of_domains(rows: Iterable[dict[str, Any]], per_domain: int) -> list[dict[str, Any]]:
    taken: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        own = taken.setdefault(row["domain"], [])
        if len(own) < per_domain:
            own.append(row)
    return [row for own in taken.values() for row in own]


def _evaluation_row(row: Mapping[str, Any]) -> dict[str, Any]:
    shown = ("reward", "status", "detail", "tokens", "finish_reason")
    answer = answer_text(row["text"], row.get("messages") or ())
    named = {name: row[name] for name in ("domain", "task_id", "prompt")}
    return {**named, "answer": answer, **{name: row.get(name) for name in shown}}


def _row(group: Group, advantages: Sequence[float], index: int) -> dict[str, Any]:
    rollout = group.rollouts[index]
    verdict = group.verdicts[index] if group.verdicts else None
    return {
        "domain": group.task.domain,
        "task_id": group.task.task_id,
        "prompt": prompt_text(group.task),
        "answer": answer_text(rollout.text, rollout.messages),
        "reward": verdict.reward if verdict else None,
        "status": verdict.status if verdict else None,
        "detail": verdict.detail if verdict else None,
        "advantage": advantages[index] if advantages else None,
        "tokens": rollout.actions,
        "finish_reason": rollout.finish_reason,
    }
