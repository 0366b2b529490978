"""Tells whether a text is in a language, from its script, its frequent words, letters and endings.

Where a script has one language here, the script decides; elsewhere each word counts for the languages that know it,
the more the fewer they are. A statistical identifier would bring a model of megabytes and still guess at short texts;
here a doubtful text is refused. Languages outside `LANGUAGES` that share a script, such as Catalan or Serbian, may pass
for the nearest of those in it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from rlpt.verifiers.constraint_kinds.ifeval.language_words import ENDINGS, LETTERS, WORDS
from rlpt.verifiers.constraint_kinds.text import folded_words

_RANGES = {
    "Latin": "A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff",
    "Greek": "\u0370-\u03ff\u1f00-\u1fff",
    "Cyrillic": "\u0400-\u052f",
    "Hebrew": "\u05d0-\u05ea",
    "Arabic": "\u0620-\u064a\u066e-\u06d3\u06fa-\u06ff\u0750-\u077f",
    "Devanagari": "\u0900-\u0963\u0970-\u097f",
    "Bengali": "\u0980-\u09e3",
    "Gurmukhi": "\u0a00-\u0a65\u0a70-\u0a7f",
    "Gujarati": "\u0a80-\u0ae5",
    "Tamil": "\u0b80-\u0be5",
    "Telugu": "\u0c00-\u0c65",
    "Kannada": "\u0c80-\u0ce5",
    "Malayalam": "\u0d00-\u0d65",
    "Thai": "\u0e01-\u0e3a\u0e40-\u0e4e",
    "Hangul": "\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3",
    "Kana": "\u3041-\u309f\u30a1-\u30ff",
    "Han": "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff",
}
SCRIPTS = {script: re.compile(f"[{ranges}]+") for script, ranges in _RANGES.items()}
DENSE = ("Hangul", "Kana", "Han")
_ONE_LANGUAGE = {
    "el": "Greek",
    "he": "Hebrew",
    "bn": "Bengali",
    "pa": "Gurmukhi",
    "gu": "Gujarati",
    "ta": "Tamil",
    "te": "Telugu",
    "kn": "Kannada",
    "ml": "Malayalam",
    "th": "Thai",
    "ko": "Hangul",
    "ja": "Kana",
    "zh": "Han",
}
LANGUAGES = {**_ONE_LANGUAGE, **{language: script for script, known in WORDS.items() for language in known}}
"""The script of each language, by ISO 639-1 code."""

LEAST_SHARE = 0.6  # of the letters in the language's script
LEAST_KANA = 0.05  # of the kana and Han of a Japanese text; Chinese has none
LINE_WORDS = 6  # of at least two letters; a shorter line may be a name or a title
LINE_LETTERS = 24  # of another script
LINE_LEAD = 1.5  # by how much another language must be likelier for a line to be in it
LEAST_SCORE = 0.25  # a word that four languages share
LEAST_PER_WORD = 0.05  # of the score: texts that no language here is likely for have less
NO_LANGUAGE = re.compile(
    r"`[^`\n]*`|\$[^$\n]+\$|\\\([^\n]{0,200}?\\\)|\\\[[^\n]{0,200}?\\\]|\\[A-Za-z]+|https?://\S+|<[^<>\n]{1,80}>"
)
"""Code, formulas, addresses and tags within a line."""
PIECES = re.compile(r"(?<=')(?!$)|[-\u2010\u2011]")


def _inverted(lists: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """From each listed item to the languages that list it."""
    found: dict[str, list[str]] = {}
    for language, items in lists.items():
        for item in dict.fromkeys(items):
            found.setdefault(item, []).append(language)
    return found


_KNOWN = {script: _inverted({name: text.split() for name, text in known.items()}) for script, known in WORDS.items()}
_MARKED = {script: _inverted({name: LETTERS.get(name, "") for name in known}) for script, known in WORDS.items()}
_ENDED = {script: _inverted({name: ENDINGS.get(name, "").split() for name in known}) for script, known in WORDS.items()}


def not_in(language: str, text: str, *, wants_evidence: bool) -> str | None:
    """Say why `text` is not all in `language`, one of `LANGUAGES`, or None.

    `wants_evidence`: a text that little is known of, such as a single name, is refused; without, one that is clearly
    in another language.
    """
    text = _prose(text) or text
    counts = _letters(text)
    if not counts.total():
        return "no letters" if wants_evidence else None
    if (reason := _wrong_script(language, counts)) is not None:
        return reason
    script = LANGUAGES[language]
    if script in WORDS:
        spoken = _tokens(text)
        scores = _scores(script, spoken)
        best = max(scores.values())
        lead = best - scores[language] if wants_evidence else best - LINE_LEAD * scores[language] - 1
        if lead > 0:
            return f"likelier {_likeliest(scores)} than {language}"
        if wants_evidence and best < max(LEAST_SCORE, LEAST_PER_WORD * len(spoken)):
            return f"few words are known to be {language}"
    return next((reason for line in text.splitlines() if (reason := _foreign_line(language, script, line))), None)


def _prose(text: str) -> str:
    """The text without code, formulas, addresses and tags; empty where no letter is left."""
    plain = NO_LANGUAGE.sub(" ", "\n".join(text.split("```")[::2]))
    return plain if any(map(str.isalpha, plain)) else ""


def _letters(text: str) -> Counter[str]:
    """How many letters of each script a text has; one that stands for a syllable or a word is two."""
    return Counter(
        {name: sum(map(len, pattern.findall(text))) * (1 + (name in DENSE)) for name, pattern in SCRIPTS.items()}
    )


def _wrong_script(language: str, counts: Counter[str]) -> str | None:
    script = LANGUAGES[language]
    own, total = counts[script], counts.total()
    if language in ("ja", "zh"):
        own = counts["Han"] + counts["Kana"]
        kana = counts["Kana"] >= LEAST_KANA * own
        if kana != (language == "ja"):
            return f"{'with' if kana else 'without'} kana"
    return f"{own / total:.0%} of the letters are {script}" if own < LEAST_SHARE * total else None


def _foreign_line(language: str, script: str, line: str) -> str | None:
    """Say that a longer line is in another language."""
    if len(line) < 2 * LINE_WORDS:
        return None
    main, most = _letters(line).most_common(1)[0]
    allowed = {script, "Kana", "Han"} if language in ("ja", "zh") else {script}
    if main not in allowed:
        return f'a line in other letters: "{line.strip()[:40]}"' if most >= LINE_LETTERS else None
    spoken = [token for token in _tokens(line) if len(token) > 1]
    if script not in WORDS or len(spoken) < LINE_WORDS:
        return None
    scores = _scores(script, spoken)
    if max(scores.values()) > LINE_LEAD * max(scores[language], 1.0):
        return f'a line in {_likeliest(scores)}: "{line.strip()[:40]}"'
    return None


def _tokens(text: str) -> list[str]:
    """Words and their parts: `l'eau` is `l'` and `eau`; `don't` is one."""
    found: list[str] = []
    for word in folded_words(text.replace("\u0130", "i")):
        if word in _KNOWN["Latin"]:
            found.append(word)
        else:
            found.extend(piece for piece in PIECES.split(word.removesuffix("'s")) if piece)
    return found


def _scores(script: str, tokens: Sequence[str]) -> dict[str, float]:
    """For each language of a script, how much speaks for it."""
    scores = dict.fromkeys(WORDS[script], 0.0)
    for token, times in Counter(tokens).items():
        known = _KNOWN[script].get(token) or _KNOWN[script].get(token.rstrip("'"), [])
        for language in known:
            scores[language] += times / len(known)
        marked = set(token) & _MARKED[script].keys()
        for language in scores:
            if marked:
                scores[language] += sum(_weight(language, _MARKED[script][letter]) for letter in marked) * times
        if not known and len(token) > 4:
            for size in (2, 3, 4, 5, 6):
                ended = _ENDED[script].get(token[-size:], [])
                for language in ended:
                    scores[language] += 0.5 * times / len(ended)
    return {language: round(score, 9) for language, score in scores.items()}


def _weight(language: str, languages: Sequence[str]) -> float:
    """A letter speaks for the languages that have it, and against the others."""
    return 0.5 / len(languages) if language in languages else -0.5


def _likeliest(scores: dict[str, float]) -> str:
    return max(scores, key=lambda language: scores[language])
