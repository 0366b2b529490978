# ruff: noqa: SIM905  (lists of words read better as text)
r"""Cuts cleaned text into tokens: numbers, symbols, commands, operators, brackets, words.

LaTeX and plain spelling give the same tokens (`\sqrt{2}` and `sqrt(2)`, `\cdot` and `*`). A word is mathematics where
it is known (`pi`, `sin`) or short enough to be a product of variables (`ab`), and text otherwise.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from rlpt.verifiers.algebra.nodes import UnreadableError
from rlpt.verifiers.algebra.units import is_short_unit, is_unit

MAX_TOKENS = 2_000

Kind = Literal["num", "sym", "const", "cmd", "op", "open", "close", "bar", "text", "dots", "row"]


@dataclass(frozen=True, slots=True)
class Token:
    """`spaced`: white space stands before it, which tells `1 1/4` from `11/4` and a mixed number from a product."""

    kind: Kind
    text: str
    spaced: bool = False


FUNCTIONS = frozenset(
    "sin cos tan cot sec csc arcsin arccos arctan arccot sinh cosh tanh coth log ln lg exp gcd lcm max min det abs "
    "floor ceil".split()
)
_COMMANDS = FUNCTIONS | {"frac", "sqrt", "binom", "choose", "overline", "sum", "prod", "int", "lim", "pmod", "mod"}
_DECORATIONS = frozenset(
    "hat vec bar tilde overrightarrow widehat underline dot mathcal mathscr mathfrak ddot overleftrightarrow".split()
)
_GREEK = frozenset(
    "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi rho sigma tau "
    "upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega ell hbar nabla "
    "partial angle triangle".split()
)
_CONSTANTS = {"pi": "pi", "infty": "oo", "infinity": "oo", "inf": "oo", "oo": "oo"}
_OPERATORS: dict[str, str] = {
    **dict.fromkeys(("cdot", "times", "ast", "cdotp"), "*"),
    **dict.fromkeys(("le", "leq", "leqslant"), "<="),
    **dict.fromkeys(("ge", "geq", "geqslant"), ">="),
    **dict.fromkeys(("ne", "neq"), "!="),
    **dict.fromkeys(("approx", "simeq", "doteq", "sim"), "~"),
    **dict.fromkeys(("land", "wedge"), "and"),
    **dict.fromkeys(("lor", "vee"), "or"),
    **{"div": "/", "lt": "<", "gt": ">", "equiv": "=", "coloneqq": "=", "colon": ":", "pm": "pm", "mp": "mp"},
    **{"in": "in", "cup": "cup", "cap": "cap", "setminus": "setminus", "backslash": "setminus", "circ": "circ"},
    **{"degree": "circ", "prime": "'", "to": "to", "rightarrow": "to"},
}
_BRACKETS: dict[str, tuple[Kind, str]] = {
    "langle": ("open", "<"),
    "rangle": ("close", ">"),
    "lfloor": ("open", "floor"),
    "rfloor": ("close", "floor"),
    "lceil": ("open", "ceil"),
    "rceil": ("close", "ceil"),
    "lbrace": ("open", "set"),
    "rbrace": ("close", "set"),
    "lbrack": ("open", "["),
    "rbrack": ("close", "]"),
    "lparen": ("open", "("),
    "rparen": ("close", ")"),
    **dict.fromkeys(("lvert", "rvert", "vert", "mid", "lVert", "rVert", "Vert"), ("bar", "|")),
}
_ESCAPES: dict[str, tuple[Kind, str]] = {
    "{": ("open", "set"),
    "}": ("close", "set"),
    "|": ("bar", "|"),
    "%": ("op", "%"),
    "&": ("op", "and"),
    "\\": ("row", "\\\\"),
}
_SETS = {"R": "reals", "Z": "integers", "N": "naturals", "Q": "rationals", "C": "complex numbers"}
_BLANK = {"vphantom", "mathstrut", "nonumber", "notag", "relax", "centering", "ensuremath", "boxed", "mathopen"}

_TOKEN = re.compile(
    r"""
    (?P<space>\s+)
  | (?P<num>\d+\.(?=\s*\\overline)|(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+(?![A-Za-z\d.]))?)
  | \\(?P<text>text[a-z]*|mbox|hbox)\s*\{(?P<words>[^{}]*)\}
  | \\(?P<font>mathrm|mathbf|mathit|mathsf|mathtt|mathnormal|operatorname\*?|bm|boldsymbol|pmb)\s*\{(?P<styled>[^{}]*)\}
  | \\mathbb\s*\{?\s*(?P<set>[A-Za-z])\s*\}?
  | \\(?:begin|end)\s*\{(?P<environment>[a-zA-Z]+\*?)\}
  | \\(?P<command>[A-Za-z]+)
  | \\(?P<escape>.)
  | (?P<word>[A-Za-z]+)
  | (?P<foreign>[^\W\d_A-Za-z]+)
  | (?P<dots>\.\.\.+)
  | (?P<relation><=|>=|!=|==)
  | (?P<power>\*\*)
  | (?P<char>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_CHARACTERS: dict[str, tuple[Kind, str]] = {
    **{char: ("op", char) for char in "+-*/^_=<>!%:,;'&¤"},
    **{char: ("open", char) for char in "([{"},
    **{char: ("close", char) for char in ")]}"},
    "|": ("bar", "|"),
}


def tokenize(text: str) -> list[Token]:
    """Cut cleaned text into tokens. Raises UnreadableError for a character that no answer holds, or for too many."""
    tokens: list[Token] = []
    spaced = False
    for match in _TOKEN.finditer(text):
        if match.lastgroup == "space":
            spaced = True
            continue
        new = _tokens(match, spaced)
        tokens.extend(new)
        spaced = spaced and not new
        if len(tokens) > MAX_TOKENS:
            raise UnreadableError(f"more than {MAX_TOKENS} tokens")
    return tokens


def _tokens(match: re.Match[str], spaced: bool) -> list[Token]:
    group, value = match.lastgroup, match[0]
    match group:
        case "num":
            return [Token("num", value, spaced)]
        case "words":
            return _words(match["words"], spaced)
        case "styled":
            return _styled(match["font"], match["styled"].strip(), spaced)
        case "set":
            return [Token("text", _SETS.get(match["set"], match["set"]), spaced)]
        case "environment":
            return [Token("open" if value.startswith("\\begin") else "close", f"begin {match['environment']}", spaced)]
        case "command":
            return _command(match["command"], spaced)
        case "escape":
            kind, name = _ESCAPES.get(match["escape"], ("op", ""))
            return [Token(kind, name, spaced)] if name else _refuse(value)
        case "word":
            return _word(value, spaced)
        case "foreign":
            return [Token("text", value, spaced)] if value.isalpha() else _refuse(value)
        case "dots":
            return [Token("dots", "...", spaced)]
        case "relation":
            return [Token("op", "=" if value == "==" else value, spaced)]
        case "power":
            return [Token("op", "^", spaced)]
        case _:
            kind, name = _CHARACTERS.get(value, ("op", ""))
            return [Token(kind, name, spaced)] if name else _refuse(value)


def _refuse(value: str) -> list[Token]:
    raise UnreadableError(f"no answer holds {value!r}")


def _words(words: str, spaced: bool) -> list[Token]:
    r"""The inside of a text command: mathematics where it has digits (`\text{13}`), words otherwise."""
    words = words.strip()
    if not words:
        return []
    if re.search(r"(?<!\^)\d", words):
        return tokenize(words)
    if words.lower() in ("and", "or"):
        return [Token("op", words.lower(), spaced)]
    parts = re.split(r"\b(and|or)\b", words)
    if len(parts) > 1:
        return [token for part in parts if part.strip() for token in _words(part, spaced)]
    return [Token("text", words, spaced)]


def _styled(font: str, inside: str, spaced: bool) -> list[Token]:
    if len(inside) == 1 and inside.isalpha():
        upright_unit = font == "mathrm" and inside in "mgshlLNJWVKt"
        return [Token("text", inside, spaced)] if upright_unit else _word(inside, spaced)
    if inside in _COMMANDS:
        return [Token("cmd", inside, spaced)]
    return _words(inside, spaced)


def _command(name: str, spaced: bool) -> list[Token]:
    if name in _COMMANDS:
        return [Token("cmd", name, spaced)]
    if name in _CONSTANTS:
        return [Token("const", _CONSTANTS[name], spaced)]
    if name in _OPERATORS:
        return [Token("op", _OPERATORS[name], spaced)]
    if name in _BRACKETS:
        kind, text = _BRACKETS[name]
        return [Token(kind, text, spaced)]
    if name in _GREEK:
        return [Token("sym", name, spaced)]
    if name in _DECORATIONS:
        return [Token("cmd", f"decorate {name}", spaced)]
    if name in ("ldots", "dots", "cdots", "dotsc", "dotsb", "vdots"):
        return [Token("dots", "...", spaced)]
    if name in ("emptyset", "varnothing"):
        return [Token("text", "empty set", spaced)]
    if name in _BLANK:
        return []
    raise UnreadableError(f"unknown command \\{name}")


def _word(word: str, spaced: bool) -> list[Token]:
    lower = word.lower()
    if lower in _CONSTANTS:
        return [Token("const", _CONSTANTS[lower], spaced)]
    if lower in _COMMANDS:
        return [Token("cmd", lower, spaced)]
    if lower in ("and", "or"):
        return [Token("op", lower, spaced)]
    if len(word) == 1:
        return [Token("const", word, spaced)] if word in "ei" else [Token("sym", word, spaced)]
    if lower in _GREEK:
        return [Token("sym", lower, spaced)]
    if len(word) > 3 or is_short_unit(lower):
        return [Token("text", word, spaced)]
    return [token for index, letter in enumerate(word) for token in _word(letter, spaced and index == 0)]


def is_mathematical(word: str) -> bool:
    """Whether a word of several letters is one that formulas hold: a function, a constant, "and", a short unit."""
    lower = word.lower()
    return lower in _CONSTANTS or lower in _COMMANDS or lower in _GREEK or lower in ("and", "or") or is_unit(lower)
