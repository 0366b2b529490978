"""What of a response is the policy's own, where the prompt wants the request repeated first."""

from __future__ import annotations

import re

from rlpt.verifiers.constraint_kinds.answer import Answer
from rlpt.verifiers.constraint_kinds.text import sentences

ASKS = re.compile(r"\brep\w{0,2}eat", flags=re.IGNORECASE)  # one prompt of the data set says "repleat"


def own_text(answer: Answer) -> str:
    """The response without the sentences at its start that the prompt says word for word, if it asks to repeat some."""
    if not ASKS.search(answer.prompt):
        return answer.text
    prompt, position = _flat(answer.prompt), 0
    for sentence in sentences(answer.text):
        if _flat(sentence) not in prompt:
            break
        position = answer.text.index(sentence, position) + len(sentence)
    return answer.text[position:]


def _flat(text: str) -> str:
    return " ".join(text.split()).casefold()
