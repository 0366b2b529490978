"""The answer under test, read once: its text, what of it is prose, and what the prompt said."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from rlpt.verifiers.answers import response
from rlpt.verifiers.constraint_kinds.text import folded_words, normalize, sentences, words

TITLE = re.compile(r"<<[^<>\n]+>>")
BULLET = re.compile(r"^[ \t]*(?:[-*•]|\d{1,2}[.)])[ \t]+", flags=re.MULTILINE)


@dataclass(frozen=True)
class Answer:
    """A completion and the chat messages that it answers."""

    text: str
    prompt: str

    @classmethod
    def read(cls, completion: str, messages: Sequence[Mapping[str, str]]) -> Answer:
        """Take the response (thoughts and special tokens left out) and all that the messages say."""
        said = "\n".join(message["content"] for message in messages)
        return cls(text=normalize(response(completion)).strip(), prompt=normalize(said))

    @cached_property
    def prose(self) -> str:
        """The text without titles in `<< >>` and without the marks of list items."""
        return BULLET.sub("", TITLE.sub("", self.text)).strip()

    @cached_property
    def words(self) -> list[str]:
        """Words of the prose as written."""
        return words(self.prose)

    @cached_property
    def folded(self) -> list[str]:
        """Words of the prose, casefolded."""
        return folded_words(self.prose)

    @cached_property
    def sentences(self) -> list[str]:
        """Sentences of the prose."""
        return sentences(self.prose)
