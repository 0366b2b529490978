"""Rows of IFEval and IFBench, as their files have them, judged by the verifier `constraints`."""

from __future__ import annotations

from typing import Any

import pytest

from rlpt.errors import UserError
from rlpt.records import Task
from rlpt.verifiers.constraints import ConstraintsVerifier

VERIFIER = ConstraintsVerifier()


def row(*instructions: tuple[str, dict[str, Any] | None]) -> dict[str, Any]:
    return {"instruction_id_list": [name for name, _ in instructions], "kwargs": [args for _, args in instructions]}


def judge(text: str, reference: dict[str, Any], prompt: str = "Write about the weather.") -> Any:
    return VERIFIER.verify(Task("ifeval", "1", [{"role": "user", "content": prompt}], reference), text)


NO_COMMA = ("punctuation:no_comma", {"num_words": None, "relation": None})
LONG = ("length_constraints:number_words", {"num_words": 4, "relation": "at least", "keywords": None})


def test_every_instruction_counts_and_each_is_a_part():
    both = row(NO_COMMA, LONG)
    assert judge("The sun shines all day.", both).reward == 1.0
    half = judge("Yes, sun.", row(NO_COMMA, ("keywords:existence", {"keywords": ["sun"]})))
    assert (half.reward, half.parts) == (0.0, {"format": 1.0, "constraints": 0.5})
    assert half.detail.startswith("punctuation:no_comma: ")


def test_the_same_instruction_twice_with_other_arguments_is_two():
    twice = row(("keywords:existence", {"keywords": ["sun"]}), ("keywords:existence", {"keywords": ["rain"]}))
    assert judge("There is sun and rain.", twice).reward == 1.0
    assert judge("There is sun.", twice).parts["constraints"] == 0.5


def test_rows_that_ask_for_the_prompt_again_can_be_satisfied():
    prompt = "Write about the weather."
    again = row(("combination:repeat_prompt", {"prompt_to_repeat": prompt}))
    assert judge(f"{prompt}\nThe sun shines.", again, prompt).reward == 1.0
    assert judge("The sun shines.", again, prompt).reward == 0.0


@pytest.mark.parametrize("text", ["", "  \n", "...", "<think>The sun shines all day"])
def test_no_words_satisfy_nothing(text: str):
    verdict = judge(text, row(NO_COMMA))
    assert (verdict.reward, verdict.parts["format"]) == (0.0, 0.0)


def test_arguments_may_be_left_out_as_null():
    assert judge("The sun shines.", row(("punctuation:no_comma", None))).reward == 1.0


@pytest.mark.parametrize(
    ("reference", "reason"),
    [
        (row(("punctuation:no_coma", {})), "did you mean 'punctuation:no_comma'"),
        (row(("keywords:existence", {})), "lacks its argument 'keywords'"),
        (row(("punctuation:no_comma", {"keywords": ["a"]})), "has no argument 'keywords'"),
        ({"instruction_id_list": ["punctuation:no_comma"], "kwargs": []}, "an object of arguments for each"),
        ({"instruction_id_list": ["punctuation:no_comma"]}, "an object of arguments for each"),
        ({"instruction_id_list": [], "kwargs": []}, "at least one id"),
        ({"instruction_id_list": "punctuation:no_comma", "kwargs": [{}]}, "at least one id"),
        ({**row(NO_COMMA), "constraints": [{"kind": "no_commas"}]}, "leave one out"),
    ],
)
def test_a_row_that_cannot_be_judged_is_an_error(reference: dict[str, Any], reason: str):
    with pytest.raises(UserError, match=reason):
        VERIFIER.check_reference(reference)


def test_judging_leaves_the_row_as_it_was():
    reference = row(NO_COMMA, LONG)
    before = repr(reference)
    assert judge("The sun shines all day.", reference) == judge("The sun shines all day.", reference)
    assert repr(reference) == before
