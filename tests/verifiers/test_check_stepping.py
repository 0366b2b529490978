"""Check code that goes on where something in it fails. It is this test's own code that runs here."""

from __future__ import annotations

from typing import Any

from rlpt.verifiers.check_stepping import stepping


def test_stepping_goes_on_where_something_fails() -> None:
    check = """
def check(candidate):
    def inner(x):
        assert candidate(x) == x, candidate("message")
        return candidate(x)
    for n in range(2):
        if candidate(n) == n:
            assert candidate(10 + n) > nothing
        else:
            continue
    with candidate(2):
        candidate(20)
    try:
        candidate(3)
        nothing
    except NameError:
        candidate(30)
    match candidate(4):
        case 4:
            nothing
            candidate(40)
    inner(5)
    return candidate(6)
"""
    calls: list[object] = []
    failures: list[None] = []

    def candidate(x: object) -> object:
        calls.append(x)
        return x

    names: dict[str, Any] = {"_step_over": lambda: failures.append(None)}
    exec(stepping(check), names)
    names["check"](candidate)
    assert calls == [0, 10, 1, 11, 2, 3, 4, 40, 5, 5, 6]
    assert len(failures) == 5
