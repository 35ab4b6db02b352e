"""Compiled gradients of the losses, and the leaf values that descend them."""

from __future__ import annotations

import numpy as np

from lukewarm.learners.boosting._compiled import compiled_part
from lukewarm.learners.boosting._work import LOGISTIC, SOFTMAX, SQUARED

# The most a leaf may move a log-odds before the learning rate. Rows of which a model is sure and
# wrong have next to no curvature to divide by; odds of e^8, 3,000 to one, are more than the rows
# of a leaf can show.
_LARGEST_NEWTON_STEP = 8.0


@compiled_part
def weight_of(weights, row):
    """Return the weight of a row; 1 where there are no weights."""
    return weights[row] if len(weights) > 0 else 1.0


@compiled_part
def is_taken(sample, row):
    """Return 1 for a row that takes part in the tree, else 0; all do where there is no sample."""
    return sample[row] if len(sample) > 0 else np.uint8(1)


@compiled_part
def set_gradients(problem, scale, raw, gradients):
    """Set the residuals to minus the loss's gradient, the curvatures to its second derivative.

    The model stands at ``start + scale * raw``.
    """
    target, start, loss = problem.target, problem.start, problem.loss
    residuals, curvatures = gradients
    n_outputs, n_rows = raw.shape
    # Its curvature is one; `curvatures` has no rows then.
    if loss == SQUARED:
        for output in range(n_outputs):
            for row in range(n_rows):
                output_now = start[output] + scale * raw[output, row]
                residuals[output, row] = target[output, row] - output_now
    elif loss == LOGISTIC:
        for row in range(n_rows):
            chance = 1.0 / (1.0 + np.exp(-start[0] - scale * raw[0, row]))
            residuals[0, row] = target[0, row] - chance
            curvatures[0, row] = chance * (1.0 - chance)
    else:
        for row in range(n_rows):
            largest, total = -np.inf, 0.0
            for output in range(n_outputs):
                residuals[output, row] = start[output] + scale * raw[output, row]
                largest = max(largest, residuals[output, row])
            for output in range(n_outputs):
                curvatures[output, row] = np.exp(residuals[output, row] - largest)
                total += curvatures[output, row]
            for output in range(n_outputs):
                chance = curvatures[output, row] / total
                residuals[output, row] = target[output, row] - chance
                curvatures[output, row] = chance * (1.0 - chance)


@compiled_part
def set_leaf_values(problem, rules, scale, gradients, sample, leaves, leaf_sums, values):
    """Set `values` (n_leaves, n_outputs): the mean residual of a leaf, or Newton's step.

    Parameters
    ----------
    problem, rules, gradients
        Bundles, see `_work`.
    scale : float
        What shrinkage has left of the sum, this tree included.
    sample : ndarray
        Which rows the tree was drawn, see `_work`.
    leaves : ndarray of shape (n,)
    leaf_sums : ndarray of at least two rows of n_leaves
        Used up.
    values : ndarray of shape (n_leaves, n_outputs)
    """
    n_leaves, n_outputs = values.shape
    residuals, curvatures = gradients
    sums, masses = leaf_sums[0], leaf_sums[1]
    loss, weights = problem.loss, problem.weights
    # Newton's step of the softmax loss takes only the diagonal (Friedman 2001, section 4.6).
    factor = (n_outputs - 1) / n_outputs if loss == SOFTMAX else 1.0
    factor *= rules.learning_rate / (scale * rules.unit)
    limit = np.inf if loss == SQUARED else _LARGEST_NEWTON_STEP
    for output in range(n_outputs):
        sums[:] = 0.0
        masses[:] = 0.0
        for row in range(len(leaves)):
            weight = weight_of(weights, row) * is_taken(sample, row)
            sums[leaves[row]] += weight * residuals[output, row]
            curvature = 1.0 if loss == SQUARED else curvatures[output, row]
            masses[leaves[row]] += weight * curvature
        for leaf in range(n_leaves):
            value = 0.0
            if masses[leaf] > 0.0:
                value = min(max(sums[leaf] / (masses[leaf] + rules.l2), -limit), limit)
            # On a grid of a power of two, sums of leaf values are exact in any order.
            values[leaf, output] = np.rint(factor * value) * rules.unit
