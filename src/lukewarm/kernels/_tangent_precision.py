"""Products of wide layers in bfloat16, where the processor is quicker at them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lukewarm._optional import require
from lukewarm._validation import check_choice

if TYPE_CHECKING:
    import torch
else:
    torch = require("torch", "torch")

PRECISIONS = ("auto", "full", "bfloat16")
_NARROWEST_WORTH_IT = 1024


def product_dtype(precision: str, weight: torch.Tensor) -> torch.dtype:
    """Return the type in which products with `weight` (d_out, d_in) are taken.

    Notes
    -----
    bfloat16 keeps float32's range and 8 bits of it; sums are kept in float32. "auto" chooses it
    for float32 layers at least 1024 wide on both sides when the hardware multiplies it natively.
    """
    check_choice("precision", precision, PRECISIONS)
    is_wide = min(weight.shape) >= _NARROWEST_WORTH_IT
    if precision == "full" or weight.dtype != torch.float32:
        return weight.dtype
    if precision == "bfloat16" or (is_wide and _multiplies_natively(weight.device)):
        return torch.bfloat16
    return weight.dtype


def product(rows: torch.Tensor, weight: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Return rows @ weight, taken in `dtype`, in the type of `rows`."""
    return (rows.to(dtype) @ weight.to(dtype)).to(rows.dtype)


def _multiplies_natively(device: torch.device) -> bool:
    if device.type == "cuda":
        return torch.cuda.is_bf16_supported()
    is_supported = getattr(torch.cpu, "_is_avx512_bf16_supported", None)
    return device.type == "cpu" and is_supported is not None and bool(is_supported())
