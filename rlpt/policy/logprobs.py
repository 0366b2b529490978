"""Log-probabilities and entropies of tokens, from the hidden states before the output layer.

Logits exist for some tokens at a time only, forward and backward: memory does not grow with tokens x vocabulary. The
backward pass computes them again, because the gradient of a token's loss is not known before (ratios and clips depend
on the value); so one matrix product in four is extra.
"""

from __future__ import annotations

from typing import Any, Literal

import torch
from torch import Tensor
from torch.autograd.function import FunctionCtx, once_differentiable

Entropy = Literal["none", "value", "gradient"]
"""What is wanted of the entropies: nothing, values that no gradient flows through, or values with a gradient."""


def token_logprobs(
    hidden: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    targets: Tensor,
    temperature: float,
    entropy: Entropy = "none",
    logits_bytes: int = 64 << 20,
) -> tuple[Tensor, Tensor | None]:
    """Log-probabilities of `targets` under `softmax((hidden @ weight.T + bias) / temperature)`, and entropies in nats.

    Args:
        hidden: `[K, H]`, in the type that the matrix product is computed in.
        weight: `[V, H]`, cast to that type; its gradient comes back in its own.
        bias: `[V]` or None.
        targets: `[K]`, token ids.
        temperature: above 0.
        entropy: see `Entropy`.
        logits_bytes: size of the logits that are held at once; about twice as much is used. No value depends on it
            but for rounding.

    Returns:
        `[K]` and `[K]` (None where not asked for), in fp32, or fp64 where `hidden` is.
    """
    exact = torch.promote_types(hidden.dtype, torch.float32)
    rows = max(1, min(logits_bytes // (weight.shape[0] * exact.itemsize), len(hidden)))
    values: tuple[Tensor, Tensor | None] = _Chunked.apply(  # type: ignore[no-untyped-call]
        hidden, weight, bias, targets, temperature, entropy, rows
    )
    return values


def logprobs_of_logits(
    logits: Tensor, targets: Tensor, temperature: float, entropy: Entropy = "none"
) -> tuple[Tensor, Tensor | None]:
    """The same from whole logits `[K, V]`, for models that do more to them than one linear layer."""
    logits = logits.float() / temperature
    normalizer = logits.logsumexp(-1)
    logprobs = logits.gather(-1, targets[:, None]).squeeze(-1) - normalizer
    if entropy == "none":
        return logprobs, None
    with torch.set_grad_enabled(entropy == "gradient" and torch.is_grad_enabled()):
        return logprobs, normalizer - (logits.softmax(-1) * logits).sum(-1)


class _Chunked(torch.autograd.Function):
    """`token_logprobs`, `rows` tokens at a time."""

    @staticmethod
    def forward(
        ctx: Any,  # noqa: ANN401 - what autograd hands over
        hidden: Tensor,
        weight: Tensor,
        bias: Tensor | None,
        targets: Tensor,
        temperature: float,
        entropy: Entropy,
        rows: int,
    ) -> tuple[Tensor, Tensor | None]:
        exact = torch.promote_types(hidden.dtype, torch.float32)
        matrix = weight.to(hidden.dtype)
        logprobs, normalizers, entropies = (hidden.new_empty(len(hidden), dtype=exact) for _ in range(3))
        scratch = hidden.new_empty(2, rows, len(weight), dtype=exact)
        for own in _chunks(len(hidden), rows):
            logits = _logits(hidden[own], matrix, bias, temperature, scratch[0])
            largest = logits.amax(-1, keepdim=True)
            logits -= largest
            at_target = logits.gather(-1, targets[own, None]).squeeze(-1)
            unnormalized = torch.exp(logits, out=scratch[1, : len(logits)])
            total = unnormalized.sum(-1)
            logprobs[own] = at_target - total.log()
            normalizers[own] = largest.squeeze(-1) + total.log()
            if entropy != "none":
                entropies[own] = total.log() - _row_dots(unnormalized, logits) / total
        ctx.save_for_backward(hidden, weight, bias, targets, normalizers, entropies)
        ctx.temperature, ctx.rows = temperature, rows
        ctx.set_materialize_grads(False)
        if entropy == "value":
            ctx.mark_non_differentiable(entropies)
        return logprobs, None if entropy == "none" else entropies

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, of_logprobs: Tensor | None, of_entropies: Tensor | None) -> tuple[Tensor | None, ...]:  # noqa: ANN401
        hidden, weight, bias, targets, normalizers, entropies = ctx.saved_tensors
        exact = normalizers.dtype
        matrix = weight.to(hidden.dtype)
        of_hidden, of_weight, of_bias = _gradients(ctx, hidden, weight, bias, exact)
        if of_logprobs is None:
            of_logprobs = torch.zeros_like(normalizers)
        scratch = hidden.new_empty(1 if of_entropies is None else 2, ctx.rows, len(weight), dtype=exact)
        for own in _chunks(len(hidden), ctx.rows):
            logits = _logits(hidden[own], matrix, bias, ctx.temperature, scratch[0])
            logits -= normalizers[own, None]
            upstream = of_logprobs[own, None] / ctx.temperature
            if of_entropies is None:
                # d logprob / d logit = [target] - p
                gradient = logits.exp_().mul_(-upstream)
            else:
                # d entropy / d logit = -p (log p + entropy)
                gradient = torch.exp(logits, out=scratch[1, : len(logits)])
                scale = of_entropies[own, None] / ctx.temperature
                gradient *= logits.add_(entropies[own, None]).mul_(-scale).sub_(upstream)
            gradient.scatter_add_(-1, targets[own, None], upstream)
            if of_bias is not None:
                of_bias += gradient.sum(0)
            gradient = gradient.to(hidden.dtype)
            if of_hidden is not None:
                torch.mm(gradient, matrix, out=of_hidden[own])
            if of_weight is not None:
                _add_product(of_weight, gradient.T, hidden[own])
        return (
            of_hidden,
            None if of_weight is None else of_weight.to(weight.dtype),
            None if of_bias is None else of_bias.to(bias.dtype),
            *[None] * 4,
        )


def _chunks(count: int, rows: int) -> list[slice]:
    return [slice(start, min(start + rows, count)) for start in range(0, count, rows)]


def _logits(hidden: Tensor, weight: Tensor, bias: Tensor | None, temperature: float, scratch: Tensor) -> Tensor:
    """The logits of some tokens over the temperature, in the first rows of `scratch`."""
    out = scratch[: len(hidden)]
    if hidden.dtype == out.dtype:
        added, beta = (out, 0.0) if bias is None else (bias.to(out.dtype), 1.0 / temperature)
        return torch.addmm(added, hidden, weight.T, beta=beta, alpha=1.0 / temperature, out=out)
    # As the engine does: the product in the computation's type, what follows in fp32.
    product = torch.nn.functional.linear(hidden, weight, None if bias is None else bias.to(hidden.dtype))
    out.copy_(product)
    return out.div_(temperature) if temperature != 1.0 else out


def _row_dots(left: Tensor, right: Tensor) -> Tensor:
    """The scalar product of each row, without a product of the rows' size."""
    return torch.bmm(left[:, None], right[:, :, None]).flatten()


def _gradients(
    ctx: FunctionCtx, hidden: Tensor, weight: Tensor, bias: Tensor | None, exact: torch.dtype
) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
    """Room for the gradients that are asked for; those that chunks add up in are exact."""
    wanted: tuple[bool, ...] = ctx.needs_input_grad  # type: ignore[attr-defined]
    return (
        torch.empty_like(hidden) if wanted[0] else None,
        torch.zeros_like(weight, dtype=exact) if wanted[1] else None,
        torch.zeros_like(bias, dtype=exact) if bias is not None and wanted[2] else None,
    )


def _add_product(total: Tensor, left: Tensor, right: Tensor) -> None:
    if left.dtype == total.dtype:
        total.addmm_(left, right)
    else:
        total += left @ right
