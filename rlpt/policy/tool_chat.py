"""How a chat template shows tools, and what stands between two turns of the policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jinja2 import TemplateError

from rlpt.errors import UserError
from rlpt.policy.tokenizer import ChatTokenizer, Schemas
from rlpt.records import Message

QUESTION: Message = {"role": "user", "content": "A question"}
WORD = "rlptturn"
"""Stands in the place of what the policy wrote; no template has it."""

FIX = "give another one by policy.chat_template=FILE (a Jinja file)"


@dataclass(frozen=True, slots=True)
class Said:
    """What a tool said to one call."""

    call_id: str
    name: str
    text: str


class ToolChat:
    """Token ids of chats in which the policy may call `tools`.

    What the policy wrote is never encoded again. The tokens between two of its turns are those of the template's text
    between the end of a turn and the start of the next: a chat with a turn in the policy's place is rendered, and what
    stands before the turn's end is thrown away.

    Raises:
        UserError: where the template does not show tools or what they said, or writes a turn anew once another follows.
    """

    def __init__(self, chat: ChatTokenizer, policy: str, tools: Schemas) -> None:
        self._chat = chat
        self._policy = policy
        self._tools = tools
        self._name = str(tools[0]["function"]["name"])
        self._check()

    def takes_several_calls(self) -> bool:
        """Whether the template can show a turn with more than one call."""
        said = [Said(call_id(number), self._name, "a result") for number in range(2)]
        try:
            self._render([QUESTION, *_exchange(WORD, said)], with_start=True)
        except UserError:
            return False
        return True

    def encode(self, messages: Sequence[Message]) -> list[int]:
        """Token ids of a prompt that shows the tools."""
        return self._chat.encode(messages, self._tools)

    def reply(self, said: Sequence[Said]) -> list[int]:
        """Token ids of what tools said, from after the policy's end-of-turn token to the start of its next turn.

        A special token that is spelled out in a text is broken up: a tool cannot end its own message.
        """
        safe = self._chat.without_special_tokens
        plain = [Said(safe(one.call_id), safe(one.name), safe(one.text)) for one in said]
        mark = _mark(plain)
        try:
            text = self._render([QUESTION, *_exchange(mark, plain)], with_start=True)
        except UserError:
            # Names and ids are the policy's own words too, and some templates refuse odd ones.
            named = [Said(call_id(number), self._name, one.text) for number, one in enumerate(plain)]
            text = self._render([QUESTION, *_exchange(mark, named)], with_start=True)
        end, rest = self._after_turn(text, mark)
        # Encoded behind the end of the turn: some tokenizers add a space to the beginning of a text.
        ids, own = self._chat.encode_text(end + rest), self._chat.encode_text(end)
        return ids[len(own) :]

    def encode_turns(
        self, messages: Sequence[Message], turns: Sequence[Mapping[str, Any]]
    ) -> tuple[list[int], list[int], list[int]]:
        """Token ids of the prompt, token ids of everything after it, and which of those the policy is to write.

        `turns` are chat messages in the OpenAI format: the assistant's, some with `tool_calls` whose arguments are
        objects, each of these followed by the tools' messages in the order of the calls.
        """
        token_ids: list[int] = []
        action_mask: list[int] = []
        place = 0
        while place < len(turns):
            turn, place = turns[place], place + 1
            ids = self._chat.encode_answer(self._turn_text(messages, turn))
            token_ids += ids
            action_mask += [1] * len(ids)
            if calls := turn.get("tool_calls"):
                answers, place = turns[place : place + len(calls)], place + len(calls)
                ids = self.reply(
                    [Said(call_id(number), one["name"], one["content"]) for number, one in enumerate(answers)]
                )
                token_ids += ids
                action_mask += [0] * len(ids)
        return self.encode(messages), token_ids, action_mask

    def _turn_text(self, messages: Sequence[Message], turn: Mapping[str, Any]) -> str:
        """What the template makes of a turn of the policy, from its start to before its end."""
        if calls := turn.get("tool_calls"):
            turn = {**turn, "tool_calls": [{"id": call_id(number), **call} for number, call in enumerate(calls)]}
        start = self._render(messages, with_start=True)
        whole = self._render([*messages, turn], with_start=False)
        if not whole.startswith(start):
            raise self._error("does not go on from the start of a turn as it shows the turn itself")
        text = whole[len(start) :]
        ends = [text.rindex(end) for end in self._chat.turn_ends if end in text]
        return text[: max(ends)] if ends else text

    def _after_turn(self, text: str, mark: str) -> tuple[str, str]:
        """The text of the token that ends the turn that holds `mark`, and everything after it."""
        if mark not in text:
            raise self._error("does not show turns of the assistant that call tools")
        rest = text[text.rindex(mark) :]
        ends = {rest.index(end): end for end in self._chat.turn_ends if end in rest}
        if not ends:
            raise self._error("does not end a turn with a token that ends the policy's own")
        first = min(ends)
        return ends[first], rest[first + len(ends[first]) :]

    def _check(self) -> None:
        prompt = self._render([QUESTION], with_start=False)
        if prompt == self._chat.render([QUESTION], [], with_start=False):
            raise self._error("does not show tools in a prompt")
        said = [Said(call_id(1), self._name, "the first result")]
        more = [Said(call_id(2), self._name, "the second result")]
        once = self._render([QUESTION, *_exchange("first-mark", said)], with_start=False)
        twice = self._render([QUESTION, *_exchange("first-mark", said), *_exchange("second-mark", more)], True)
        if not all(one.text in twice for one in [*said, *more]):
            raise self._error("does not show what a tool said")
        if not (once.startswith(prompt) and twice.startswith(once)):
            raise self._error("writes earlier turns anew once others follow")
        self._after_turn(twice, "second-mark")

    def _render(self, messages: Sequence[Mapping[str, Any]], with_start: bool) -> str:
        try:
            return self._chat.render(messages, self._tools, with_start)
        except (TemplateError, TypeError, ValueError, KeyError) as error:
            raise self._error(f"cannot show a chat with tools ({error})") from error

    def _error(self, what: str) -> UserError:
        return UserError(f"The chat template of policy {self._policy} {what}; {FIX}.")


def _exchange(mark: str, said: Sequence[Said]) -> list[dict[str, Any]]:
    """A turn that makes calls, and what the tools said to them. The mark stands last in the turn."""
    calls = [
        {
            "id": one.call_id,
            "type": "function",
            "function": {"name": one.name, "arguments": {"argument": mark}},
        }
        for one in said
    ]
    answers = [{"role": "tool", "tool_call_id": one.call_id, "name": one.name, "content": one.text} for one in said]
    return [{"role": "assistant", "content": mark, "tool_calls": calls}, *answers]


def _mark(said: Sequence[Said]) -> str:
    """A word that nothing of it holds."""
    mark = WORD
    while any(mark in part for one in said for part in (one.call_id, one.name, one.text)):
        mark += WORD
    return mark


def call_id(number: int) -> str:
    """An id of a call; some templates take those of nine characters alone."""
    return f"call{number:05d}"
