# ruff: noqa: SIM905  (lists of words read better as text)
"""Units and nouns that stand behind a number: one name for each, and which may stand for which.

A unit is never converted: 100 cm is not accepted for 1 m, nor pi/2 for 90 degrees. A number without a unit is accepted
for one with, and the reverse. Nouns that are no units ("72 clips") only describe; they are compared with nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from rlpt.verifiers.algebra.nodes import UnreadableError

PERCENT, DEGREE, DOLLAR = "%", "deg", "$"
NOUN = "?"
"""A word that is no known unit."""

_NAMES = {
    PERCENT: "percent percentage pct % per-cent",
    DEGREE: "degree deg ° 度",
    DOLLAR: "$ dollar usd buck 美元",
    "rad": "radian rad 弧度",
    "cent": "cent ¢ penny pence",
    "euro": "euro eur €",
    "pound": "£ gbp",
    "yuan": "yuan rmb ¥ 元",
    "mm": "mm millimeter millimetre 毫米",
    "cm": "cm centimeter centimetre 厘米",
    "dm": "dm decimeter decimetre 分米",
    "m": "m meter metre 米",
    "km": "km kilometer kilometre 千米 公里",
    "in": "in inch inche",
    "ft": "ft foot feet",
    "yd": "yd yard",
    "mi": "mi mile",
    "mg": "mg milligram",
    "g": "g gram 克",
    "kg": "kg kilogram kilo 千克 公斤",
    "t": "ton tonne 吨",
    "oz": "oz ounce",
    "lb": "lb lbs",
    "ml": "ml milliliter millilitre 毫升",
    "l": "l liter litre 升",
    "gal": "gal gallon",
    "ms": "ms millisecond",
    "s": "s sec second 秒",
    "min": "min minute 分钟",
    "h": "h hr hour 小时",
    "day": "day 天 日",
    "week": "week wk 周",
    "month": "month 月",
    "year": "year yr 年",
    "unit": "unit",
    "am": "am",
    "pm": "pm",
    "mi/h": "mph",
    "km/h": "kph kmh",
    "Hz": "hz hertz",
    "N": "n newton",
    "J": "j joule",
    "W": "w watt",
    "V": "v volt",
}
_CANONICAL = {name: unit for unit, names in _NAMES.items() for name in names.split()}
_SCALES = {
    **{"hundred": 100, "thousand": 1_000, "million": 10**6, "billion": 10**9, "trillion": 10**12, "dozen": 12},
    **{"百": 100, "千": 1_000, "万": 10**4, "亿": 10**8},
}
_POWERS = {"square": "^2", "squared": "^2", "sq": "^2", "cubic": "^3", "cubed": "^3", "cu": "^3"}
_NO_NOUNS = frozenset(
    "not or nor but if unless maybe perhaps possibly else no plus minus times over divided by where when whenever "
    "for is are was half halves third thirds quarter quarters fourth fourths fifth fifths tenth tenths to through "
    "than either neither except otherwise st nd rd th doubled tripled halved double twice thrice factorial root "
    "reciprocal inverse negative below above short zero none nil infinite infinity wrong incorrect false true "
    "never unsure likely probably hopefully guess rounded rounding binary octal hexadecimal base mod modulo "
    "minimum maximum upward inclusive exclusive excluding pair score gross lakh crore grand thou bn mn "
    "quadrillion point fold one two three four five six seven eight nine ten eleven twelve twenty thirty forty "
    "fifty sixty seventy eighty ninety sixth seventh eighth ninth eleventh twelfth twentieth hundredth thousandth "
    "millionth doubles isnt off about approximately approx roughly nearly almost less more least most "
    "或 和 不 或者 不是 半 倍 成 余 左右 以上 以下 十 一 二 三 四 五 六 七 八 九".split()
)
_SHORT = frozenset(
    "mm cm dm km in ft yd mi mg kg oz lb lbs ml hr sec min mph kph day men way cat dog car cup box year".split()
) | {"pct", "deg", "rad", "usd", "sq", "cu", "am", "pm", "not", "for", "if", "no", "yes", "the", "all", "cm", "is"}
_POWER = re.compile(r"\^\{?([23])\}?$")


def is_short_unit(word: str) -> bool:
    """Whether a lower-case word of two or three letters is a word rather than a product of variables."""
    return word in _SHORT


def is_unit(word: str) -> bool:
    """Whether a lower-case word is a unit."""
    return _singular(word) in _CANONICAL


def read_unit(parts: Sequence[str]) -> tuple[Fraction, str]:
    """Return the factor ("million" is 10**6) and the unit's one name for the words behind a number.

    Raises UnreadableError for words that change the meaning ("5 or six", "5 if n is even").
    """
    units: list[str] = []
    factor, per, exponent = Fraction(1), False, ""
    for word in _split(parts):
        name = _singular(word)
        if name in _NO_NOUNS:
            raise UnreadableError(f"{word!r} is no unit")
        if name in _SCALES and not units:
            factor *= _SCALES[name]
        elif word in ("per", "/", "an") or (word == "a" and units):
            per = True
        elif name in _POWERS:
            exponent = _POWERS[name]
            if name.endswith("ed") and not units:
                raise UnreadableError(f"{word!r} without a unit")
            if units and name.endswith("ed"):
                units[-1], exponent = units[-1] + exponent, ""
        elif word.startswith("^") and units:
            units[-1] += word
        else:
            units.append(("/" if per else "") + _CANONICAL.get(name, NOUN) + exponent)
            per, exponent = False, ""
    if any(NOUN in unit for unit in units):
        known = [unit for unit in units if NOUN not in unit]
        return factor, known[0] if len(known) == 1 and units[0] == known[0] else (NOUN if units else "")
    return factor, "".join(units)


def compatible(gold: str, answer: str) -> bool:
    """Whether a quantity in the unit `answer` may stand for one in `gold`, the numbers being equal."""
    loose = ("", NOUN, "unit", "unit^2", "unit^3")
    return gold == answer or gold in loose or answer in loose


def _split(parts: Sequence[str]) -> list[str]:
    words: list[str] = []
    for part in parts:
        for word in re.split(r"[\s.,·*()-]+", part.lower().replace("/", " / ")):
            power = _POWER.search(word)
            if power and power.start() > 0:
                words += [word[: power.start()], f"^{power[1]}"]
            elif power:
                words.append(f"^{power[1]}")
            elif re.search(r"\d", word):
                raise UnreadableError(f"{word!r} is no unit")
            elif word.startswith("平方"):
                words += ["square", word[2:]]
            elif word.startswith("立方"):
                words += ["cubic", word[2:]]
            elif len(word) > 1 and word[0] in "百千万亿" and word not in _CANONICAL:
                words += [word[0], word[1:]]
            elif word:
                words.append(word)
    return words


def _singular(word: str) -> str:
    for name in (word, word.removesuffix("s"), word.removesuffix("es")):
        if name in _CANONICAL or name in _SCALES or name in _POWERS or name in _NO_NOUNS:
            return name
    return word
