r"""Reads one expression from tokens by precedence climbing. Nothing is computed here.

Sums and products are flat, nesting is bounded, and every token is read once, so that any input takes linear time.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from rlpt.verifiers.algebra.cursor import END, Cursor
from rlpt.verifiers.algebra.nodes import Call, Const, Expr, Fn, Num, Sym, UnreadableError
from rlpt.verifiers.algebra.numerals import literal, number
from rlpt.verifiers.algebra.tokens import FUNCTIONS, Token

_CLOSERS = {"(": ")", "[": "]", "{": "}", "set": "set", "floor": "floor", "ceil": "ceil", "<": ">"}
_NAMED_FUNCTIONS = frozenset(
    {"f", "g", "h", "F", "G", "H", "P", "O", "Theta", "Omega", "phi", "Phi", "Gamma", "varphi"}
)
_INVERSES = {"sin": "arcsin", "cos": "arccos", "tan": "arctan", "cot": "arccot"}
_SIGNS = ("+", "-", "pm", "mp")


class ExpressionReader(Cursor):
    """Reads as far as an expression goes; `position` is where it stopped."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        super().__init__(tokens)
        self._bars = 0

    def sum(self) -> Expr:
        """expression := product (('+' | '-' | '±' | '∓') product)*"""
        terms = [self.product()]
        while self.peek().kind == "op" and self.peek().text in _SIGNS:
            sign = self.take().text
            terms.append(_signed(sign, self.product()))
        return terms[0] if len(terms) == 1 else Fn("add", tuple(terms))

    def product(self) -> Expr:
        """product := signed (('*' | '/' | nothing) factor)*"""
        factors = [self.signed()]
        while True:
            token = self.peek()
            if token.kind == "op" and token.text in ("*", "/"):
                self.take()
                factor = self.signed()
                factors.append(Fn("inv", (factor,)) if token.text == "/" else factor)
            elif self._starts_factor(token):
                factors.append(self.power())
            else:
                return factors[0] if len(factors) == 1 else Fn("mul", tuple(factors))

    def signed(self) -> Expr:
        signs = self._signs()
        value = self.power()
        for sign in reversed(signs):
            value = _signed(sign, value)
        return value

    def _signs(self) -> list[str]:
        signs: list[str] = []
        while self.peek().kind == "op" and self.peek().text in _SIGNS:
            signs.append(self.take().text)
            if len(signs) > 4:
                raise UnreadableError("too many signs in a row")
        return signs

    def power(self) -> Expr:
        """power := postfix ('^' exponent)*, the exponent binding to the right."""
        base = self.postfix(self.primary())
        if self.peek().kind == "op" and self.peek().text == "^":
            self.take()
            return self.postfix(Fn("pow", (base, self._exponent())))
        return base

    def postfix(self, value: Expr) -> Expr:
        for _ in range(3):
            token = self.peek()
            if token.kind != "op":
                return value
            if token.text == "!":
                self.take()
                value = Fn("double_factorial" if self.accept("op", "!") else "factorial", (value,))
            elif token.text == "%":
                self.take()
                value = Fn("percent", (value,))
            elif token.text == "circ" or self._degree_ahead():
                self._skip_degree()
                value = Fn("deg", (value,))
            else:
                return value
        return value

    def primary(self) -> Expr:
        self.enter()
        value = self._primary(self.take())
        self.leave()
        return value

    def _primary(self, token: Token) -> Expr:
        match token.kind:
            case "num":
                return Num(number(self, token))
            case "sym":
                return self._symbol(token.text)
            case "const":  # with an index it is a variable
                return self._symbol(token.text) if self.peek().text == "_" else Const(token.text)
            case "open":
                return self._group(token.text)
            case "bar" if token.text == "|":
                return self._absolute()
            case "cmd":
                return self._command(token.text)
        raise UnreadableError(f"{token.text or 'the end'!r} where a value was expected")

    def argument(self) -> Expr:
        r"""The argument of a TeX command: a group, or one token; of a number only its first digit (`\frac12`)."""
        token = self.peek()
        if token.kind == "num" and len(token.text) > 1:
            rest = Token("num", token.text[1:])
            if not token.text.isdigit():
                raise UnreadableError(f"unclear argument {token.text!r}")
            self.replace(Token("num", token.text[0]), rest)
            return Num(literal(self.take().text))
        return self.primary()

    def _starts_factor(self, token: Token) -> bool:
        match token.kind:
            case "num":  # two numbers side by side are no product
                return self.tokens[self.position - 1].kind != "num"
            case "bar":
                return self._bars == 0
            case "open":
                return token.text in ("(", "[", "{", "floor", "ceil")
            case "cmd":
                return token.text not in ("choose", "pmod", "mod")
        return token.kind in ("sym", "const")

    def _symbol(self, name: str) -> Expr:
        name += self._index() + self._primes()
        if self.peek().text != "(" or not (self._is_function(name) or self._comma_in_group()):
            return Sym(name)
        arguments = self._arguments()
        return Fn("binom", arguments) if name == "C" and len(arguments) == 2 else Call(name, arguments)

    def _is_function(self, name: str) -> bool:
        return name.partition("_")[0].rstrip("'") in _NAMED_FUNCTIONS

    def _comma_in_group(self) -> bool:
        """Whether the group that opens here holds a comma: then a symbol before it is a function."""
        depth = 0
        for token in self.rest():
            depth += (token.kind == "open") - (token.kind == "close")
            if depth == 0:
                return False
            if depth == 1 and token.kind == "op" and token.text == ",":
                return True
        return False

    def _index(self) -> str:
        """A subscript as part of a name; it is compared as written."""
        if not self.accept("op", "_"):
            return ""
        if not self.accept("open", "{"):
            return "_" + self.take().text
        parts, depth = [], 1
        while depth:
            token = self.take()
            if token is END:
                raise UnreadableError("an index without end")
            depth += {"open": 1, "close": -1}.get(token.kind, 0)
            if depth:
                parts.append(token.text)
        return "_" + "".join(parts)

    def _primes(self) -> str:
        primes = ""
        while self.accept("op", "'"):
            primes += "'"
        return primes

    def _group(self, opening: str) -> Expr:
        closing = _CLOSERS.get(opening)
        if closing is None or opening in ("set", "<"):
            raise UnreadableError(f"{opening!r} inside an expression")
        bars, self._bars = self._bars, 0
        value = self.sum()
        if opening == "{" and self.accept("cmd", "choose"):
            value = Fn("binom", (value, self.sum()))
        self._bars = bars
        self.expect("close", closing)
        return Fn(opening, (value,)) if opening in ("floor", "ceil") else value

    def _absolute(self) -> Expr:
        self._bars += 1
        value = self.sum()
        self._bars -= 1
        self.expect("bar", "|")
        return Fn("abs", (value,))

    def _command(self, name: str) -> Expr:
        if name == "frac":
            top = self.argument()
            return Fn("mul", (top, Fn("inv", (self.argument(),))))
        if name == "binom":
            return Fn("binom", (self.argument(), self.argument()))
        if name == "sqrt":
            return self._root()
        if name in FUNCTIONS:
            return self._function(name)
        if name in ("sum", "prod", "int", "lim"):
            return self._big(name)
        if name == "overline" or name.startswith("decorate "):
            return self._decorated(name.removeprefix("decorate "))
        raise UnreadableError(f"{name!r} inside an expression")

    def _root(self) -> Expr:
        degree: Expr = Num(Fraction(2))
        if self.accept("open", "["):
            degree = self.sum()
            self.expect("close", "]")
        if self.peek().kind in ("num", "open", "sym", "const"):
            return Fn("root", (self.primary(), degree))
        return Fn("root", (self.power(), degree))

    def _function(self, name: str) -> Expr:
        subscript: tuple[Expr, ...] = ()
        if self.accept("op", "_"):
            subscript = (self._bare(),)
        exponent: Expr | None = None
        if self.accept("op", "^"):
            exponent = self._exponent()
        if name in _INVERSES and exponent == Fn("neg", (Num(Fraction(1)),)):
            name, exponent = _INVERSES[name], None
        value: Expr = Fn(name, (*self._arguments(), *subscript))
        return value if exponent is None else Fn("pow", (value, exponent))

    def _arguments(self) -> tuple[Expr, ...]:
        if self.accept("open", "("):
            arguments = [self.sum()]
            while self.accept("op", ","):
                arguments.append(self.sum())
            self.expect("close", ")")
            return tuple(arguments)
        if self.peek().kind == "open" or self.peek().text in FUNCTIONS:
            return (self.power(),)
        factors = [self.signed()]
        while self.peek().kind in ("num", "sym", "const") and self._starts_factor(self.peek()):
            factors.append(self.power())
        return (factors[0] if len(factors) == 1 else Fn("mul", tuple(factors)),)

    def _big(self, name: str) -> Expr:
        r"""`\sum_{k=0}^{n} body`: kept with its bounds and never computed."""
        bounds: list[Expr] = []
        for mark in "_^_":
            if self.accept("op", mark):
                bounds.append(self._bound())
        return Call(name, (*bounds, self.product()))

    def _bound(self) -> Expr:
        if not self.accept("open", "{"):
            return self.primary()
        sides = [self.sum()]
        while self.peek().kind == "op" and self.peek().text in ("=", "to"):
            self.take()
            sides.append(self.sum())
        self.expect("close", "}")
        return sides[0] if len(sides) == 1 else Call("bound", tuple(sides))

    def _decorated(self, name: str) -> Expr:
        self.expect("open", "{")
        inside = ""
        while self.peek().kind in ("sym", "const", "text"):
            inside += self.take().text
        self.expect("close", "}")
        return self._symbol(f"{name} {inside}")

    def _exponent(self) -> Expr:
        self.enter()
        signs = self._signs()
        value = self._bare()
        if self.accept("op", "!"):
            value = Fn("factorial", (value,))
        if self.accept("op", "^"):
            value = Fn("pow", (value, self._exponent()))
        for sign in reversed(signs):
            value = _signed(sign, value)
        self.leave()
        return value

    def _bare(self) -> Expr:
        """A value in an exponent or index: a number ends there, whatever follows it."""
        if self.peek().kind == "num":
            return Num(literal(self.take().text))
        return self.primary()

    def _degree_ahead(self) -> bool:
        texts = [self.peek(index).text for index in range(4)]
        return texts[0] == "^" and (texts[1] == "circ" or texts[1:] == ["{", "circ", "}"])

    def _skip_degree(self) -> None:
        if self.accept("op", "circ"):
            return
        self.position += 2 if self.peek(1).text == "circ" else 4


def _signed(sign: str, value: Expr) -> Expr:
    return value if sign == "+" else Fn({"-": "neg", "pm": "pm", "mp": "mp"}[sign], (value,))
