"""What a network is trained on: one loss per row, from outputs and targets."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lukewarm._optional import require
from lukewarm.learners._objectives import Objective
from lukewarm.measures import Huber, NegMAE, NegMSE, PoissonDeviance

if TYPE_CHECKING:
    import torch
else:
    torch = require("torch", "torch")

Criterion = Callable[["torch.Tensor", "torch.Tensor"], "torch.Tensor"]


def flat_outputs(outputs: torch.Tensor) -> torch.Tensor:
    """Return outputs of shape (n, 1) as (n,), others unchanged."""
    return outputs.squeeze(1) if outputs.ndim == 2 and outputs.shape[1] == 1 else outputs


def squared_error(outputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """Return the squared error of every row."""
    return torch.square(outputs - targets)


def cross_entropy(outputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """Return -log p(class) of every row; outputs are logits, (n,) for two classes or (n, k)."""
    if outputs.ndim == 1:
        return torch.nn.functional.binary_cross_entropy_with_logits(
            outputs, targets, reduction="none"
        )
    return torch.nn.functional.cross_entropy(outputs, targets.long(), reduction="none")


def probabilities(outputs: torch.Tensor) -> torch.Tensor:
    """Return the probability of the second of two classes, (n,), or of every class, (n, k)."""
    if outputs.ndim == 1:
        return torch.sigmoid(outputs)
    shares = torch.softmax(outputs, dim=1)
    return shares[:, 1] if shares.shape[1] == 2 else shares


def known_objective(loss: Criterion | None, is_scaled: bool) -> Objective | None:
    """Return what a loss is for us; None for a function of the user's.

    Parameters
    ----------
    loss : callable or None
        None is squared error.
    is_scaled : bool
        Whether targets are standardised, and with them the delta of a Huber loss.
    """
    if isinstance(loss, torch.nn.GaussianNLLLoss):
        raise TypeError(
            "loss is a GaussianNLLLoss, which needs a variance for every row besides the "
            "prediction; use MSELoss, or a function of (outputs, targets)."
        )
    if loss is None or isinstance(loss, torch.nn.MSELoss):
        return Objective(NegMSE())
    if isinstance(loss, torch.nn.PoissonNLLLoss):
        return Objective(PoissonDeviance(), "log" if loss.log_input else None)
    if isinstance(loss, torch.nn.HuberLoss | torch.nn.SmoothL1Loss) and not is_scaled:
        return Objective(Huber(float(getattr(loss, "delta", getattr(loss, "beta", 1.0)))))
    if isinstance(loss, torch.nn.L1Loss | torch.nn.HuberLoss | torch.nn.SmoothL1Loss):
        return Objective(NegMAE())
    return None


def row_wise(loss: Criterion) -> Criterion:
    """Return the user's loss in the form that keeps one value per row, where it has one.

    Losses of torch.nn average by default and say so in `reduction`.
    """
    if isinstance(loss, torch.nn.Module) and hasattr(loss, "reduction"):
        unreduced: Any = copy.deepcopy(loss)
        unreduced.reduction = "none"
        return unreduced
    return loss


def weighted_mean(losses: torch.Tensor, weights: torch.Tensor | None) -> torch.Tensor:
    """Return the mean loss of a batch, each row counted by its weight."""
    if weights is None:
        return losses.mean()
    if losses.ndim == 0:
        raise ValueError(
            "loss must give one value per row when sample weights are used; it gave a single "
            "number. Use reduction='none'."
        )
    return (losses.reshape(len(weights), -1).mean(dim=1) * weights).mean()
