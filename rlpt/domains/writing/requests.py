"""What a writing task asks for: so many sentences about a topic, and one or two wishes that a program can check."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rlpt.domains.splits import choose
from rlpt.domains.writing.topics import Topic

Constraint = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Form:
    """How much is to be written. `min_words` stands in the prompt, so that a text has to say something."""

    name: str
    wording: str
    sentences: int
    min_words: int


@dataclass(frozen=True, slots=True)
class Wish:
    """One way to ask for one constraint, in certain forms. `{word}` and `{other}` are words that go with the topic."""

    wording: str
    args: Mapping[str, Any]
    forms: Sequence[str] = ("one", "two")


@dataclass(frozen=True, slots=True)
class Request:
    """A topic, a form and wishes by kind, with the topic's words filled in."""

    topic: Topic
    form: Form
    wishes: Mapping[str, Wish]

    @property
    def text(self) -> str:
        """As a prompt says it."""
        lead = self.form.wording.format(topic=self.topic.name)
        return " ".join([lead, *(wish.wording for wish in self.wishes.values())])

    @property
    def constraints(self) -> list[Constraint]:
        """As a verifier checks it: first what makes the text an answer, then what was asked for."""
        count = self.form.sentences
        return [
            {"kind": "prose", "args": {"min_words": self.form.min_words}},
            {"kind": "on_topic", "args": {"words": list(self.topic.forms)}},
            {"kind": "sentence_count", "args": {"min": count, "max": count}},
            *({"kind": kind, "args": dict(wish.args)} for kind, wish in self.wishes.items()),
        ]


FORMS: Mapping[str, Form] = {
    "one": Form("one", "Write one sentence about {topic}, 8 words or more.", sentences=1, min_words=8),
    "two": Form("two", "Write two sentences about {topic}, 12 words or more.", sentences=2, min_words=12),
}

OPENERS = ("Many", "When", "Every", "In", "People", "Sometimes", "We", "If")
COMMON_WORDS = ("is", "and", "the", "a", "of", "can")

WISHES: Mapping[str, Sequence[Wish]] = {
    "avoid_words": [Wish(f'Do not use the word "{word}".', {"words": [word]}) for word in COMMON_WORDS],
    "ends_with": [
        Wish("End with an exclamation mark.", {"phrase": "!"}),
        Wish("End with a question mark.", {"phrase": "?"}),
    ],
    "include_words": [
        Wish('Use the word "{word}".', {"words": ["{word}"]}),
        Wish('Use the word "{other}".', {"words": ["{other}"]}),
        Wish('Use the words "{word}" and "{other}".', {"words": ["{word}", "{other}"]}),
    ],
    "lower_case": [
        Wish("Use only lower case letters.", {}),
        Wish("Do not use capital letters.", {}),
    ],
    "no_commas": [
        Wish("Do not use commas.", {}),
        Wish("Write it without commas.", {}),
    ],
    "placeholder_count": [
        Wish("Include a placeholder in square brackets, such as [name].", {"min": 1}),
    ],
    "quotation": [
        Wish("Put it in double quotation marks.", {}),
        Wish('Wrap it in "double quotes".', {}),
    ],
    "starts_with": [Wish(f'Begin with the word "{word}".', {"phrase": word}) for word in OPENERS],
    "title": [
        Wish("Begin with a title in angle brackets, such as <<My Title>>.", {}),
    ],
    "upper_case": [
        Wish("Use only capital letters.", {}),
        Wish("WRITE IT IN CAPITAL LETTERS.", {}),
    ],
    "word_count": [
        Wish("Use at most 14 words.", {"max": 14}, forms=["one"]),
        Wish("Use at most 24 words.", {"max": 24}, forms=["two"]),
    ],
}
"""Ways to ask for each kind of constraint."""

PAIRS: Sequence[tuple[str, str]] = (
    ("lower_case", "include_words"),
    ("no_commas", "starts_with"),
    ("upper_case", "no_commas"),
    ("quotation", "starts_with"),
    ("lower_case", "word_count"),
    ("include_words", "ends_with"),
    ("avoid_words", "starts_with"),
    ("title", "no_commas"),
)
"""Kinds that are asked for together."""


def combinations(kinds: Sequence[str], max_constraints: int) -> Iterator[tuple[str, ...]]:
    """Yield the kinds that one request may ask for, in a fixed order."""
    yield from ((kind,) for kind in WISHES if kind in kinds)
    if max_constraints > 1:
        yield from (pair for pair in PAIRS if set(pair) <= set(kinds))


def request(topic: Topic, form: Form, kinds: Sequence[str], label: str) -> Request:
    """Ask for `kinds` about `topic`, each in a wording that the hash of `label` picks."""
    words = {"word": topic.related[0], "other": topic.related[1]}
    wishes = {kind: _filled(choose(f"{label}:{kind}", _possible(topic, form, kind)), words) for kind in kinds}
    return Request(topic, form, wishes)


def _possible(topic: Topic, form: Form, kind: str) -> Sequence[Wish]:
    """Leave out wishes of other forms, and those that forbid the topic's own words."""
    own = set(topic.name.split())
    return [wish for wish in WISHES[kind] if form.name in wish.forms and not own & set(wish.args.get("words", ()))]


def _filled(wish: Wish, words: Mapping[str, str]) -> Wish:
    args = {
        name: [item.format(**words) for item in value] if isinstance(value, list) else value
        for name, value in wish.args.items()
    }
    return Wish(wish.wording.format(**words), args, wish.forms)
