"""Conditional imputation: values of removed columns drawn given the columns that stay.

A numeric column is its guess from the other columns plus residuals of that guess on the stopping
rows, at quantiles whose mean and variance are those of all residuals; several columns take rows of
residuals together. A column of few values or of levels takes each with its predicted probability;
a gap is one more such value, but not where several columns are drawn together. The draws of all
rows share the same residuals, so an average over them is a quadrature rule rather than a noisy
sample.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lukewarm._typing import Draw, FeatureSet, Matrix, Prediction, Vector
from lukewarm.reduction.projection._column_values import (
    codes_of,
    column_of,
    few_values,
    is_value,
)

if TYPE_CHECKING:
    from lukewarm.learners import BaseLearner
    from lukewarm.learners.additive import RidgeFit
    from lukewarm.reduction.projection._prepared_rows import PreparedRows
    from lukewarm.reduction.projection._regressions import Regression, Regressions

# Quantiles of one column's residuals, with their mean and variance: exact for parabolas, and each
# costs a prediction of every row.
_N_NODES = 8
# Rows of residuals of several columns, at least; twice those of one column, by judgement.
_N_JOINT_NODES = 16
# Probabilities below are rounding.
_ROUNDING = 1e-6
# Keeps quotients finite where a column leaves no residual.
_NOTHING = 1e-12


@dataclass(frozen=True, eq=False)
class _Levels:
    """The probabilities of a column's values, given the other columns."""

    column: int
    values: tuple[Any, ...]
    regressions: tuple[Regression, ...]

    def probabilities(self, rows: PreparedRows) -> Matrix:
        raw = np.stack([each.predict(rows) for each in self.regressions], axis=1)
        # A linear probability may leave [0, 1]. Where others determine the column it is 0 or 1: the
        # test divides by what little is left of an effect, so that nothing is too small for it.
        raw = np.clip(np.where(raw < _ROUNDING, 0.0, raw), 0.0, 1.0)
        total = raw.sum(axis=1, keepdims=True)
        return np.where(total > 0, raw / np.where(total > 0, total, 1.0), 1 / raw.shape[1])


@dataclass(frozen=True, eq=False)
class _Quantities:
    """Guesses of numeric columns, and their residuals at the nodes."""

    columns: tuple[int, ...]
    regressions: tuple[Regression, ...]
    nodes: Matrix
    lowest: Vector
    highest: Vector

    def guess(self, rows: PreparedRows) -> Matrix:
        """Return the guesses (n, q); the rows keep those of the last sets of columns."""
        guess = rows.guesses.recall(self)
        if guess is None:
            fitted = np.stack([each.predict(rows) for each in self.regressions], axis=1)
            guess = rows.guesses.keep(fitted, self)
        return guess

    def values(self, rows: PreparedRows) -> Iterator[Matrix]:
        guess = self.guess(rows)
        for node in self.nodes:
            yield self._bounded(guess + node)

    def values_at(self, rows: PreparedRows, shares: Vector) -> dict[int, Vector]:
        """Return the values at shares (n,) of the nodes, by column."""
        n_nodes = len(self.nodes)
        chosen = np.clip(np.ceil(shares * n_nodes).astype(int) - 1, 0, n_nodes - 1)
        values = self._bounded(self.guess(rows) + self.nodes[chosen])
        return dict(zip(self.columns, values.T, strict=True))

    def _bounded(self, values: Matrix) -> Matrix:
        # Beyond the values that were seen the full model would have to extrapolate.
        return np.clip(values, self.lowest, self.highest)


class ConditionalDraws:
    """Draws of the columns in `removed` given the others.

    Parameters
    ----------
    regressions : Regressions
    removed : FeatureSet
    given_without : FeatureSet, optional
        Columns that nothing is guessed from; those drawn by default.
    with_trees : bool, default True
        Whether guesses may have trees.
    """

    def __init__(
        self,
        regressions: Regressions,
        removed: FeatureSet,
        *,
        given_without: FeatureSet | None = None,
        with_trees: bool = True,
    ) -> None:
        self.removed = removed
        self._regressions = regressions
        self._given_without = removed if given_without is None else given_without
        self._with_trees = with_trees
        train = {column: column_of(regressions.train.X, column) for column in removed}
        held_out = {column: column_of(regressions.stopping.X, column) for column in removed}
        values = {column: few_values(train[column]) for column in removed}
        self._levels = [
            self._fit_levels(column, levels, train[column], held_out[column])
            for column, levels in values.items()
            if levels is not None
        ]
        quantities = tuple(column for column in removed if values[column] is None)
        self._quantities = self._fit_quantities(quantities, train, held_out) if quantities else None
        self._gaps: Regression | None = None
        if len(removed) == 1 and quantities and np.isnan(train[removed[0]]).any():
            self._gaps = self._fit_gaps(train[removed[0]], held_out[removed[0]])

    def weighted_values(self, rows: PreparedRows) -> Iterator[Draw]:
        """Yield the weight of each draw (n,), and the values of the removed columns in it."""
        if self._quantities is None and len(self._levels) == 1:
            # A sum over all levels is the mean itself, and no dearer than draws.
            yield from _every_level(self._levels[0], rows)
            return
        n_rows = len(rows)
        n_nodes = _N_JOINT_NODES if self._quantities is None else len(self._quantities.nodes)
        drawn = [
            _at_nodes(levels, rows, n_nodes, place) for place, levels in enumerate(self._levels)
        ]
        quantities = self._quantities.values(rows) if self._quantities else None
        present = np.ones(n_rows)
        if self._gaps is not None and self._quantities is not None:
            # A gap is one more value, with a probability of its own; draws share the rest.
            is_gap = np.clip(self._gaps.predict(rows), 0.0, 1.0)
            present = 1 - is_gap
            yield is_gap, {self._quantities.columns[0]: np.full(n_rows, np.nan)}
        for node in range(n_nodes):
            values = {
                levels.column: each[node] for levels, each in zip(self._levels, drawn, strict=True)
            }
            if quantities is not None and self._quantities is not None:
                matrix = next(quantities)
                values.update(zip(self._quantities.columns, matrix.T, strict=True))
            yield present / n_nodes, values

    def few_values(self, rows: PreparedRows, n_draws: int) -> list[Draw]:
        """Return so many draws of each row, over all rows every one as often as it weighs.

        The shares of a row's distribution are spread evenly over the rows, in an order that has
        nothing to do with theirs.
        """
        n_rows = len(rows)
        evenly = (rows.shuffled + 0.5) / n_rows
        shares = [(draw + evenly) / n_draws for draw in range(n_draws)]
        quantities = self._quantities
        if quantities is not None and not self._levels and self._gaps is None:
            # All nodes weigh the same.
            values = [quantities.values_at(rows, each) for each in shares]
        else:
            values = self._values_at(rows, shares)
        return [(np.full(n_rows, 1 / n_draws), each) for each in values]

    def _values_at(self, rows: PreparedRows, shares: list[Vector]) -> list[dict[int, Any]]:
        """Return the values at shares (n,) of each row's distribution."""
        weighted = list(self.weighted_values(rows))
        numbers = np.arange(len(rows))
        cumulative = np.cumsum([weight for weight, _ in weighted], axis=0)
        values = {
            column: np.stack([np.asarray(each[column]) for _, each in weighted])
            for column in self.removed
        }
        found = []
        for share in shares:
            chosen = np.minimum((cumulative < share).sum(axis=0), len(weighted) - 1)
            found.append({column: values[column][chosen, numbers] for column in self.removed})
        return found

    def average(self, model: BaseLearner, rows: PreparedRows) -> Prediction:
        """Return the weighted mean of the model's predictions over the draws."""
        weighted = list(self.weighted_values(rows))
        average = model.average_draws(rows.X, weighted)
        if average is not None:
            return average
        predictions = model.predict_filled(rows.X, [values for _, values in weighted])
        return np.sum(
            [
                (weight if prediction.ndim == 1 else weight[:, None]) * prediction
                for (weight, _), prediction in zip(weighted, predictions, strict=True)
            ],
            axis=0,
        )

    def central_values(self, rows: PreparedRows) -> dict[int, Any]:
        """Return the guess of each removed column, (n,); of levels the most probable one."""
        values = {}
        for levels in self._levels:
            # By assignment: of levels that are tuples numpy would make another dimension.
            of_codes = np.empty(len(levels.values), dtype=object)
            of_codes[:] = levels.values
            values[levels.column] = of_codes[np.argmax(levels.probabilities(rows), axis=1)]
        if self._quantities is not None:
            guess = self._quantities.guess(rows)
            values.update(zip(self._quantities.columns, guess.T, strict=True))
        return values

    @property
    def has_moments(self) -> bool:
        """Whether the draws are numbers alone, without levels and gaps."""
        return self._quantities is not None and not self._levels and self._gaps is None

    def moments(self, rows: PreparedRows) -> tuple[tuple[int, ...], Matrix, Matrix]:
        """Return the columns drawn, their means (n, q), and the covariance (q, q) of the draws."""
        quantities = self._quantities
        assert quantities is not None
        guess = quantities.guess(rows)
        mean = quantities.nodes.mean(axis=0)
        covariance = np.atleast_2d(np.cov(quantities.nodes.T, bias=True))
        means = np.clip(guess + mean, quantities.lowest, quantities.highest)
        return quantities.columns, means, covariance

    def residuals(self, rows: PreparedRows) -> Matrix:
        """Return what the other columns do not know of the removed ones, shape (n, q).

        A numeric column minus its guess; the indicator of each level minus its probability.
        """
        parts = []
        for levels in self._levels:
            column = column_of(rows.X, levels.column)
            indicators = np.stack([is_value(column, value) for value in levels.values], axis=1)
            parts.append(indicators - levels.probabilities(rows))
        if self._quantities is not None:
            for column, fit in zip(
                self._quantities.columns, self._quantities.regressions, strict=True
            ):
                left = column_of(rows.X, column) - fit.predict(rows)
                # A gap tells nothing of the column that its guess does not.
                parts.append(np.where(np.isnan(left), 0.0, left)[:, np.newaxis])
        return np.concatenate(parts, axis=1)

    def _guess(
        self,
        target: Vector,
        held_out: Vector,
        ridge: RidgeFit | None = None,
        *,
        is_share: bool = False,
        by_rule: bool = False,
    ) -> Regression:
        rule = self._regressions.rule(target, self._given_without) if by_rule else None
        rows = self._regressions.stopping_rows
        if rule is not None and _is_exact(held_out - rule.predict(rows), held_out):
            return rule
        fit = self._regressions.fit(
            target,
            held_out,
            self._given_without,
            ridge=ridge,
            with_trees=self._with_trees,
            # A column has one for every level, and a probability has less to learn.
            with_machine=not is_share,
        )
        if rule is None:
            return fit
        left, by_it = (held_out - each.predict(rows) for each in (fit, rule))
        return rule if self._regressions.helps(left, by_it) else fit

    def _follows_a_rule(self, train: Any, held_out: Any) -> bool:
        codes = codes_of(train, held_out)
        return self._regressions.may_follow_a_rule(codes, self._given_without)

    def _fit_levels(
        self, column: int, values: tuple[Any, ...], train: Any, held_out: Any
    ) -> _Levels:
        is_alone = self._given_without == (column,)
        ridges = self._regressions.level_guesses(column, values) if is_alone else {}
        by_rule = self._follows_a_rule(train, held_out)
        fits = [
            self._guess(
                is_value(train, value),
                is_value(held_out, value),
                ridges.get(value),
                is_share=True,
                by_rule=by_rule,
            )
            for value in values
        ]
        return _Levels(column, values, tuple(fits))

    def _fit_gaps(self, train: Vector, held_out: Vector) -> Regression:
        is_gap, other = (np.isnan(part).astype(float) for part in (train, held_out))
        return self._guess(is_gap, other, is_share=True)

    def _fit_quantities(
        self, columns: tuple[int, ...], train: dict[int, Vector], held_out: dict[int, Vector]
    ) -> _Quantities:
        fits, residuals = [], []
        for column in columns:
            target, other = (
                _without_gaps(part[column], train[column]) for part in (train, held_out)
            )
            is_alone = self._given_without == (column,)
            ridge = self._regressions.line_guess(column) if is_alone else None
            by_rule = self._follows_a_rule(target, other)
            fit = self._guess(target, other, ridge, by_rule=by_rule)
            fits.append(fit)
            residuals.append(other - fit.predict(self._regressions.stopping_rows))
        ends = [(np.nanmin(train[column]), np.nanmax(train[column])) for column in columns]
        lowest, highest = np.array(ends).T
        return _Quantities(
            columns, tuple(fits), _nodes(np.stack(residuals, axis=1)), lowest, highest
        )


def _nodes(residuals: Matrix) -> Matrix:
    """Return residuals (n_nodes, q) with the mean and covariance of all of them (n, q)."""
    n_rows, n_columns = residuals.shape
    mean = residuals.mean(axis=0)
    if n_columns == 1:
        shares = (np.arange(_N_NODES) + 0.5) / _N_NODES
        chosen = np.quantile(residuals, shares, axis=0)
    else:
        n_nodes = min(max(_N_JOINT_NODES, 2 * n_columns + 2), n_rows)
        centred = residuals - mean
        scaled = centred / np.maximum(centred.std(axis=0), _NOTHING)
        # Rows in the order of what varies most in all columns together, at even shares of it.
        first = np.linalg.svd(scaled, full_matrices=False)[0][:, 0]
        places = ((np.arange(n_nodes) + 0.5) / n_nodes * n_rows).astype(int)
        chosen = residuals[np.argsort(first, kind="stable")[places]]
    # A few of the residuals vary less than all of them do.
    centred = chosen - chosen.mean(axis=0)
    wanted = np.atleast_2d(np.cov(residuals.T, bias=True))
    given = np.atleast_2d(np.cov(chosen.T, bias=True))
    return mean + centred @ _matching(given, wanted)


def _matching(given: Matrix, wanted: Matrix) -> Matrix:
    """Return the map that takes one covariance to another; as little as possible where singular."""
    return _power(given, -0.5) @ _power(wanted, 0.5)


def _power(covariance: Matrix, exponent: float) -> Matrix:
    eigenvalues, vectors = np.linalg.eigh(covariance)
    large = eigenvalues > 1e-9 * max(eigenvalues.max(), _NOTHING)
    powers = np.where(large, np.where(large, eigenvalues, 1.0) ** exponent, 0.0)
    return (vectors * powers) @ vectors.T


def _every_level(levels: _Levels, rows: PreparedRows) -> Iterator[Draw]:
    probabilities = levels.probabilities(rows)
    for place, value in enumerate(levels.values):
        yield probabilities[:, place], {levels.column: _repeated(value, len(probabilities))}


def _at_nodes(levels: _Levels, rows: PreparedRows, n_nodes: int, place: int) -> list[Any]:
    """Return the values at stratified quantiles of each row's distribution, a list of (n,)."""
    # Another order of the strata for every column, so that columns are drawn independently.
    order = np.random.default_rng(place).permutation(n_nodes)
    cumulative = np.cumsum(levels.probabilities(rows), axis=1)
    values = np.empty(len(levels.values), dtype=object)
    values[:] = levels.values
    drawn = []
    for node in range(n_nodes):
        share = (order[node] + 0.5) / n_nodes
        codes = np.minimum((cumulative < share).sum(axis=1), len(values) - 1)
        drawn.append(values[codes])
    return drawn


def _is_exact(left: Vector, target: Vector) -> bool:
    """Return whether nothing but rounding is left of a target that varies."""
    return bool(np.mean(np.square(left)) <= _NOTHING * np.var(target) > 0)


def _without_gaps(values: Vector, train: Vector) -> Vector:
    return np.where(np.isnan(values), np.nanmean(train), values)


def _repeated(value: Any, n_rows: int) -> Any:
    """Return one value for all rows, which takes the room of one."""
    one = np.empty(1, dtype=object)
    one[0] = value
    return np.broadcast_to(one, n_rows)
