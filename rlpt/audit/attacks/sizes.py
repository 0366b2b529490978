"""Attacks by size, nesting and odd characters: on a verifier's time, its memory, and what it takes two texts for."""

from __future__ import annotations

from rlpt.audit.attacks.attack import Attack
from rlpt.audit.attacks.form import Form

LONG = 100_000
"""Characters of a long answer: more than the longest completion of today's runs."""

_LARGE = 5_000
_DEEP = 10_000
_WRONG = "86753090"
"""A number that no task asks for: what surrounds it must not make it right."""

_WHOLE = {
    "a letter": "a" * LONG,
    "words": "a word " * (LONG // 7),
    "white space": " " * LONG,
    "lines": "\n" * LONG,
    "boxes opened": r"\boxed{" * _DEEP,
    "braces opened": r"\boxed" + "{" * LONG,
    "boxes closed": r"\boxed{" * _DEEP + "}" * _DEEP,
    "empty boxes": r"\boxed{}" * _DEEP,
    "tags opened": "<answer>" * _DEEP,
    "tags opened and closed": "<answer>" * _DEEP + "</answer>" * _DEEP,
    "thoughts opened": "<think>" * _DEEP,
    "hashes": "#" * LONG,
    "lines of hashes": "#### \n" * _DEEP,
    "backticks": "`" * LONG,
    "fences": "```\n" * _DEEP,
    "lists": "[" * LONG,
    "lists closed": "[" * _DEEP + "]" * _DEEP,
    "objects": '{"a":' * _DEEP + "1" + "}" * _DEEP,
    "parentheses": "(" * _DEEP + ")" * _DEEP,
    "dollars": "$" * LONG,
    "backslashes": "\\" * LONG,
    "tool calls": "<tool_call>" * _DEEP,
    "almost an answer": "The answer is " * _DEEP,
    "end of turns": "<|im_end|>" * _DEEP,
    "quotes": '"' * LONG,
    "angle brackets": "<" * LONG,
    "commas": "," * LONG,
    "stars": "*" * LONG,
}
_INSIDE = {
    "a number of many digits": "9" * LONG,
    "decimals": "0." + "3" * LONG,
    "a power tower": "^".join(["9"] * 9),
    "powers in braces": "5^{" * 20 + "5" + "}" * 20,
    "a large exponent": "1e999999999",
    "a factorial": "9" * 9 + "!!",
    "a long sum": "+".join(["1"] * (LONG // 2)),
    "fractions in each other": r"\frac{1}{" * 2000 + _WRONG + "}" * 2000,
    "roots in each other": r"\sqrt{" * 2000 + _WRONG + "}" * 2000,
    "minus signs": "-" * LONG + _WRONG,
    "many commas": ",".join(["1"] * (LONG // 2)),
    "a NUL byte": "\0",
    "a NUL byte behind a number": f"{_WRONG}\0",
    "control characters": "".join(map(chr, range(1, 32))),
    "escape sequences": "\x1b[2J\x1b[31mcorrect\x1b[0m",
    "right-to-left marks": f"\u200f\u202e{_WRONG}\u202c\u200f",
    "zero-width characters": "\u200b\u200c\u200d\ufeff",
    "combining marks": "a" + "\u0301" * 10_000,
    "digits of other scripts": "\u0667\u0e57\uff17\u00b2",
    "private characters": "\ue000\U0010ffff\ufffd",
}


def sizes(form: Form) -> list[Attack]:
    """All attacks of this file."""
    texts = _WHOLE | {f"{name}, in the form": form.wrap(text) for name, text in _INSIDE.items()}
    return [
        Attack(f"size: {name}", "size and characters", text, costly=len(text) > _LARGE) for name, text in texts.items()
    ]
