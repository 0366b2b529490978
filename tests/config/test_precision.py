from __future__ import annotations

from pathlib import Path

import pytest

from rlpt.config.precision import choose, processor_flags, settle

AUTO = {"policy": {"dtype": "auto", "name": "x"}, "sampler": {"dtype": "auto"}, "hardware": {"accelerator": "cpu"}}


@pytest.mark.parametrize(
    ("accelerator", "flags", "dtype"),
    [
        ("cpu", {"avx2", "avx512_vnni"}, "float32"),
        ("cpu", {"avx512f", "amx_bf16"}, "bfloat16"),
        ("cpu", {"avx512_bf16"}, "bfloat16"),
        ("cpu", {"asimd", "bf16"}, "bfloat16"),
        ("cpu", set(), "float32"),
        ("gpu", set(), "bfloat16"),
    ],
)
def test_the_fastest_precision_of_a_machine(accelerator: str, flags: set[str], dtype: str) -> None:
    assert choose(accelerator, flags).dtype == dtype


def test_trainer_and_engine_get_the_same() -> None:
    config, chosen = settle(AUTO, {"avx2"})
    assert (config["policy"]["dtype"], config["sampler"]["dtype"]) == ("float32", "float32")
    assert config["policy"]["name"] == "x"
    assert chosen is not None
    assert "float32" in str(chosen)


def test_a_precision_that_the_user_names_stays() -> None:
    named = {**AUTO, "policy": {"dtype": "bfloat16"}, "sampler": {"dtype": "bfloat16"}}
    assert settle(named, {"avx2"}) == (named, None)


@pytest.mark.parametrize(
    ("text", "flags"),
    [
        ("processor\t: 0\nflags\t\t: fpu avx512_bf16\nvmx flags\t: ept\n\nprocessor\t: 1\n", {"fpu", "avx512_bf16"}),
        ("processor\t: 0\nFeatures\t: fp asimd bf16\n", {"fp", "asimd", "bf16"}),
        ("nothing here\n", set()),
    ],
)
def test_the_flags_that_linux_lists(tmp_path: Path, text: str, flags: set[str]) -> None:
    (tmp_path / "cpuinfo").write_text(text)
    assert processor_flags(tmp_path / "cpuinfo") == flags


def test_a_system_that_lists_none(tmp_path: Path) -> None:
    assert processor_flags(tmp_path / "missing") == frozenset()
