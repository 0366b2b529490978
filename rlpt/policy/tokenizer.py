"""Chat messages to token ids and back, by the model's own tokenizer and chat template."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rlpt.errors import UserError
from rlpt.records import Message


class ChatTokenizer:
    """Encodes prompts and decodes completions. A completion is decoded for readers and never encoded again."""

    def __init__(self, folder: Path) -> None:
        from transformers import AutoTokenizer

        self._tokenizer: Any
        try:
            self._tokenizer = AutoTokenizer.from_pretrained(folder)
        except (OSError, ValueError, KeyError) as error:
            raise UserError(f"The tokenizer in {folder} cannot be loaded ({error}).") from error
        if not self._tokenizer.chat_template:
            raise UserError(f"The model in {folder} has no chat template; rlpt puts every task as a chat.")

    def encode(self, messages: Sequence[Message]) -> list[int]:
        """Token ids of the chat up to and including the start of the assistant's turn."""
        encoded: Any = self._tokenizer.apply_chat_template(
            [dict(message) for message in messages], add_generation_prompt=True, return_dict=True
        )
        return list(encoded["input_ids"])

    def encode_answer(self, text: str) -> list[int]:
        """Token ids of an answer as the policy should write it, its end-of-sequence token included."""
        ids: list[int] = self._tokenizer.encode(text, add_special_tokens=False)
        return [*ids, self._tokenizer.eos_token_id]

    def decode(self, token_ids: Sequence[int]) -> str:
        """Text of a completion, special tokens left out."""
        return str(self._tokenizer.decode(list(token_ids), skip_special_tokens=True))
