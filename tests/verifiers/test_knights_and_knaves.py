# ruff: noqa: RUF001
"""The verifier of knights and knaves takes an answer that states every name once, with its role, and nothing else."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlpt.errors import UserError
from rlpt.records import Task
from rlpt.verifiers.knights_and_knaves import KnightsAndKnavesVerifier

TWO = {"Zoey": "knight", "Liam": "knave"}
FULL = "Zoey is a knight, and Liam is a knave."


def judge(completion, people=TWO, **options):
    return KnightsAndKnavesVerifier(**options).verify(Task("knights", "t", [], {"roles": people}), completion)


def accepts(answer, people=TWO, **options):
    """Whether an answer is right in a tag, which it is as a whole response too."""
    tagged, plain = judge(f"<answer>{answer}</answer>", people, **options), judge(answer, people, **options)
    assert tagged.reward == plain.reward
    assert (tagged.parts, plain.parts) == ({"format": 1.0 if answer.strip() else 0.0}, {"format": 0.0})
    return tagged.reward == 1.0


@pytest.mark.parametrize(
    "answer",
    [
        FULL,
        "Liam is a knave and Zoey is a knight",
        "(1) Zoey is a knight\n(2) Liam is a knave",
        "(1) Zoey is a knight (2) Liam is a knave",
        "1. Zoey is a knight\n2. Liam is a knave",
        "1) Zoey: knight\n2) Liam: knave",
        "Zoey: knight",
        "- Zoey: knight\n- Liam: knave",
        "* **Zoey**: Knight\n\n  * **Liam**: Knave",
        '{"Zoey": "knight", "Liam": "knave"}',
        "{'Zoey': 'knight', 'Liam': 'knave'}",
        '```json\n{\n  "Zoey": "knight",\n  "Liam": "knave"\n}\n```',
        "zoey = knight; LIAM = KNAVE",
        "Zoey - knight, Liam - knave",
        "Zoey -> knight\nLiam → knave",
        "Zoey (knight), Liam (knave)",
        "Therefore, Zoey is a knight, while Liam is a knave.",
        "So the answer is: Zoey is the knight and Liam is the knave.",
        "Zoey is knight.Liam is knave.",
        "\\text{Zoey is a knight, and Liam is a knave}",
        "\\text{Zoey}: \\text{knight} \\\\ \\text{Liam}: \\text{knave}",
    ],
)
def test_every_name_once_with_its_role_is_right(answer):
    assert accepts(answer) == ("Liam" in answer or "LIAM" in answer)


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "Zoey is a knave, and Liam is a knight.",
        "Zoey is a knight, and Liam is a knight.",
        "Zoey is a knight.",
        # a name twice
        "Zoey is a knight, Liam is a knave, Zoey is a knave.",
        "Zoey is a knave, Liam is a knave, Zoey is a knight.",
        "Zoey is a knight, Liam is a knave, Zoey is a knight.",
        "Zoey is a knight, Liam is a knave. Zoey and Liam are knights.",
        '{"Zoey": "knight", "Zoey": "knave", "Liam": "knave"}',
        # both roles
        "Zoey is a knight or a knave, Liam is a knave",
        "Zoey is a knight/knave, Liam is a knave",
        "Zoey is a knight and a knave, Liam is a knave",
        "Zoey is a knight, knave, Liam is a knave",
        "Zoey is a knight or Liam is a knave",
        "Zoey: knight? Liam: knave?",
        # negations
        "Zoey is not a knight, Liam is a knave",
        "Zoey isn't a knight, Liam is a knave",
        "Zoey is a knight, Liam is not a knight",
        "Zoey is a knight, not a knave, and Liam is a knave",
        "Zoey: not knight, Liam: knave",
        "Zoey is a non-knight, Liam is a knave",
        "It is false that Zoey is a knight and Liam is a knave",
        "Zoey is never a knight, Liam is a knave",
        "!Zoey is a knight, Liam is a knave",
        "~Zoey is a knight, Liam is a knave",
        "¬Zoey is a knight, Liam is a knave",
        "Zoey is a ~~knight~~, Liam is a knave",
        "<del>Zoey is a knight</del>, Liam is a knave",
        "Neither: Zoey is a knight, Liam is a knave",
        # conditions and questions
        "If Zoey is a knight, Liam is a knave",
        "Suppose Zoey is a knight. Liam is a knave",
        "Zoey is a knight if Liam is a knave",
        "Zoey is a knight unless Liam is a knave",
        "Zoey says Liam is a knave, Zoey is a knight",
        "Is Zoey a knight? Liam is a knave",
        "Zoey is a knight, perhaps. Liam is a knave",
        # unknown names, other words
        "Zoey is a knight, Liam is a knave, Bob is a knight",
        "Zoey is a knight, William is a knave",
        "Zoeys is a knight, Liam is a knave",
        "Zoey is a knight, Liam is a knave-ish",
        "Zoey is a knightly knave, Liam is a knave",
        "Zoey is a knightLiam is a knave",
        "Zoey is a spy, Liam is a knave",
        "Zoey, Liam",
        "Zoey, Liam is a knave",
        "Zoey and Liam are a knight and a knave",
        "Zoey is a knight, Liam is a",
        "knight, knave",
        "Zoey is a knight, Liam is a knave. " + FULL,
    ],
)
def test_all_else_is_wrong(answer):
    assert not accepts(answer)


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        ("Al is a knight, Alice is a knave, Al Ice is a knave", True),
        ("Alice is a knave, Al Ice is a knave, Al is a knight", True),
        ("Alice is a knight, Al is a knave, Al Ice is a knave", False),
        ("Alice is a knave, Al Ice is a knave", False),
        ("Al is a knight, Al is a knave, Al Ice is a knave", False),
        ("Al is a knight and Alice and Al Ice are both knaves", True),
        ("Al is a knight. Alice, Al  Ice are knaves.", True),
    ],
)
def test_a_name_that_is_part_of_another_is_one_of_its_own(answer, right):
    assert accepts(answer, {"Al": "knight", "Alice": "knave", "Al Ice": "knave"}) == right


@pytest.mark.parametrize(
    ("names", "answer"),
    [
        (["A", "B", "C"], "A is a knight, B is a knight, and C is a knight."),
        (["A", "I"], "A is a knight and I is a knight"),
        (["Person 1", "Person 2"], "1. Person 1: knight\n2. Person 2: knight"),
        (["O'Neil", "Jean-Luc", "Zoë"], "O’Neil is a knight, Jean-Luc is a knight, ZOE\u0308 is a knight"),
        (["Knight", "Is"], "Knight is a knight, Is is a knight"),
        (["C++ (old)", "a.b"], "C++ (old) is a knight, a.b is a knight"),
    ],
)
def test_odd_names(names, answer):
    roles = dict.fromkeys(names, "knight")
    assert accepts(answer, roles)
    assert not accepts(answer, {**roles, names[-1]: "knave"})


def test_several_names_share_one_statement_in_the_plural_alone():
    both = {"Zoey": "knave", "Liam": "knave"}
    assert accepts("Zoey and Liam are knaves.", both)
    assert not accepts("Zoey, Liam is a knave.", both)
    assert not accepts("Zoey and Liam: knave", both)


def test_roles_are_as_configured():
    people = {"Al": "truth-teller", "Bo": "liar", "Cy": "spy"}
    names = ["truth-teller", "liar", "spy"]
    assert accepts("Al is a truth-teller, Bo is a liar, Cy is a spy", people, roles=names)
    assert accepts("Al is a truth teller, Bo: Liar, Cy = spy", people, roles=names)
    assert accepts("Bo and Cy are spies, Al is a liar", {**people, "Bo": "spy", "Al": "liar"}, roles=names)
    assert not accepts("Al is a liar, Bo is a liar, Cy is a spy", people, roles=names)
    assert not accepts("Al is a truth, Bo is a liar, Cy is a spy", people, roles=names)
    assert not accepts("Al is a knight, Bo is a liar, Cy is a spy", people, roles=names)


@pytest.mark.parametrize(
    ("completion", "right", "format_"),
    [
        (f"Suppose Liam is a knight. No.\n<answer>{FULL}</answer>", True, 1.0),
        (f"\\boxed{{\\text{{{FULL}}}}}", True, 1.0),
        ("\\boxed{Zoey: knight}, \\boxed{Liam: knave}", True, 1.0),
        (f"<answer>Zoey is a knave, Liam is a knight</answer> No, wait. <answer>{FULL}</answer>", True, 1.0),
        (f"<answer>Zoey is a knave, Liam is a knight</answer> or <answer>{FULL}</answer>", False, 1.0),
        (f"<answer>{FULL}</answer> or <answer>Zoey is a knave, Liam is a knight</answer>", False, 1.0),
        (f"<answer></answer> {FULL}", False, 0.0),
        (f"<think>{FULL}</think>", False, 0.0),
        (f"<think>{FULL}", False, 0.0),
        (f"<think>Hm.</think>{FULL}<|im_end|>", True, 0.0),
        (f"Suppose Liam is a knight. No.\n\n**Answer:** {FULL}", True, 0.0),
        (f"Hm. So, the final answer is: {FULL}", True, 0.0),
        (f"## Solution\n{FULL}", True, 0.0),
        (f"Wrong answer: {FULL}", False, 0.0),
        (f"Suppose this: {FULL}", False, 0.0),
        (f"{FULL}\n\nThat is impossible.", False, 0.0),
        (f"Answer: {FULL}\nAnswer: Zoey is a knave, Liam is a knight", False, 0.0),
    ],
)
def test_where_the_answer_stands(completion, right, format_):
    verdict = judge(completion)
    assert (verdict.reward == 1.0, verdict.parts) == (right, {"format": format_})


def test_plain_statements_count_only_where_they_may():
    assert judge(FULL, anywhere=False).reward == 0.0
    assert judge(f"<answer>{FULL}</answer>", anywhere=False, forms=["tag"]).reward == 1.0
    assert judge(f"\\boxed{{{FULL}}}", anywhere=False, forms=["tag"]).reward == 0.0


@pytest.mark.parametrize(
    "reference",
    [
        {},
        {"roles": {}},
        {"roles": ["Zoey"]},
        {"roles": {"Zoey": "spy"}},
        {"roles": {"Zoey": True}},
        {"roles": {"Zoey": "knight", "zoey": "knave"}},
        {"roles": {"Zoey": "knight", " Zoey ": "knave"}},
        {"roles": {"": "knight"}},
        {"roles": {"Ann": "knight", "Ann is a knight": "knave"}},
        {"roles": {"Ann": "knight", "And": "knave"}},
    ],
)
def test_a_broken_reference_is_refused(reference):
    with pytest.raises(UserError, match=r"knights_and_knaves: .*'roles'"):
        KnightsAndKnavesVerifier().check_reference(reference)


@pytest.mark.parametrize(
    "options",
    [
        {"roles": ["knight"]},
        {"roles": "knight"},
        {"roles": ["knight", " "]},
        {"roles": ["knight", "Knight"]},
        {"roles": ["knight", "knights"]},
        {"forms": ["box"]},
    ],
)
def test_unknown_options_are_refused(options):
    with pytest.raises(UserError, match=r"roles must be|forms must be"):
        KnightsAndKnavesVerifier(**options)


@pytest.mark.parametrize(
    "text",
    [
        *("Zoey is " * 10_000, "Zoey" + " " * 100_000 + "x", "Zoey" + "\n " * 50_000 + "is a x", "\n" * 100_000 + "x"),
        *(" \n-" * 30_000, "Answer:" * 10_000, "so " * 30_000, "\\text{" * 20_000, "Zoey, " * 10_000 + "are knights"),
        *("{" * 100_000, "# " * 50_000, "**" * 50_000, "ﷺ" * 20_000, "(1" * 50_000, FULL * 3_000, "9" * 100_000),
        *('"' * 100_000,),
    ],
    ids=lambda text: ascii(text[:12]),
)
def test_any_size_is_judged_at_once(text):
    started = time.process_time()
    for completion in (text, f"<answer>{text}</answer>", f"\\boxed{{{text}}}"):
        verdict = judge(completion)
        assert verdict.reward == 0.0
        assert "\n" not in verdict.detail
        assert len(verdict.detail) < 400
    assert time.process_time() - started < 3.0


WORDS = st.sampled_from(
    [
        *("Zoey", "Liam", "Bob", "is", "are", "a", "knight", "knave", "knights", "not", "and", "or", "if", "the"),
        *("both",),
        *(":", ",", ".", "-", "\n", "(1)", '"', "{", "}", "=", "**", "$", "\\text{", "<answer>", "</answer>"),
        *("Answer:",),
    ]
)


@settings(max_examples=300, deadline=None)
@given(text=st.one_of(st.text(max_size=100), st.lists(WORDS, max_size=30).map(" ".join)))
def test_any_text_gets_a_verdict_and_always_the_same(text):
    for completion in (text, f"<answer>{text}</answer>"):
        verdict = judge(completion)
        assert verdict.reward in (0.0, 1.0)
        assert judge(completion) == verdict
        assert judge(completion, {"Zoey": "knave", "Liam": "knight"}).reward + (verdict.reward or 0.0) <= 1.0


NAME = st.from_regex(r"[A-Z][a-z]{0,6}( [A-Z][a-z]{1,4})?", fullmatch=True)
NAMES = st.lists(
    NAME.filter(lambda name: name not in ("And", "While", "Whereas", "But")), min_size=1, max_size=8, unique=True
)
STYLES = st.sampled_from(
    ["{0} is a {1}. ", "{0}: {1}\n", "- **{0}** is a {1}\n", '"{0}": "{1}", ', "{0} is a {1}, and "]
)


@settings(max_examples=200, deadline=None)
@given(names=NAMES, style=STYLES, data=st.data())
def test_any_order_is_right_and_any_other_role_is_wrong(names, style, data):
    roles = {name: data.draw(st.sampled_from(["knight", "knave"])) for name in names}
    order = data.draw(st.permutations(names))
    assert accepts("".join(style.format(name, roles[name]) for name in order), roles)
    lied = data.draw(st.sampled_from(names))
    other = {**roles, lied: "knave" if roles[lied] == "knight" else "knight"}
    assert not accepts("".join(style.format(name, other[name]) for name in order), roles)
    assert not accepts("".join(style.format(name, roles[name]) for name in order if name != lied), roles)
    assert not accepts("".join(style.format(name, role) for role in ("knight", "knave") for name in order), roles)
