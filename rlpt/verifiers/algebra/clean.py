# ruff: noqa: RUF001
r"""Brings one answer's text to one spelling before it is cut into tokens. String work only, every pattern linear.

What is undone here has no mathematical meaning: math delimiters, spacing, sizes of brackets, full-width and other
Unicode spellings, separators of thousands, sentence punctuation at the end.
"""

from __future__ import annotations

import re

CURRENCY = "¤"
"""Stands for a dollar sign that means money, since `$` is also a math delimiter."""

_GREEK = {
    **{"α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "θ": "theta", "λ": "lambda", "μ": "mu"},
    **{"ν": "nu", "π": "pi", "ρ": "rho", "σ": "sigma", "τ": "tau", "φ": "phi", "ω": "omega", "Γ": "Gamma"},
    **{"Δ": "Delta", "Θ": "Theta", "Σ": "Sigma", "Φ": "Phi", "Ω": "Omega"},
}
_UNICODE = str.maketrans(
    {
        **{chr(0xFF01 + offset): chr(0x21 + offset) for offset in range(94)},  # full-width ASCII
        **dict.fromkeys("\u00a0\u2009\u202f\u3000", " "),
        **dict.fromkeys("\u200b\ufeff", ""),
        **dict.fromkeys("−–—‐‑﹣", "-"),
        **dict.fromkeys("×·⋅∗", "*"),
        **dict.fromkeys("÷∕⁄", "/"),
        **{"，": ",", "、": ",", "。": ".", "：": ":", "；": ";", "…": "...", "【": "[", "】": "]"},
        **{"“": '"', "”": '"', "’": "'", "‘": "'", "′": "'"},
        **{"≤": r"\le ", "≥": r"\ge ", "≠": r"\ne ", "≈": r"\approx ", "∈": r"\in ", "∪": r"\cup ", "∩": r"\cap "},
        **{"∞": r"\infty ", "±": r"\pm ", "∓": r"\mp ", "√": r"\sqrt ", "∅": r"\emptyset ", "°": r"^\circ "},
        **{"ℝ": r"\mathbb{R}", "⟨": r"\langle ", "⟩": r"\rangle "},
        **{"½": r"\frac{1}{2}", "⅓": r"\frac{1}{3}", "⅔": r"\frac{2}{3}", "¼": r"\frac{1}{4}", "¾": r"\frac{3}{4}"},
        **{"€": r"\text{€}", "£": r"\text{£}", "¥": r"\text{¥}", "￥": r"\text{¥}", "¢": r"\text{¢}"},
        **{letter: f"\\{name} " for letter, name in _GREEK.items()},
    }
)

_RAISED, _LOWERED = re.compile("[⁺⁻⁰¹²³⁴-⁹]+"), re.compile("[₀-₉]+")
_PLAIN = str.maketrans("⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉", "+-01234567890123456789")
_SIZES = re.compile(r"\\(?:left|right|middle|[bB]igg?[lrm]?)(?![A-Za-z])[ ]?\.?")
_STYLES = re.compile(r"\\(?:displaystyle|textstyle|scriptstyle|limits|nolimits|rm|bf|it|strut)(?![A-Za-z])")
_FRACTIONS = re.compile(r"\\[dtc]frac(?![A-Za-z])")
_BINOMIALS = re.compile(r"\\[dt]binom(?![A-Za-z])")
_ESCAPED_COMMANDS = re.compile(r"\\\\(?=[A-Za-z])")
_THIN_SPACE = r"(?:\\[,!;:]|\\ |~|\s*\{\s*,\s*\}|,\\!)"
_THIN_THOUSANDS = re.compile(rf"(?<=\d){_THIN_SPACE}\s*(?=\d{{3}}(?!\d))")
_DECIMAL_COMMA = re.compile(r"(?<=\d)\{,\}(?=\d)")
_COMMA_THOUSANDS = re.compile(r"(?<![\d.])[1-9]\d{0,2}(?:,\d{3})+(?![\d])")
_SPACE_THOUSANDS = re.compile(r"(?<![\d.,/])\d{1,3}(?: \d{3})+(?![\d./]| \d)")
_SPACING = re.compile(r"(?<!\\)\\(?:[,;:! ]|q?quad(?![A-Za-z])|hspace\*?\{[^{}]*\}|phantom\{[^{}]*\})|~")
_DELIMITERS = re.compile(r"\\[()\[\]](?!\d+(?:pt|em|ex|mm))")
_RATES = re.compile(r"(?:(?<=\d)|(?<=\d ))(m|km|ft|mi|cm)/(s|h|hr|min)(\^2|\^\{2\})?(?![A-Za-z])")
_HALVES_OF_DAY = re.compile(r"\b([AaPp])\.[Mm]\.?")
_MONEY = re.compile(r"\$(?=\s*-?\d)|(?<=\d)\$|(?<=\d )\$")


def clean(text: str) -> str:
    """Return `text` in the spelling that the tokens expect. Idempotent for what it returns."""
    text = _RAISED.sub(_raised, text)
    text = _LOWERED.sub(lambda found: f"_{{{found[0].translate(_PLAIN)}}}", text)
    text = text.translate(_UNICODE).replace("{:}", ":")
    if "\\" in text or "{,}" in text or "{, }" in text or "~" in text:
        text = _latex(text)
    text = _without_delimiters(text)
    if "," in text:
        text = _COMMA_THOUSANDS.sub(_join_thousands, text)
    text = _RATES.sub(r"\\text{\1/\2}\3", text)
    text = _HALVES_OF_DAY.sub(r"\1m", text)
    text = _SPACE_THOUSANDS.sub(lambda match: match[0].replace(" ", ""), text)
    return _trim(text)


def _raised(found: re.Match[str]) -> str:
    """`x¹²` is x to the twelfth: digits that stand together are one exponent."""
    plain = found[0].translate(_PLAIN)
    return f"^{plain}" if len(plain) == 1 else f"^{{{plain}}}"


def _latex(text: str) -> str:
    if r"\begin" not in text:
        text = _ESCAPED_COMMANDS.sub(r"\\", text)
    text = _THIN_THOUSANDS.sub("", text)
    text = _DECIMAL_COMMA.sub(".", text)
    text = _SIZES.sub(" ", text)
    text = _STYLES.sub(" ", text)
    text = _FRACTIONS.sub(r"\\frac", text)
    text = _BINOMIALS.sub(r"\\binom", text)
    text = text.replace(r"\$", CURRENCY)
    if r"\begin" not in text:  # `\\[` there ends a row
        text = _DELIMITERS.sub(" ", text)
    return _SPACING.sub(" ", text)


def _without_delimiters(text: str) -> str:
    """Drop `$` as a math delimiter; a `$` without partner, or before a number outside a pair, is money."""
    count = text.count("$")
    if count == 0:
        return text
    if count % 2 == 1:
        text = _MONEY.sub(CURRENCY, text, count=1)
    return text.replace("$", " ")


def _join_thousands(match: re.Match[str]) -> str:
    """Join `7,425,000`; leave `(1,200)`, where joining would turn a pair into one number in brackets.

    No place of a pair is written `000` or `050`, so that `(1,000)` is a number.
    """
    before = match.string[max(match.start() - 5, 0) : match.start()].rstrip("+-")
    after = match.string[match.end() : match.end() + 2]
    enclosed = before.rstrip(" +-").endswith(("(", "[", "\\{")) and after.strip().startswith((")", "]", "\\}"))
    listed = before.endswith(",") or re.match(r",\S", after) is not None  # `(1,2,300)` has three places
    if (enclosed or listed) and not any(group.startswith("0") for group in match[0].split(",")[1:]):
        return match[0]
    return match[0].replace(",", "")


def _trim(text: str) -> str:
    """Drop spaces and sentence punctuation at both ends; an ellipsis stays."""
    text = text.strip().lstrip(",;:").strip()
    while text:
        shorter = text.rstrip(" \t\r\n,;:")
        if shorter.endswith(".") and not shorter.endswith(".."):
            shorter = shorter[:-1]
        if shorter == text:
            break
        text = shorter
    return text


_WRAPPERS = re.compile(r"\\(?:text[a-z]*|mbox|hbox|mathrm|mathbf|mathit|operatorname)\s*\{([^{}]*)\}")


def plain(text: str) -> str:
    """Return cleaned text without spaces and text wrappers: equal strings are equal answers."""
    return re.sub(r"\s+", "", _WRAPPERS.sub(r"\1", clean(text)))
