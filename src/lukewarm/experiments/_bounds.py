"""Section 5.1: the error of a warm start stopped at T_max, against the number of rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from lukewarm._typing import Matrix, Vector
from lukewarm.data import Removal, Rows
from lukewarm.experiments._base import Description, Record, Settings, replicated
from lukewarm.experiments._random_functions import random_network, random_trees
from lukewarm.experiments._slopes import draw_power_law, power_law_figure, table_of_slopes
from lukewarm.experiments._style import MODEL_TITLES
from lukewarm.kernels import boosting_kernel, kernel_eigenvalues, max_theoretical_step, ntk
from lukewarm.kernels import rkhs_gap_norm as gap_norm
from lukewarm.learners import BaseLearner, train_until
from lukewarm.stopping import Patience

# Doubled, for a slope on a logarithmic axis.
_ROWS = {"quick": (64, 128, 256, 512), "paper": (64, 128, 256, 512, 1024, 2048)}
# The paper's width and replicates, and what takes minutes.
_WIDTH = {"quick": 512, "paper": 2048}
_REPLICATES = {"quick": 5, "paper": 10}
_NORMS = {"empirical": "training rows", "population": "new rows"}
# Far above the noise, so that there is much to lose with the first feature.
_COEFFICIENT = 3.0
_NOISE_STD = 0.1
# Enough that the error on new rows is known to a few percent.
_TEST_ROWS = 4000
_MOST_STEPS = 5000
_SCALES = {"weight_scale": 0.99**0.5, "bias_scale": 0.1}
# Within min(1, 1 / largest eigenvalue) for both kernels.
_NETWORK_RATE, _TREE_RATE = 1.0, 0.1


class Bounds:
    """The squared error falls at least as fast as N**(-1/2)."""

    description = Description(
        name="bounds",
        section="5.1",
        shows="squared error at T_max against the number of rows, on training rows and on new "
        "ones, with the fitted exponent beside -1/2",
        minutes={"quick": 1.6, "paper": 3.2},
    )
    models = ("boosting", "network")

    def jobs(
        self, scale: str, models: Sequence[str], n_replicates: int | None, seed: int
    ) -> list[dict[str, Any]]:
        """Return a job per model, number of rows and replicate."""
        n_replicates = n_replicates or _REPLICATES[scale]
        return replicated(scale, models, n_replicates, seed, n_rows=_ROWS[scale])

    def run(self, job: Settings) -> dict[str, Any]:
        """Return the squared errors at T_max in both norms, and T_max."""
        generator = np.random.default_rng([job["seed"], job["replicate"]])
        if job["model"] == "network":
            return network_errors(job["n_rows"], _WIDTH[job["scale"]], generator)
        return tree_errors(job["n_rows"], generator)

    def table(self, records: Sequence[Record]) -> pd.DataFrame:
        """Return the mean error per model, norm and number of rows, with the panel's slope."""
        return table_of_slopes(records, "n_rows", "norm", _NORMS, _summary)

    def figure(self, records: Sequence[Record]) -> Any:
        """Return a panel per model and norm, both axes logarithmic."""
        figure = power_law_figure(records, _NORMS, _draw_panel, width=8.4)
        for axes in figure.axes[-2:]:
            axes.set_xlabel("number of training rows N")
        return figure


def _summary(chosen: pd.DataFrame, norm: str) -> dict[str, float]:
    errors = chosen[norm]
    return {"error": errors.mean(), "spread": errors.std(), "steps": chosen["steps"].mean()}


def _draw_panel(axes: Any, frame: pd.DataFrame, model: str, norm: str) -> None:
    mean = frame.groupby("n_rows")[norm].mean()
    draw_power_law(axes, frame, "n_rows", norm, mean, "mean")
    for exponent, style, label in ((-0.5, "--", "$N^{-1/2}$"), (-1.0, ":", "$N^{-1}$")):
        line = mean.iloc[0] * (mean.index / mean.index[0]) ** exponent
        axes.plot(mean.index, line, style, color="0.2", label=label)
    axes.set_title(f"{MODEL_TITLES[model]}, {norm} norm ({_NORMS[norm]})", fontsize=10)
    if norm == next(iter(_NORMS)):
        axes.set_ylabel("squared error at $T_{max}$")


@dataclass(frozen=True, eq=False)
class _World:
    """Features, what is left to learn without the first, and the first one's variance."""

    draw: Callable[[int], Matrix]
    truth: Callable[[Matrix], Vector]
    mean: float
    variance: float

    @property
    def noise_std(self) -> float:
        """Of y around `truth`: without X1 its part of y is noise as well."""
        return float(np.sqrt(_COEFFICIENT**2 * self.variance + _NOISE_STD**2))

    def rows(self, n_rows: int, generator: np.random.Generator) -> Rows:
        X = self.draw(n_rows)
        # Centred, so that `truth` is also the best prediction without X1.
        signal = self.truth(X) + _COEFFICIENT * (X[:, 0] - self.mean)
        return Rows(X, signal + _NOISE_STD * generator.standard_normal(n_rows))


def network_errors(n_rows: int, width: int, generator: np.random.Generator) -> dict[str, float]:
    """Return the errors of a network with one hidden layer, by full-batch gradient descent."""
    from lukewarm.learners import Network

    world = _World(
        lambda n: generator.standard_normal((n, 3)), random_network(width, generator), 0.0, 1.0
    )
    network = Network(
        (width,),
        **_SCALES,
        optimizer="sgd",
        # The mean squared error has twice the gradient of the paper's loss.
        learning_rate=_NETWORK_RATE / 2,
        batch_size=n_rows,
        seed=int(generator.integers(2**31)),
    )

    def kernel(full: Any, X_removed: Matrix) -> Matrix:
        inputs = full.inputs(X_removed).double().numpy()
        return ntk(inputs, n_hidden_layers=1, **_SCALES) / len(inputs)

    return _errors(network, world, kernel, _NETWORK_RATE, n_rows, generator)


def tree_errors(n_rows: int, generator: np.random.Generator) -> dict[str, float]:
    """Return the errors of our boosting at depth 2 and random strength 10,000."""
    from lukewarm.learners import ObliviousBoosting

    firsts = np.arange(3)
    world = _World(
        lambda n: generator.integers(firsts, firsts + 4, size=(n, 3)).astype(float),
        random_trees(generator),
        1.5,
        1.25,
    )
    boosting = ObliviousBoosting(
        depth=2,
        learning_rate=_TREE_RATE,
        random_strength=1e4,
        seed=int(generator.integers(2**31)),
    )
    return _errors(boosting, world, boosting_kernel, _TREE_RATE, n_rows, generator)


def _errors(
    learner: BaseLearner,
    world: _World,
    kernel: Callable[[Any, Matrix], Matrix],
    rate: float,
    n_rows: int,
    generator: np.random.Generator,
) -> dict[str, float]:
    train, stopping = world.rows(n_rows, generator), world.rows(n_rows, generator)
    full, _ = train_until(learner, train, stopping, Patience(25), 1000)
    removal = Removal.learn(train.X)
    X, X_test = (removal.apply(each, (0,)) for each in (train.X, world.draw(_TEST_ROWS)))
    target, started_at = world.truth(X), full.predict(X)
    matrix = kernel(full, X)
    last = max_theoretical_step(
        kernel_eigenvalues(matrix),
        learning_rate=rate,
        noise_std=world.noise_std,
        rkhs_gap_norm=gap_norm(matrix, started_at - target),
    )
    n_steps = int(min(last, _MOST_STEPS))
    reduced = full.copy(0)
    reduced.advance(X, train.y, n_steps)
    return {
        "empirical": _squared(reduced.predict(X) - target),
        "population": _squared(reduced.predict(X_test) - world.truth(X_test)),
        "dropout": _squared(started_at - target),
        "steps": float(n_steps),
    }


def _squared(difference: Vector) -> float:
    return float(np.mean(difference**2))
