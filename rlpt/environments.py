"""What the policy may do between its turns, domain by domain: its tools, in the words of its chat template."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from omegaconf import DictConfig

from rlpt.config.tools import domains_with_tools
from rlpt.policy.tokenizer import ChatTokenizer
from rlpt.policy.tool_chat import Said, ToolChat
from rlpt.samplers.protocol import ToolCall
from rlpt.samplers.trail import Environment
from rlpt.tools.protocol import Tool

MAX_CALLS = 8
"""A turn may hold as many calls as its tokens allow, and each may take seconds."""


def build_environments(cfg: DictConfig, chat: ChatTokenizer, tools: Mapping[str, Tool]) -> dict[str, Environment]:
    """The environments of the domains with tools.

    Raises:
        UserError: where the policy's chat template does not show tools or what they said.
    """
    return {
        domain: environment(
            chat,
            cfg.policy.name,
            {name: tools[name] for name in names},
            int(cfg.domain[domain].max_turns),
            int(cfg.policy.context_length),
        )
        for domain, names in domains_with_tools(cfg)
    }


def environment(
    chat: ChatTokenizer, policy: str, tools: Mapping[str, Tool], max_turns: int, context_length: int
) -> Environment:
    """One environment. Raises UserError as `build_environments` does."""
    words = ToolChat(chat, policy, [tool.schema() for tool in tools.values()])

    def reply(answered: Sequence[tuple[ToolCall, str]]) -> list[int]:
        return words.reply([Said(call.call_id, call.name, text) for call, text in answered])

    max_calls = MAX_CALLS if words.takes_several_calls() else 1
    return Environment(tools, max_turns, max_calls, context_length, words.encode, reply, chat.transcribe)
