"""Memory and speed of long trajectories: log-probabilities with a large vocabulary, and a step on a long sequence.

    python benchmarks/long_context.py [--json FILE] [--rounds 3] [--tokens 32768] [--plain-tokens 2048]
        [--vocabulary 151936] [--hidden 64] [--train-tokens 16384] [--layers 12] [--width 256]

`logprobs_32k_extra_gb`: log-probabilities, entropies and backward of `--tokens` tokens in sequences of
`--plain-tokens`, through a policy of one layer; the peak of a fresh process minus what it held with the model loaded
(the gradient counts as extra). `speed_vs_plain_2k`: tokens a second of that, over those of the same model computed
plainly (whole logits) on one sequence of `--plain-tokens`. A round measures the plain way before and after ours, in one
process; the figure is the median of the rounds' ratios. `train_16k_peak_gb`: the whole process of one training step on
one sequence of `--train-tokens` with every technique; the table takes one technique away at a time, each in a process
of its own. Reads /proc, so Linux only. GB are 10^9 bytes.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from statistics import median
from typing import Any

from _process_memory import OutOfMemoryError, in_fresh_process, table

from rlpt.budget.machine import machine_memory_bytes

CASES = Path(__file__).with_name("_long_context_cases.py")
TRAIN_VOCABULARY = 32_768

ALL: dict[str, Any] = {"activations": "recompute", "whole_logits": False, "whole_mask": False}
WAYS: dict[str, dict[str, Any]] = {
    "all techniques": ALL,
    "+ offload to CPU memory": {**ALL, "activations": "offload"},
    "- recomputation by layer": {**ALL, "activations": "keep"},
    "- chunked logits": {**ALL, "whole_logits": True},
    "- attention without masks": {**ALL, "whole_mask": True},
    "none of them": {"activations": "keep", "whole_logits": True, "whole_mask": True},
}


def main() -> None:
    """Measure, print the table, and write the figures where `--json` says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, default=None)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tokens", type=int, default=32_768)
    parser.add_argument("--plain-tokens", type=int, default=2048)
    parser.add_argument("--vocabulary", type=int, default=151_936)
    parser.add_argument("--hidden", type=int, default=64)
    parser.add_argument("--train-tokens", type=int, default=16_384)
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--width", type=int, default=256)
    options = parser.parse_args()
    figures = logprobs(options)
    rows = {name: train(options, way) for name, way in WAYS.items()}
    figures |= {"train_16k_peak_gb": rows["all techniques"]["peak_gb"], "train": rows, "sizes": sizes(options)}
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n")
    for key, value in figures.items():
        if isinstance(value, float):
            print(f"{key} = {value}")
    print(f"\none step on {options.train_tokens} tokens, {options.layers} layers of width {options.width}")
    print(table(rows, {"peak_gb": "peak GB", "seconds": "seconds"}))


def logprobs(options: argparse.Namespace) -> dict[str, Any]:
    """The figures of log-probabilities and entropies."""
    model = {"vocabulary": options.vocabulary, "hidden": options.hidden}
    memory = in_fresh_process(
        CASES, case="logprobs_memory", tokens=options.tokens, length=options.plain_tokens, **model
    )
    speed = in_fresh_process(
        CASES,
        case="logprobs_speed",
        tokens=options.tokens,
        length=options.plain_tokens,
        rounds=options.rounds,
        **model,
    )
    ratios = [ours / plain for ours, plain in zip(speed["ours"], speed["plain"], strict=True)]
    return {
        "logprobs_32k_extra_gb": round(memory["extra_gb"], 3),
        "speed_vs_plain_2k": round(median(ratios), 3),
        "speed_ratios": [round(ratio, 3) for ratio in ratios],
        "tokens_per_s": round(median(speed["ours"]), 1),
        "plain_tokens_per_s": round(median(speed["plain"]), 1),
    }


def train(options: argparse.Namespace, way: dict[str, Any]) -> dict[str, float | str]:
    """One training step in one way; words in place of numbers where it takes more memory than there is."""
    model = {"layers": options.layers, "width": options.width, "vocabulary": TRAIN_VOCABULARY}
    try:
        figures = in_fresh_process(CASES, case="train", tokens=options.train_tokens, **model, **way)
    except OutOfMemoryError:
        return {"peak_gb": f"over {machine_memory_bytes() / 1e9:.0f}", "seconds": "killed"}
    return {key: round(value, 2) for key, value in figures.items()}


def sizes(options: argparse.Namespace) -> dict[str, int]:
    """What was measured."""
    return {key: value for key, value in vars(options).items() if key != "json"} | {
        "train_vocabulary": TRAIN_VOCABULARY
    }


if __name__ == "__main__":
    main()
