"""Normalisation of advantages beyond the group: over all action tokens of a step, of each domain, or over steps.

Signature `(advantages [A], domains [A], moments [D, 3]) -> (advantages [A], moments [D, 3])`, float64: the advantages
of the step's tokens that carry signal, the number of each token's domain, and what the rule remembers of earlier steps
for each of `D` domains: the weight seen, and the sums of value and square by that weight. Only `running` uses
`moments`; in the beginning they are 0. Where all values are equal the result is exactly 0, without division.
"""

from __future__ import annotations

import torch
from torch import Tensor

Normalized = tuple[Tensor, Tensor]


def none(advantages: Tensor, domains: Tensor, moments: Tensor) -> Normalized:
    """The advantages as they are."""
    return advantages, moments


def batch(advantages: Tensor, domains: Tensor, moments: Tensor, *, eps: float = 1e-8) -> Normalized:
    """REINFORCE++: `(A - mean) / (std + eps)` over all tokens of the step. Source: arXiv:2501.03262."""
    return _by_part(advantages, torch.zeros_like(domains), eps), moments


def domain(advantages: Tensor, domains: Tensor, moments: Tensor, *, eps: float = 1e-8) -> Normalized:
    """As `batch`, over the tokens of each domain apart: one with large rewards does not drown the others."""
    return _by_part(advantages, domains, eps), moments


def running(
    advantages: Tensor, domains: Tensor, moments: Tensor, *, decay: float = 0.9, eps: float = 1e-8
) -> Normalized:
    """`(A - mean) / (std + eps)` with each domain's moments averaged over steps, older ones weighing `decay` less each.

    This step is in them. Source: PopArt for several tasks (arXiv:1809.04474), equation 6, whose start is corrected
    here by the weight seen. A step without tokens of a domain leaves its moments as they are.
    """
    seen = torch.zeros(len(moments), dtype=advantages.dtype).index_add(0, domains, torch.ones_like(advantages))
    terms = torch.stack([torch.ones_like(advantages), advantages, advantages**2], dim=1)
    means = torch.zeros_like(moments).index_add(0, domains, terms) / seen.clamp(min=1)[:, None]
    updated = (decay * moments + (1.0 - decay) * means).where(seen[:, None] > 0, moments)
    weight, total, squares = updated.unbind(1)
    mean = total / weight.clamp(min=torch.finfo(weight.dtype).tiny)
    variance = (squares / weight.clamp(min=torch.finfo(weight.dtype).tiny) - mean**2).clamp(min=0)
    # The difference of two moments is rounding noise where nothing has varied yet.
    varied = variance > 1e-12 * mean**2
    return ((advantages - mean[domains]) / (variance.sqrt()[domains] + eps)).where(varied[domains], 0.0), updated


def _by_part(advantages: Tensor, parts: Tensor, eps: float) -> Tensor:
    size = int(parts.max()) + 1 if len(parts) else 0
    totals = torch.zeros(size, dtype=advantages.dtype)
    count = totals.index_add(0, parts, torch.ones_like(advantages)).clamp(min=1)
    mean = totals.index_add(0, parts, advantages) / count
    centered = advantages - mean[parts]
    std = (totals.index_add(0, parts, centered**2) / count).sqrt()
    infinity = torch.full((size,), torch.inf, dtype=advantages.dtype)
    low = infinity.scatter_reduce(0, parts, advantages, "amin")
    high = (-infinity).scatter_reduce(0, parts, advantages, "amax")
    return (centered / (std[parts] + eps)).where((low < high)[parts], 0.0)
