"""Chat messages to token ids and back, by the model's own tokenizer and chat template."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rlpt.errors import UserError
from rlpt.policy.stop_tokens import stop_token_ids
from rlpt.records import Message

Schemas = Sequence[Mapping[str, Any]]
"""Tools as the model is shown them, in the OpenAI format."""


class ChatTokenizer:
    """Encodes prompts and decodes completions. A completion is decoded for readers and never encoded again.

    A turn ends with the tokenizer's end-of-sequence token or with one that the model in `folder` names.
    """

    def __init__(self, folder: Path) -> None:
        from transformers import AutoTokenizer

        self._tokenizer: Any
        try:
            self._tokenizer = AutoTokenizer.from_pretrained(folder)
        except (OSError, ValueError, KeyError) as error:
            raise UserError(f"The tokenizer in {folder} cannot be loaded ({error}).") from error
        if not self._tokenizer.chat_template:
            raise UserError(f"The model in {folder} has no chat template; rlpt puts every task as a chat.")
        ends = dict.fromkeys([self._tokenizer.eos_token_id, *stop_token_ids(folder)])
        self._stop_token_ids = [token for token in ends if token is not None]

    @property
    def turn_ends(self) -> list[str]:
        """The texts of the tokens that end a turn."""
        return [str(self._tokenizer.decode([token])) for token in self._stop_token_ids]

    def encode(self, messages: Sequence[Message], tools: Schemas = ()) -> list[int]:
        """Token ids of the chat up to and including the start of the assistant's turn."""
        encoded: Any = self._tokenizer.apply_chat_template(
            [dict(message) for message in messages],
            tools=[dict(tool) for tool in tools] or None,
            add_generation_prompt=True,
            return_dict=True,
        )
        return list(encoded["input_ids"])

    def render(self, messages: Sequence[Mapping[str, Any]], tools: Schemas, with_start: bool) -> str:
        """The text of a chat; `with_start`: and of the start of the assistant's next turn.

        Raises whatever the template raises.
        """
        return str(
            self._tokenizer.apply_chat_template(
                [dict(message) for message in messages],
                tools=[dict(tool) for tool in tools] or None,
                add_generation_prompt=with_start,
                tokenize=False,
            )
        )

    def encode_text(self, text: str) -> list[int]:
        """Token ids of a part of a rendered chat, special tokens in it included."""
        return list(self._tokenizer.encode(text, add_special_tokens=False))

    def encode_answer(self, text: str) -> list[int]:
        """Token ids of an answer as the policy should write it, its end-of-sequence token included."""
        return [*self.encode_text(text), self._tokenizer.eos_token_id]

    def decode(self, token_ids: Sequence[int]) -> str:
        """Text of a completion, special tokens left out."""
        return str(self._tokenizer.decode(list(token_ids), skip_special_tokens=True))

    def transcribe(self, token_ids: Sequence[int]) -> str:
        """Text of a turn for readers: special tokens, such as marks of tool calls, stay, but for the one at its end."""
        ids = list(token_ids)
        if ids and ids[-1] in self._stop_token_ids:
            ids.pop()
        return str(self._tokenizer.decode(ids, skip_special_tokens=False))

    def without_special_tokens(self, text: str) -> str:
        """`text` in which nothing is read as a special token: each that is spelled out in it is broken up."""
        for token in self._special_tokens():
            text = text.replace(token, f"{token[0]} {token[1:]}")
        return text

    def _special_tokens(self) -> list[str]:
        added = self._tokenizer.added_tokens_decoder.values()
        return [str(token) for token in added if token.special and len(str(token)) > 1]
