"""Log-probabilities and entropies: the numbers of the definition, whatever the size of a chunk, in little memory."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from rlpt.policy.logprobs import logprobs_of_logits, token_logprobs

TOKENS, HIDDEN, VOCABULARY = 7, 5, 23
ONE_ROW = VOCABULARY * 4


def inputs(dtype=torch.float32, biased=False):
    make = torch.Generator().manual_seed(0)
    hidden = torch.randn(TOKENS, HIDDEN, generator=make).to(dtype).requires_grad_()
    weight = torch.randn(VOCABULARY, HIDDEN, generator=make).to(dtype).requires_grad_()
    bias = torch.randn(VOCABULARY, generator=make).to(dtype).requires_grad_() if biased else None
    targets = torch.randint(0, VOCABULARY, (TOKENS,), generator=make)
    return hidden, weight, bias, targets


def written_out(hidden, weight, bias, targets, temperature, of_logprobs, of_entropies):
    """Values, and gradients of `sum(logprob * of_logprob + entropy * of_entropy)`, in loops of Python's floats."""
    x, w, b = hidden.tolist(), weight.tolist(), [0.0] * VOCABULARY if bias is None else bias.tolist()
    logprobs, entropies = [], []
    of_x = [[0.0] * HIDDEN for _ in x]
    of_w = [[0.0] * HIDDEN for _ in w]
    of_b = [0.0] * VOCABULARY
    for k, target in enumerate(targets.tolist()):
        logits = [(sum(a * c for a, c in zip(x[k], w[v], strict=True)) + b[v]) / temperature for v in range(VOCABULARY)]
        normalizer = math.log(sum(math.exp(z) for z in logits))
        log_p = [z - normalizer for z in logits]
        entropy = -sum(math.exp(value) * value for value in log_p)
        logprobs.append(log_p[target])
        entropies.append(entropy)
        for v, value in enumerate(log_p):
            p = math.exp(value)
            of_logit = of_logprobs[k] * ((v == target) - p) - of_entropies[k] * p * (value + entropy)
            of_logit /= temperature
            of_b[v] += of_logit
            for h in range(HIDDEN):
                of_x[k][h] += of_logit * w[v][h]
                of_w[v][h] += of_logit * x[k][h]
    return [torch.tensor(value) for value in (logprobs, entropies, of_x, of_w, of_b)]


@pytest.mark.parametrize("logits_bytes", [1, 2 * ONE_ROW, 3 * ONE_ROW, 1 << 20])
@pytest.mark.parametrize("temperature", [1.0, 0.6])
@pytest.mark.parametrize("biased", [False, True])
@pytest.mark.parametrize("entropy", ["none", "value", "gradient"])
def test_values_and_gradients_are_those_of_the_definition(logits_bytes, temperature, biased, entropy):
    hidden, weight, bias, targets = inputs(biased=biased)
    of_logprobs = torch.linspace(-1.0, 2.0, TOKENS)
    of_entropies = torch.linspace(0.5, -1.0, TOKENS) if entropy == "gradient" else torch.zeros(TOKENS)
    logprobs, entropies = token_logprobs(hidden, weight, bias, targets, temperature, entropy, logits_bytes)
    total = (logprobs * of_logprobs).sum()
    if entropy == "gradient":
        total = total + (entropies * of_entropies).sum()
    total.backward()
    expected = written_out(hidden, weight, bias, targets, temperature, of_logprobs.tolist(), of_entropies.tolist())
    close(logprobs, expected[0])
    if entropy == "none":
        assert entropies is None
    else:
        close(entropies, expected[1])
        assert entropies.requires_grad == (entropy == "gradient")
    close(hidden.grad, expected[2])
    close(weight.grad, expected[3])
    if biased:
        close(bias.grad, expected[4])


def close(found, expected):
    assert torch.allclose(found.detach().double(), expected.double(), atol=1e-6, rtol=1e-6)


def test_the_gradient_is_that_of_the_function_by_finite_differences():
    hidden, weight, bias, targets = inputs(torch.float64, biased=True)

    def function(hidden, weight, bias):
        return token_logprobs(hidden, weight, bias, targets, 0.7, "gradient", 2 * VOCABULARY * 8)

    assert torch.autograd.gradcheck(function, (hidden, weight, bias))


@pytest.mark.parametrize("entropy", ["none", "value", "gradient"])
def test_whole_logits_give_the_same(entropy):
    hidden, weight, _, targets = inputs()
    chunked = token_logprobs(hidden, weight, None, targets, 0.7, entropy, ONE_ROW)
    whole = logprobs_of_logits(hidden @ weight.T, targets, 0.7, entropy)
    for one, other in zip(chunked, whole, strict=True):
        assert (one is None) == (other is None)
        if one is not None:
            assert torch.allclose(one, other, atol=1e-6)
            assert one.requires_grad == other.requires_grad


def test_bf16_rounds_as_the_whole_logits_do():
    hidden, weight, _, targets = inputs(torch.bfloat16)
    logprobs, _ = token_logprobs(hidden, weight, None, targets, 0.7)
    assert logprobs.dtype == torch.float32
    assert torch.allclose(logprobs, logprobs_of_logits(hidden @ weight.T, targets, 0.7)[0], atol=1e-6)


def test_the_weights_gradient_adds_up_in_fp32_also_where_the_product_is_bf16():
    hidden, _, _, targets = inputs(torch.bfloat16)
    _, weight, _, _ = inputs()
    token_logprobs(hidden, weight, None, targets, 1.0, "none", ONE_ROW)[0].sum().backward()
    assert weight.grad.dtype == torch.float32
    assert hidden.grad.dtype == torch.bfloat16


def test_values_far_apart_and_no_tokens_at_all():
    hidden, weight, _, targets = inputs()
    logprobs, entropies = token_logprobs(1e4 * hidden, weight, None, targets, 1.0, "gradient", ONE_ROW)
    (logprobs.sum() + entropies.sum()).backward()
    assert logprobs.isfinite().all()
    assert entropies.isfinite().all()
    assert hidden.grad.isfinite().all()
    weight.grad = None
    logprobs, entropies = token_logprobs(hidden[:0], weight, None, targets[:0], 1.0, "value")
    logprobs.sum().backward()
    assert logprobs.shape == entropies.shape == (0,)
    assert not weight.grad.any()


def test_a_frozen_output_layer_takes_no_gradient():
    hidden, weight, _, targets = inputs()
    token_logprobs(hidden, weight.detach(), None, targets, 1.0)[0].sum().backward()
    assert weight.grad is None
    assert hidden.grad is not None


PEAK = """
import re, sys, torch
from pathlib import Path
from rlpt.policy.logprobs import logprobs_of_logits, token_logprobs
way, tokens = sys.argv[1], int(sys.argv[2])
vocabulary = 20_000
hidden, weight = torch.randn(tokens, 16, requires_grad=True), torch.randn(vocabulary, 16, requires_grad=True)
targets = torch.randint(0, vocabulary, (tokens,))
# Not getrusage: its peak begins with that of the process that started this one.
def peak(): return int(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1])
def run(count):
    if way == "chunked":
        values = token_logprobs(hidden[:count], weight, None, targets[:count], 0.7, "gradient", 4 << 20)
    else:
        values = logprobs_of_logits(hidden[:count] @ weight.T, targets[:count], 0.7, "gradient")
    (values[0].sum() + values[1].sum()).backward()
run(64)
before = peak()
run(tokens)
print((peak() - before) * 1024 / (tokens * vocabulary * 4))
"""


def peak(way, tokens):
    """Memory above that of a small call, over that of the logits of all tokens."""
    command = [sys.executable, "-c", PEAK, way, str(tokens)]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peaks of memory are read from /proc")
def test_memory_does_not_grow_with_tokens_times_vocabulary():
    assert peak("chunked", 4096) < 0.1
    assert peak("whole", 4096) > 1.0, "the measure sees what the plain way takes"
