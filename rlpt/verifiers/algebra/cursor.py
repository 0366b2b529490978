"""A place in a list of tokens, and how lists of tokens are cut at the tokens outside all brackets."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rlpt.verifiers.algebra.nodes import UnreadableError
from rlpt.verifiers.algebra.tokens import Token

MAX_DEPTH = 40
"""Of brackets, powers and commands inside each other, so that reading by recursion ends."""

END = Token("row", "")
"""What stands behind the last token."""


class Cursor:
    """Reads tokens one after the other."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = list(tokens)
        self.position = 0
        self._depth = 0

    def peek(self, ahead: int = 0) -> Token:
        index = self.position + ahead
        return self.tokens[index] if index < len(self.tokens) else END

    def take(self) -> Token:
        token = self.peek()
        self.position += 1
        return token

    def accept(self, kind: str, text: str) -> bool:
        token = self.peek()
        if token.kind == kind and token.text == text:
            self.position += 1
            return True
        return False

    def expect(self, kind: str, text: str) -> None:
        if not self.accept(kind, text):
            raise UnreadableError(f"{text!r} is missing before {self.peek().text!r}")

    def rest(self) -> list[Token]:
        return self.tokens[self.position :]

    def replace(self, *tokens: Token) -> None:
        """Put other tokens in place of the next one."""
        self.tokens[self.position : self.position + 1] = tokens

    def enter(self) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise UnreadableError(f"nested deeper than {MAX_DEPTH}")

    def leave(self) -> None:
        self._depth -= 1


def bounded(tokens: Sequence[Token]) -> Sequence[Token]:
    """Return the tokens. Raises UnreadableError where their brackets stand too deep."""
    depth = 0
    for token in tokens:
        depth += depth_change(token)
        if depth > MAX_DEPTH:
            raise UnreadableError(f"brackets deeper than {MAX_DEPTH}")
    return tokens


def split(tokens: Sequence[Token], at: Callable[[Token], bool]) -> tuple[list[Sequence[Token]], list[str]]:
    """Cut at the tokens outside all brackets for which `at` holds; return the parts and those tokens' texts."""
    parts: list[Sequence[Token]] = []
    separators: list[str] = []
    depth = start = 0
    for index, token in enumerate(tokens):
        depth += depth_change(token)
        if depth < 0:
            raise UnreadableError("a bracket closes that was not opened")
        if depth == 0 and token.kind != "close" and at(token):
            parts.append(tokens[start:index])
            separators.append(token.text)
            start = index + 1
    if depth:
        raise UnreadableError("a bracket is not closed")
    return [*parts, tokens[start:]], separators


def operators(*texts: str) -> Callable[[Token], bool]:
    """Say of a token whether it is one of these operators."""
    return lambda token: token.kind == "op" and token.text in texts


def closing(tokens: Sequence[Token]) -> int:
    """Index of the bracket that closes the first token; -1 where none does."""
    depth = 0
    for index, token in enumerate(tokens):
        depth += depth_change(token)
        if depth == 0:
            return index
    return -1


def depth_change(token: Token) -> int:
    return (token.kind == "open") - (token.kind == "close")
