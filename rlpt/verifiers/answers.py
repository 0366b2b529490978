# ruff: noqa: RUF001
r"""Finds the answer in a completion: in `\boxed{}`, behind `####`, in `<answer>` tags. Linear in the text's length.

Each form is a function from the response to the answer's text: None where the form does not occur, and `""` where it
occurs without an answer in it (an empty box, one that is never closed). The last box or tag counts, so that an earlier
guess cannot win; boxes or tags that directly follow each other are one answer. The first `####` line counts: base
models go on to write the next question after it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence

from rlpt.errors import UserError

_END_OF_TURN = re.compile(
    r"<\|(?:im_end|im_start|endoftext|eot_id|end_of_text|end|eom_id|user|assistant|return)\|>"
    r"|</s>|<eos>|<end_of_turn>|<｜end▁of▁sentence｜>"
)
_START_OF_TURN = re.compile(r"\s*(?:<s>|<bos>)?(?:<\|im_start\|>\s*assistant\s*|<\|assistant\|>\s*)?")
_START_OF_THOUGHT = re.compile(r"<\s{0,9}think(?:ing)?\s{0,9}>", re.IGNORECASE)
_END_OF_THOUGHT = re.compile(r"<\s{0,9}/\s{0,9}think(?:ing)?\s{0,9}>", re.IGNORECASE)
_BOX = re.compile(r"\\(?:boxed|fbox|framebox)(?![A-Za-z])\s*")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_UNBRACED = re.compile(r"\$?-?[\d.,/]*\d|[A-Za-z](?![A-Za-z])")
_BETWEEN = re.compile(
    r"(?:[\s,;&$/|~*`()+=]|-(?!>)|\.(?!\.)|\d{1,2}[.)](?=\s)|\\[\\()\[\],;:! ]|\\q?quad"
    r"|\\(?:lor|vee|land|hspace\{[^{}]{0,9}\})"
    r"|\\text(?:bf|it|rm)?\{\s*(?:and|or)?\s*\}|\b(?:and|or|else|otherwise|alternatively|possibly|maybe|perhaps|versus|vs)\b"
    r"|和|或|、|，)*"
)
_LONGEST_GAP = 60
_HASH = re.compile(r"(?<!#)####(?!#)[ \t]*([^\n]*)")
_HASH_LABEL = re.compile(r"(?:the )?(?:final )?answer(?: is)?\s*[:=]?\s*", re.IGNORECASE)
_TAG = re.compile(r"<answer>((?:(?!<answer>).)*?)</answer>", re.DOTALL | re.IGNORECASE)


def response(completion: str) -> str:
    """Return what the policy says to the user: after its thoughts, before the end of its turn.

    A thought that is never closed leaves nothing; so does one that is closed and followed by nothing.
    """
    text = completion[_start_of_turn(completion) :]
    end = _END_OF_TURN.search(text)
    text = text[: end.start()] if end else text
    closed = list(_END_OF_THOUGHT.finditer(text))
    text = text[closed[-1].end() :] if closed else text
    return _START_OF_THOUGHT.split(text, maxsplit=1)[0].strip()


def _start_of_turn(text: str) -> int:
    match = _START_OF_TURN.match(text)
    return match.end() if match else 0


def boxed(text: str) -> str | None:
    r"""Return the inside of the last `\boxed{}` (or `\fbox{}`), several that stand side by side joined by commas."""
    if "box" not in text:
        return None
    boxes = _boxes(text)
    if not boxes:
        return None
    return _last(text, boxes)


def _last(text: str, marked: Sequence[tuple[int, int, str]]) -> str:
    """The last of the marked answers (start, end, inside), with those that stand directly before it: one answer."""
    group = [marked[-1]]
    for one in reversed(marked[:-1]):
        start, end = one[1], group[0][0]
        if end - start > _LONGEST_GAP or not _BETWEEN.fullmatch(text, start, end):
            break
        group.insert(0, one)
    contents = [content.strip() for _, _, content in group]
    if not all(contents):
        return ""
    distinct = list(dict.fromkeys(contents))
    return ", ".join(distinct if len(distinct) == 1 else contents)


def _boxes(text: str) -> list[tuple[int, int, str]]:
    """The outermost boxes as (start, end, inside); a box that is not closed runs to the end and holds nothing."""
    openings, closings = _matching_braces(text)
    boxes: list[tuple[int, int, str]] = []
    past = 0
    for match in _BOX.finditer(text):
        if match.start() < past:
            continue
        inner = match.end()
        if text.startswith("{", inner):
            index = bisect_left(openings, inner)
            end = closings[index]
            if end < 0:
                boxes.append((match.start(), len(text), ""))
                break
            content = text[inner + 1 : end]
            boxes.append((match.start(), end + 1, _innermost(content)))
            past = end + 1
        elif single := _UNBRACED.match(text, inner):
            boxes.append((match.start(), single.end(), single[0]))
    return boxes


def _innermost(content: str) -> str:
    r"""`\boxed{\boxed{7}}` is one box."""
    for _ in range(3):
        match = _BOX.match(content.strip())
        if not match or not content.strip().endswith("}") or not content.strip().startswith("{", match.end()):
            break
        content = content.strip()[match.end() + 1 : -1]
    return content


def _matching_braces(text: str) -> tuple[list[int], list[int]]:
    """The places of all opening braces, and of the brace that closes each (-1 where none does)."""
    openings: list[int] = []
    closings: list[int] = []
    stack: list[int] = []
    for match in _BRACE.finditer(text):
        if match[0] == "{":
            stack.append(len(openings))
            openings.append(match.start())
            closings.append(-1)
        elif match[0] == "}" and stack:
            closings[stack.pop()] = match.start()
    return openings, closings


def hash_line(text: str) -> str | None:
    """Return what stands behind the first `####`; a Markdown heading is not taken for it while there is another."""
    lines = [_HASH_LABEL.sub("", match[1].strip(), count=1).strip() for match in _HASH.finditer(text)]
    if not lines:
        return None
    answers = [line for line in lines if not line[:1].isalpha()]
    return answers[0] if answers else lines[0]


def tagged(text: str) -> str | None:
    """Return the inside of the last `<answer>` tag, several that stand side by side joined by commas."""
    if "<answer>" not in text.lower():
        return None
    tags = [(match.start(), match.end(), match[1]) for match in _TAG.finditer(text)]
    return _last(text, tags) if tags else ""


FORMS: Mapping[str, Callable[[str], str | None]] = {"boxed": boxed, "hash": hash_line, "tag": tagged}
"""The forms that a prompt may ask for, by the names that verifiers take."""


def check_forms(forms: Sequence[str]) -> tuple[str, ...]:
    """Return the forms; UserError where there is none or one is unknown."""
    if isinstance(forms, str) or not forms or not set(forms) <= set(FORMS):
        raise UserError(f"A verifier's forms must be a list of {', '.join(sorted(FORMS))}; got {forms!r}.")
    return tuple(forms)
