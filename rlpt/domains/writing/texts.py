"""Texts that satisfy a request: the solved example of a prompt, and demonstrations.

None of the sentences has a comma or one of the words that a request may forbid. Example and demonstrations share no
sentence: an answer must not repeat its prompt.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rlpt.domains.splits import choose
from rlpt.domains.writing.requests import Request
from rlpt.domains.writing.topics import Topic

EXAMPLE_TOPIC = Topic("paper", "paper", ("letters", "wood"))

EXAMPLE_FIRST = "Paper comes from wood but most people know it from books or letters."
EXAMPLE_SECOND = "It helps us share our ideas with others."
EXAMPLE_QUESTION = "Did you know that paper comes from wood before it turns into letters?"
EXAMPLE_PLACEHOLDER = "Paper helps my friend [name] write letters to us every day."
EXAMPLE_OPENINGS: Mapping[str, str] = {
    "Many": "Many people use paper for letters but it comes from wood.",
    "When": "When you fold paper with care it turns into birds or boats.",
    "Every": "Every story begins with paper waiting for some honest words.",
    "In": "In most schools children still write on paper with blue pens.",
    "People": "People made paper from plants long before they had machines.",
    "Sometimes": "Sometimes I draw on paper when it rains for many hours.",
    "We": "We use paper for books or games or small notes.",
    "If": "If you save paper then more trees stay in our forests.",
}

SENTENCES: Mapping[str, Sequence[str]] = {
    "Many": (
        "Many families talk about {topic} at dinner after long days.",
        "Many good memories start with {topic} during our early years.",
    ),
    "When": (
        "When friends think about {topic} they smile or laugh out loud.",
        "When my sister speaks about {topic} everyone around her listens.",
    ),
    "Every": (
        "Every child learns something new about {topic} in our town.",
        "Every week brings me another good reason to enjoy {topic} again.",
    ),
    "In": (
        "In our family nobody ever gets tired from hearing about {topic} at night.",
        "In this valley old songs still tell us about {topic} each year.",
    ),
    "People": (
        "People often wonder about {topic} but few ask good questions.",
        "People far away know {topic} better than we ever will.",
    ),
    "Sometimes": (
        "Sometimes we forget how much {topic} means to our friends.",
        "Sometimes my neighbor tells funny stories about {topic} after work.",
    ),
    "We": (
        "We should learn more about {topic} before we judge anything.",
        "We felt so happy about {topic} that nobody wanted to leave.",
    ),
    "If": (
        "If someone asks me about {topic} I always have an answer ready.",
        "If you look closely at {topic} you will notice many small surprises.",
    ),
}
SECONDS = (
    "That makes us glad to be here.",
    "My grandmother told me so many years ago.",
    "There will always be more to learn.",
    "Nobody should ever take that for granted.",
)
QUESTIONS = (
    "Have you ever asked yourself why people care so much about {topic}?",
    "Who among your friends knows most about {topic} or its history?",
)


def example(request: Request) -> str:
    """Return the solved example of a prompt; `request` is about `EXAMPLE_TOPIC`.

    Where the request leaves it open, the text starts with its topic: a small model then stays with its own.
    """
    first = EXAMPLE_FIRST
    if "starts_with" in request.wishes:
        first = EXAMPLE_OPENINGS[request.wishes["starts_with"].args["phrase"]]
    if "placeholder_count" in request.wishes:
        first = EXAMPLE_PLACEHOLDER
    return _compose(request, first, EXAMPLE_SECOND, EXAMPLE_QUESTION)


def demonstration(request: Request, label: str) -> str:
    """Return a text that satisfies `request`; the hash of `label` picks its sentences."""
    wish = request.wishes.get("starts_with")
    opener = wish.args["phrase"] if wish else choose(f"{label}:opener", list(SENTENCES))
    return _compose(
        request,
        choose(f"{label}:first", SENTENCES[opener]),
        choose(f"{label}:second", SECONDS),
        choose(f"{label}:question", QUESTIONS),
    )


def _compose(request: Request, first: str, second: str, question: str) -> str:
    last_mark = request.wishes["ends_with"].args["phrase"] if "ends_with" in request.wishes else "."
    sentences = [first, second][: request.form.sentences]
    if last_mark == "?":
        sentences = [question] if request.form.sentences == 1 else [first, question]
    filled = [sentence.format(topic=request.topic.name) for sentence in sentences]
    filled[-1] = filled[-1][:-1] + last_mark
    for kind, wish in request.wishes.items():
        change = CHANGES.get(kind)
        filled = change(filled, wish.args, request.topic) if change else filled
    return " ".join(filled)


Change = Callable[[list[str], Mapping[str, Any], Topic], list[str]]
"""From sentences, a wish's arguments and the topic to sentences that satisfy the wish."""


def _include(sentences: list[str], args: Mapping[str, Any], topic: Topic) -> list[str]:
    missing = [word for word in args["words"] if word not in sentences[0].rstrip(".!?").split()]
    if not missing:
        return sentences
    first, mark = sentences[0][:-1], sentences[0][-1]
    return [f"{first} with words like {' or '.join(missing)}{mark}", *sentences[1:]]


def _placeholder(sentences: list[str], args: Mapping[str, Any], topic: Topic) -> list[str]:
    if "[" in "".join(sentences):
        return sentences
    return [*sentences[:-1], f"{sentences[-1][:-1]} because [name] told us so{sentences[-1][-1]}"]


CHANGES: Mapping[str, Change] = {
    "include_words": _include,
    "placeholder_count": _placeholder,
    "lower_case": lambda sentences, args, topic: [sentence.lower() for sentence in sentences],
    "upper_case": lambda sentences, args, topic: [sentence.upper() for sentence in sentences],
    "quotation": lambda sentences, args, topic: [f'"{" ".join(sentences)}"'],
    "title": lambda sentences, args, topic: [f"<<About {topic.word.title()}>> {sentences[0]}", *sentences[1:]],
}
"""How sentences come to satisfy a wish; kinds that are not here are satisfied by the sentences as they are."""
