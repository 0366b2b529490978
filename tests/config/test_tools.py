"""Domains with tools: what cannot work is refused when composed, with the fix."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from rlpt.config.composer import Composer, composer
from rlpt.config.preflight import check_here, compose_checked, compose_config
from rlpt.config.rewrite import written_out
from rlpt.errors import UserError

CALCULATOR = ["policy=tiny", "domain=[calculator]"]

REFUSED = [
    (["domain=[calculator]"], ["domain.calculator", "policy.tool_parser=NAME"]),
    ([*CALCULATOR, "domain.calculator.max_turns=1"], ["domain.calculator.max_turns=2"]),
    ([*CALCULATOR, "domain.calculator.max_turns=0"], ["max_turns=0", "1 or more"]),
    ([*CALCULATOR, "domain.calculator.tools=[pyhton]"], ["pyhton", "did you mean python?"]),
    ([*CALCULATOR, "domain.calculator.tools=[search]"], ["this run has python", "tool=[python,search]"]),
    (["domain.arithmetic.tools=[python]", "policy=tiny"], ["domain.arithmetic.max_turns=1", "max_turns=2"]),
    (["tool=[pyhton]"], ["did you mean python?"]),
    (["tool.python.sessions=many"], ["a whole number"]),
    (["tool.python.session=1"], ["did you mean 'tool.python.sessions'"]),
]


@pytest.mark.parametrize(("overrides", "expected"), REFUSED, ids=lambda value: " ".join(value))
def test_refused(refusal: Callable[..., str], overrides: list[str], expected: list[str]) -> None:
    said = refusal(*overrides)
    assert all(part in said for part in expected), said
    assert "\n" not in said


@pytest.mark.parametrize("verb", ["train", "eval", "sft"])
def test_a_domain_with_tools_composes(verb: str) -> None:
    cfg = compose_config(verb, CALCULATOR)
    assert cfg.tool.python.sandbox._target_ == cfg.sandbox._target_
    assert cfg.domain.calculator.max_turns >= 2
    assert verb == "sft" or cfg.sampler.tool_parser == "hermes"


def test_without_its_tools_it_needs_no_parser(train: Composer) -> None:
    compose_checked(train, ["domain=[calculator]", "domain.calculator.tools=[]", "domain.calculator.max_turns=1"])


def test_an_audit_of_the_domain_alone_needs_neither() -> None:
    with composer("audit", root="audit_domain") as session:
        compose_checked(session, ["domain=[calculator]"])


def test_a_tool_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "tool").mkdir()
    (tmp_path / "tool" / "search.yaml").write_text("# @package tool.search\n_target_: my.Search\nindex: all\n")
    own = f"hydra.searchpath=[file://{tmp_path}]"
    cfg = compose_config("train", [own, *CALCULATOR, "tool=[python,search]", "domain.calculator.tools=[search]"])
    assert cfg.tool.search == {"_target_": "my.Search", "index": "all"}
    (tmp_path / "tool" / "bare.yaml").write_text("# @package tool.bare\nindex: all\n")
    with pytest.raises(UserError, match=r"tool\.bare has no _target_"):
        compose_config("train", [own, "tool=[bare]"])


def test_a_policy_file_of_ones_own_need_not_speak_of_tools(tmp_path: Path) -> None:
    (tmp_path / "policy").mkdir()
    text = "source: {_target_: my.model}\nname: mine\ndtype: float32\ncontext_length: 512\n"
    (tmp_path / "policy" / "mine.yaml").write_text(text)
    cfg = compose_config("train", [f"hydra.searchpath=[file://{tmp_path}]", "policy=mine"])
    assert cfg.sampler.tool_parser is None


def test_a_parser_that_vllm_does_not_have_is_refused_here() -> None:
    with pytest.raises(UserError, match="did you mean hermes"):
        check_here(compose_config("train", [*CALCULATOR, "policy.tool_parser=hermse"]))
    check_here(compose_config("train", CALCULATOR))


def test_a_chat_template_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"policy\.chat_template=.*name a Jinja file"):
        check_here(compose_config("train", [f"policy.chat_template={tmp_path}/none.jinja"]))


def test_a_run_directory_brings_its_parser_along(train: Composer, tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("policy: {dtype: float32, context_length: 256, tool_parser: hermes}\n")
    assert "policy.tool_parser=hermes" in written_out(train, [f"policy={tmp_path}"])
    (tmp_path / "config.yaml").write_text("policy: {dtype: float32, context_length: 256, tool_parser: null}\n")
    assert not any("tool_parser" in text for text in written_out(train, [f"policy={tmp_path}"]))
