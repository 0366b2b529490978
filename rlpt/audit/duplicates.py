"""Near-duplicates between the training and the evaluation tasks of a domain: such tasks measure what was memorised.

Two prompts are as similar as the words, and pairs of neighbouring words, that they share: weighted Jaccard, where each
weighs the square of its inverse document frequency. Thus what most of the domain's prompts have in common (system
message, solved example, fixed wording) counts for next to nothing, and the rare words decide. Letter case, white space
and punctuation do not count; the order of sentences hardly does. Tasks with other numbers are other tasks, however
alike their words: they are no near-duplicates, but `differ_in_numbers` names them.

The search is exact. An index of each evaluation prompt's rarest features finds every training prompt that can reach the
least similarity (prefix filtering: Bayardo, Ma and Srikant, "Scaling up all pairs similarity search", WWW 2007).
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import asdict, dataclass
from itertools import groupby, pairwise

from rlpt.audit.part import Part
from rlpt.evaluation.table import Table
from rlpt.records import Split, Task

_DIGITS = {"zero": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6"}
_DIGITS |= {"seven": "7", "eight": "8", "nine": "9", "ten": "10", "eleven": "11", "twelve": "12"}
_OPERATORS = frozenset("+-*/^=<>%")
_SIGNS = str.maketrans({"\u2212": "-", "\u00d7": "*", "\u00f7": "/", "\u2019": "'", "\u201c": '"', "\u201d": '"'})
# Numbers, in groups of three digits, so that 1,000 is 1000 and [100,200] is [100, 200]; single kana and Han characters,
# which no space parts; words; operators, but for a hyphen between words; a symbol in quotes, which a task may be about.
# All other punctuation is no token.
_TOKEN = re.compile(
    r"\d{1,3}(?=(?:\d{3})*(?!\d))(?:\.\d+)?|[\u3040-\u30ff\u3400-\u9fff]|[^\W\d_]+"
    r"|[+*/^=<>%]|(?<![^\W\d_]{2})-|-(?![^\W\d_]{2})|(?<=[\"'`])[^\w\s\"'`](?=[\"'`])"
)
_APOSTROPHE = re.compile(r"(?<=[^\W\d_])'(?=[^\W\d_])")
_SLACK = 1e-9


@dataclass(frozen=True, slots=True)
class Pair:
    """A training and an evaluation task that are alike. `similarity` is in (0, 1].

    `exact`: their prompts differ in nothing but letter case and white space. `same_answer`: their references are equal;
    where not, one of the two may be wrong, or what was left out (punctuation, order) matters here.
    """

    train_id: str
    evaluation_id: str
    similarity: float
    same_answer: bool
    exact: bool


@dataclass(frozen=True, slots=True)
class _Prompt:
    """What is compared of a task: all its text, and the tokens and numbers of the messages that not every task has."""

    text: str
    messages: tuple[tuple[str, ...], ...]
    numbers: tuple[str, ...]


def near_duplicates(train: Sequence[Task], evaluation: Sequence[Task], least: float) -> list[Pair]:
    """All pairs of one domain whose similarity is `least` (above 0, at most 1) or more; the most similar first."""
    if not 0.0 < least <= 1.0:
        raise ValueError(f"the least similarity must be above 0 and at most 1; it is {least}")
    tasks = [*train, *evaluation]
    prompts = _prompts(tasks)
    features = _features(prompts)
    weights = _weights(features)
    totals = [math.fsum(weights[one] for one in own) for own in features]  # exact: in any order the same
    index: dict[tuple[tuple[str, ...], int], list[int]] = defaultdict(list)
    for place in range(len(train)):
        for feature in features[place]:
            index[prompts[place].numbers, feature].append(place)
    pairs = []
    for place in range(len(train), len(tasks)):
        own, total, prompt = features[place], totals[place], prompts[place]
        rarest = _prefix(own, weights, total, least)
        for other in sorted({each for one in rarest for each in index.get((prompt.numbers, one), ())}):
            if not least - _SLACK <= totals[other] / total <= 1 / least + _SLACK:
                continue
            shared = math.fsum(weights[one] for one in own & features[other])
            similarity = shared / (total + totals[other] - shared)
            if similarity >= least:
                left, right = tasks[other], tasks[place]
                same, exact = left.reference == right.reference, prompt.text == prompts[other].text
                pairs.append(Pair(left.task_id, right.task_id, similarity, same, exact))
    return sorted(pairs, key=lambda pair: (-pair.similarity, not pair.exact))


def repeated(tasks: Sequence[Task]) -> list[list[str]]:
    """The ids of tasks whose prompts differ in nothing but letter case and white space, for each prompt put twice."""
    same: dict[str, list[str]] = defaultdict(list)
    for task in tasks:
        same[_whole_text(task)].append(task.task_id)
    return [ids for ids in same.values() if len(ids) > 1]


def differ_in_numbers(train: Sequence[Task], evaluation: Sequence[Task]) -> dict[str, str]:
    """The evaluation tasks that are a training task with other numbers: their ids, each with the first such task's.

    No contamination as such, yet the domain then measures known forms with new numbers.
    """
    forms: dict[object, dict[object, str]] = defaultdict(dict)
    prompts = _prompts([*train, *evaluation])
    for task, prompt in zip(train, prompts[: len(train)], strict=True):
        forms[_form(prompt)].setdefault(prompt.messages, task.task_id)
    twins = {}
    for task, prompt in zip(evaluation, prompts[len(train) :], strict=True):
        others = (twin for words, twin in forms.get(_form(prompt), {}).items() if words != prompt.messages)
        if (first := next(others, None)) is not None:
            twins[task.task_id] = first
    return twins


def duplicates_part(domain: str, tasks: Mapping[Split, Sequence[Task]], least: float) -> Part:
    """Compare every other split with training. Nothing here is unsound: a person must judge what is found."""
    train = tasks["train"]
    others = {split: own for split, own in tasks.items() if split != "train"}
    near = {split: near_duplicates(train, own, least) for split, own in others.items()}
    twice = {split: repeated(own) for split, own in tasks.items()}
    numbers = {split: differ_in_numbers(train, own) for split, own in others.items()}
    header = ("prompts", "tasks", "repeated", "in training", f"{least:g} alike", "alike but\nfor numbers")
    table = Table(
        header,
        [
            ("train", str(len(train)), str(_surplus(twice["train"])), "-", "-", "-"),
            *(
                (
                    split,
                    str(len(own)),
                    str(_surplus(twice[split])),
                    str(len({pair.evaluation_id for pair in near[split] if pair.exact})),
                    str(len({pair.evaluation_id for pair in near[split]})),
                    str(len(numbers[split])),
                )
                for split, own in others.items()
            ),
        ],
    )
    texts = {task.task_id: task.messages[-1]["content"] for own in others.values() for task in own if task.messages}
    lines = [
        f"{pair.similarity:.2f} {split} {pair.evaluation_id}, train {pair.train_id}"
        f"{'' if pair.same_answer else ' (another answer)'}: {texts.get(pair.evaluation_id, '')}"
        for split, pairs in near.items()
        for pair in pairs
    ]
    rows = [
        *(
            {"check": "near", "domain": domain, "split": split, **asdict(pair)}
            for split, pairs in near.items()
            for pair in pairs
        ),
        *(
            {"check": "repeated", "domain": domain, "split": split, "task_ids": ids}
            for split, groups in twice.items()
            for ids in groups
        ),
        *(
            {"check": "numbers", "domain": domain, "split": split, "task_id": task_id, "train_id": train_id}
            for split, found in numbers.items()
            for task_id, train_id in found.items()
        ),
    ]
    return Part("Prompts alike in training and evaluation", table, lines, rows)


def _surplus(groups: Sequence[Sequence[str]]) -> int:
    return sum(len(ids) - 1 for ids in groups)


def _prompts(tasks: Sequence[Task]) -> list[_Prompt]:
    """The tasks' prompts without the messages that all of them share. A last message stays: it asks the question."""
    count = Counter(message for task in tasks for message in {(m["role"], m["content"]) for m in task.messages})
    common = {message for message, times in count.items() if times == len(tasks)}
    return [_prompt(task, common) for task in tasks]


def _prompt(task: Task, common: Set[tuple[str, str]]) -> _Prompt:
    *earlier, last = [(message["role"], message["content"]) for message in task.messages] or [("", "")]
    messages = tuple(_tokens(_plain(text)) for role, text in [*(one for one in earlier if one not in common), last])
    return _Prompt(_whole_text(task), messages, _numbers(messages))


def _whole_text(task: Task) -> str:
    return "\n".join(f"{message['role']}: {_plain(message['content'])}" for message in task.messages)


def _plain(text: str) -> str:
    """A text without letter case, and without white space but where it parts words or numbers."""
    folded = unicodedata.normalize("NFKC", text).casefold().translate(_SIGNS)
    return re.sub(r"(?<!\w) | (?!\w)", "", re.sub(r"\s+", " ", folded))


def _tokens(plain: str) -> tuple[str, ...]:
    """The tokens of a plain text. A text without any is a token itself, so that it equals only its like."""
    found = _TOKEN.findall(_APOSTROPHE.sub("", plain))
    return tuple(_DIGITS.get(token, token) for token in found) or (plain,)


def _numbers(messages: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """All numbers, and the operators before numbers, sorted. 1 is left out, since "one" is mostly no number."""
    return tuple(
        sorted(
            token
            for words in messages
            for token, following in zip(words, [*words[1:], ""], strict=True)
            if (token[:1].isdigit() and token != "1") or (token in _OPERATORS and following[:1].isdigit())
        )
    )


def _form(prompt: _Prompt) -> tuple[tuple[str, ...], ...]:
    """The tokens, with one sign for a number or a row of numbers."""
    return tuple(
        tuple(sign for sign, _ in groupby("0" if token[:1].isdigit() else token for token in words))
        for words in prompt.messages
    )


def _features(prompts: Sequence[_Prompt]) -> list[frozenset[int]]:
    """Words and pairs of neighbouring words, each as a number of its own."""
    known: dict[tuple[str, ...], int] = {}
    return [
        frozenset(
            known.setdefault(feature, len(known))
            for words in prompt.messages
            for feature in (*((word,) for word in words), *pairwise(words))
        )
        for prompt in prompts
    ]


def _weights(features: Sequence[frozenset[int]]) -> dict[int, float]:
    """Squared inverse document frequencies, above 0. A prompt that stands there several times counts once."""
    different = set(features)
    count = Counter(feature for own in different for feature in own)
    return {feature: math.log((len(different) + 1) / times) ** 2 for feature, times in count.items()}


def _prefix(own: frozenset[int], weights: Mapping[int, float], total: float, least: float) -> list[int]:
    """The rarest features, as few as will do: what shares none of them shares too little to be alike by `least`."""
    chosen, rest = [], total
    for feature in sorted(own, key=lambda one: -weights[one]):
        if rest < least * total * (1 - _SLACK):
            break
        chosen.append(feature)
        rest -= weights[feature]
    return chosen
