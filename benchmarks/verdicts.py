# ruff: noqa: SIM905  (lists of words read better as text)
r"""How many verdicts of the verifier `math` there are in a second, how many are right, and what hanging answers cost.

    python benchmarks/verdicts.py [--json FILE] [--peer-python PATH] [--answers 2000] [--rounds 3] [--seed 0]

math-verify is measured beside it where `--peer-python` names an interpreter that has it; to install it into an
environment of its own: `python -m venv /tmp/peer && /tmp/peer/bin/pip install math-verify==0.9.0`, then
`--peer-python /tmp/peer/bin/python`.

A round is a set of answers that has not been judged before, every expected answer in it once, so that no cache helps;
half of the answers are right. The pool judges it with two workers, then math-verify in one process. Starting and
importing do not count; each figure is the median of the rounds. The second part judges 1,000 answers of which ten never
get a verdict: five loop, five sleep. There everything counts, the start of the workers too.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from omegaconf import OmegaConf

from rlpt.config.preflight import compose_config
from rlpt.records import Task, Verdict
from rlpt.verifiers.math import MathVerifier
from rlpt.verifiers.pool import VerifierPool

WORKERS = 2
HANG_ANSWERS = 1000
HANG_EVERY = 100
BUSY, ASLEEP = "<busy>", "<asleep>"

PEER = """
import json, sys, time
from math_verify import parse, verify
rows = json.load(sys.stdin)
verify(parse("$1$"), parse("$1$"))
start = time.perf_counter()
verdicts = [bool(verify(parse("$" + row["expected"] + "$"), parse(row["completion"]))) for row in rows]
json.dump({"seconds": time.perf_counter() - start, "verdicts": verdicts}, sys.stdout)
"""
"""Bare math-verify, with its own defaults: both texts parsed and compared, one after the other."""


@dataclass(frozen=True)
class Answer:
    """A completion, the answer that its task expects, and whether it gives that answer."""

    expected: str
    completion: str
    right: bool


def main() -> None:
    """Measure both parts and print them; write them where `--json` says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, default=None)
    parser.add_argument("--peer-python", type=Path, default=None)
    parser.add_argument("--answers", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    figures = throughput(options.answers, options.rounds, options.seed, options.peer_python) | hanging(options.seed)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n")
    for name, value in figures.items():
        print(f"{name}: {value}")


def throughput(count: int, rounds: int, seed: int, peer_python: Path | None) -> dict[str, Any]:
    """Verdicts per second and share of right ones: of the pool and, where there is one, of the peer."""
    ours, peers = [], []
    with pool({}) as judges:
        judges.score([item(Answer("1", "1", True))] * 2 * WORKERS)
        for number in range(rounds):
            answers = make_answers(count, f"{seed}/{number}")
            start = time.perf_counter()
            verdicts = judges.score([item(answer) for answer in answers])
            ours.append(measured(answers, time.perf_counter() - start, [paid(verdict) for verdict in verdicts]))
            if peer_python is not None:
                peers.append(measured(answers, *judged_by_peer(peer_python, answers)))
    figures: dict[str, Any] = {"answers": count, "rounds": rounds, "workers": WORKERS}
    figures |= {"math_verdicts_per_s": middle(ours, "per_s"), "right_share": middle(ours, "right_share", 4)}
    if peers:
        figures |= {"math_verify_per_s": middle(peers, "per_s")}
        figures |= {"math_verify_right_share": middle(peers, "right_share", 4)}
        ratios = [own["per_s"] / peer["per_s"] for own, peer in zip(ours, peers, strict=True)]
        figures |= {"ratio_vs_math_verify": round(median(ratios), 1)}
    return figures


def hanging(seed: int) -> dict[str, Any]:
    """Seconds for 1,000 answers of which ten hang, how many of the others are judged rightly, how many not at all."""
    answers = make_answers(HANG_ANSWERS, f"{seed}/hanging")
    marks = {
        place: (BUSY, ASLEEP)[place // HANG_EVERY % 2] for place in range(HANG_EVERY // 2, len(answers), HANG_EVERY)
    }
    asked = [(item(each)[0], marks.get(place, "") + each.completion) for place, each in enumerate(answers)]
    start = time.perf_counter()
    with pool({"_target_": "verdicts.HangingVerifier"}) as judges:
        verdicts = judges.score(asked)
        seconds = time.perf_counter() - start
    others = [place for place in range(len(answers)) if place not in marks]
    return {
        "hang_answers": len(answers),
        "hang_marked": len(marks),
        "hang_seconds": round(seconds, 2),
        "hang_right": sum(paid(verdicts[place]) is answers[place].right for place in others),
        "hang_unscored": sum(verdicts[place].reward is None for place in marks),
    }


class HangingVerifier:
    """The verifier `math`, but that marked completions never get a verdict."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401
        self._math = MathVerifier(**options)

    def verify(self, task: Task, completion: str) -> Verdict:
        """Judge a completion, or never return."""
        while completion.startswith((BUSY, ASLEEP)):
            if completion.startswith(ASLEEP):
                time.sleep(3600)
        return self._math.verify(task, completion)


def pool(verifier: Mapping[str, Any]) -> VerifierPool:
    """Two workers; what `verifier` does not say, and the limits of the processes, are those that a run has."""
    cfg: Any = OmegaConf.to_container(compose_config("audit", ["verifier=math", "cases=none"]), resolve=True)
    limits = cfg["verification"] | {"workers": WORKERS}
    return VerifierPool({"math": cfg["verifier"] | verifier}, **limits)


def item(answer: Answer) -> tuple[Task, str]:
    """What a pool is asked."""
    return Task("math", "t", [{"role": "user", "content": "?"}], {"answer": answer.expected}), answer.completion


def paid(verdict: Verdict) -> bool | None:
    """What a verdict says; None where there is none."""
    return None if verdict.reward is None else verdict.reward == 1.0


def judged_by_peer(python: Path, answers: Sequence[Answer]) -> tuple[float, list[bool]]:
    """Seconds and verdicts of math-verify, in a process of its own."""
    rows = json.dumps([asdict(answer) for answer in answers])
    done = subprocess.run([python, "-c", PEER], input=rows, capture_output=True, text=True, check=True)
    judged = json.loads(done.stdout)
    return judged["seconds"], judged["verdicts"]


def measured(answers: Sequence[Answer], seconds: float, said: Sequence[bool | None]) -> dict[str, float]:
    """The figures of one round."""
    right = sum(one is answer.right for one, answer in zip(said, answers, strict=True))
    return {"per_s": len(answers) / seconds, "right_share": right / len(answers)}


def middle(rounds: Sequence[dict[str, float]], name: str, digits: int = 1) -> float:
    """The median of a figure over the rounds."""
    return round(median(each[name] for each in rounds), digits)


# The answers. A shape gives an expected answer, one that is equal to it, and one that is not.

Shape = Callable[[random.Random], tuple[str, str, str]]
ROOTS = (2, 3, 5, 6, 7, 10, 11, 13, 14, 15)
UNITS = ("cm", "meters", "\\text{ miles}", "\\text{ inches}", "\\,\\text{cm}^2", "\\text{ dollars}")
ENDS = ("{}", "{}.", "${}$", "${}$.", "\\[{}\\]", "**{}**")
WORDS = (
    "so we first let the number of both sides be equal then take every term and see that it follows from this since "
    "each side has an angle which gives another value hence adding them we find that only one case is left therefore "
    "multiplying and dividing again leaves what was asked for because no other solution exists"
).split()


def make_answers(count: int, seed: str) -> list[Answer]:
    """Return answers of all shapes, each expected one once, half of them right, shuffled."""
    rng, made = random.Random(seed), dict[str, Answer]()
    while len(made) < count:
        number = len(made)
        expected, same, other = SHAPES[number // 2 % len(SHAPES)](rng)
        end = rng.choice(ENDS).replace("{}", f"\\boxed{{{other if number % 2 else same}}}")
        made.setdefault(expected, Answer(expected, f"{reasoning(rng)} So the answer is {end}", number % 2 == 0))
    answers = list(made.values())
    rng.shuffle(answers)
    return answers


def reasoning(rng: random.Random) -> str:
    """50 to 300 words, a short sum or an equation among them now and then."""
    words = [step(rng) if rng.random() < 0.1 else rng.choice(WORDS) for _ in range(rng.randint(50, 300))]
    return " ".join(words) + "."


def step(rng: random.Random) -> str:
    left, right = rng.randint(2, 99), rng.randint(2, 99)
    return rng.choice(
        (f"{left} + {right} = {left + right}", f"$x = {left}$", f"$\\frac{{{left}}}{{{right}}}$", f"{left}")
    )


def integer(rng: random.Random) -> tuple[str, str, str]:
    value = rng.randint(-(10**6), 10**6)
    return str(value), rng.choice((str(value), f"{value:,}", f"x = {value}")), str(rng.choice((value + 1, -value - 1)))


def fraction(rng: random.Random) -> tuple[str, str, str]:
    over, factor = rng.randint(11, 997), rng.randint(2, 5)
    top = rng.randint(1, 3000) * over + rng.randint(1, over - 1)
    same = rng.choice((f"{top}/{over}", f"\\dfrac{{{factor * top}}}{{{factor * over}}}"))
    return f"\\frac{{{top}}}{{{over}}}", same, f"\\frac{{{top + 1}}}{{{over}}}"


def decimal(rng: random.Random) -> tuple[str, str, str]:
    thousandths = 8 * rng.randint(1, 9999) + 1
    value = thousandths / 1000
    return str(value), rng.choice((f"{value}0", f"\\frac{{{thousandths}}}{{1000}}")), f"{value + 0.1:.3f}"


def root(rng: random.Random) -> tuple[str, str, str]:
    factor, inside = rng.randint(2, 400), rng.choice(ROOTS)
    same = rng.choice((f"\\sqrt{{{factor**2 * inside}}}", f"{factor} \\cdot \\sqrt{{{inside}}}"))
    return f"{factor}\\sqrt{{{inside}}}", same, f"{factor + 1}\\sqrt{{{inside}}}"


def sum_with_root(rng: random.Random) -> tuple[str, str, str]:
    whole, over, inside = rng.randint(2, 400), rng.randint(2, 9), rng.choice(ROOTS)
    same = f"\\frac{{\\sqrt{{{inside}}} + {whole}}}{{{over}}}"
    return f"\\frac{{{whole}+\\sqrt{{{inside}}}}}{{{over}}}", same, f"\\frac{{{whole}-\\sqrt{{{inside}}}}}{{{over}}}"


def of_pi(rng: random.Random) -> tuple[str, str, str]:
    top, over = rng.randint(1, 400), rng.choice((2, 3, 5, 7))
    return f"\\frac{{{top}\\pi}}{{{over}}}", f"\\frac{{{top}}}{{{over}}}\\pi", f"\\frac{{{top}}}{{{over}}}"


def members(rng: random.Random) -> tuple[str, str, str]:
    values = rng.sample(range(-99, 99), 3)
    first, second, third = values
    same = f"\\{{{third}, {first}, {second}\\}}"
    return f"\\{{{first}, {second}, {third}\\}}", same, f"\\{{{first}, {second}, {third + 200}\\}}"


def interval(rng: random.Random) -> tuple[str, str, str]:
    low, high = rng.randint(-400, 0), rng.randint(1, 400)
    return f"[{low}, {high})", f"\\left[{low},{high}\\right)", f"[{low}, {high + 1})"


def pair(rng: random.Random) -> tuple[str, str, str]:
    first, second = rng.randint(-400, 0), rng.randint(1, 400)
    return f"({first}, {second})", f"\\left({first},\\, {second}\\right)", f"({second}, {first})"


def percent(rng: random.Random) -> tuple[str, str, str]:
    value = rng.randint(1, 9999) / 10
    return f"{value}\\%", rng.choice((f"{value}\\%", f"{value} \\%", f"{value}0\\%")), f"{value + 1:.1f}\\%"


def with_unit(rng: random.Random) -> tuple[str, str, str]:
    value, unit = rng.randint(2, 9999), rng.choice(UNITS)
    return f"{value} {unit}", rng.choice((f"{value}", f"{value}{unit}")), f"{value + 1} {unit}"


def polynomial(rng: random.Random) -> tuple[str, str, str]:
    first, second = rng.randint(1, 40), rng.randint(1, 40)
    factors = f"(x+{first})(x+{second})"
    return (f"x^2+{first + second}x+{first * second}", factors, f"(x+{first})(x+{second + 1})")


def power_of_ten(rng: random.Random) -> tuple[str, str, str]:
    digits, power = rng.randint(11, 99) * 10 + rng.randint(1, 9), rng.randint(4, 9)
    return f"{digits / 100} \\times 10^{{{power}}}", str(digits * 10 ** (power - 2)), str(digits * 10 ** (power - 1))


SHAPES: Sequence[Shape] = (
    *(integer, fraction, decimal, root, sum_with_root, of_pi, members),
    *(interval, pair, percent, with_unit, polynomial, power_of_ten),
)

if __name__ == "__main__":
    main()
