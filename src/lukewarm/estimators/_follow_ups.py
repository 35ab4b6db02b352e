"""What can be asked after a fit of VariableImportance, with the full models it has trained."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from lukewarm._typing import FeatureSet
from lukewarm._validation import check_count, check_instance
from lukewarm.data import ParquetRows, as_feature_sets, as_groups, check_disjoint
from lukewarm.estimators._base import ImportanceEstimator
from lukewarm.estimators._elimination import elimination_order
from lukewarm.estimators._gains import GainPlan
from lukewarm.estimators._interactions import interaction_frame, leading_pairs, unions
from lukewarm.estimators._prepared import Prepared
from lukewarm.estimators._quality import compare_with_retraining, note_on_gap, spread
from lukewarm.results import EliminationPath, ImportanceResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from typing_extensions import Self


class FollowUps(ImportanceEstimator):
    """Questions to a fitted estimator; none of them trains a full model."""

    _prepared: Prepared
    _asked: dict[str, FeatureSet]
    not_reached_: list[str]
    result_: ImportanceResult
    results_: dict[str, ImportanceResult]

    @abstractmethod
    def _deadline(self) -> float:
        """Return when no further feature set is begun."""

    @abstractmethod
    def _measure(self, sets: dict[str, FeatureSet], deadline: float, *, has_more: bool) -> Any:
        """Measure the sets and add them to the results."""

    @abstractmethod
    def _measured(
        self,
        prepared: Prepared,
        sets: dict[str, FeatureSet],
        deadline: float = np.inf,
        on_error: str = "raise",
    ) -> Any:
        """Return results of the sets by measure, last of three, and leave the fit alone."""

    def fit_more(self, features: Sequence[Any] | None = None) -> Self:
        """Measure further feature sets with the full models of the fit.

        Parameters
        ----------
        features : sequence, optional
            Like the parameter of the estimator; by default those that were not reached before the
            end of `time_limit`, which counts anew, or before a break. Sets that are known already
            are left out.

        Returns
        -------
        VariableImportance
            Itself, with `result_` renewed: the same numbers as one fit for all sets.

        Examples
        --------
        >>> import lukewarm as lw
        >>> data = lw.datasets.make_correlated_linear(n_samples=300, random_state=0)
        >>> vi = lw.VariableImportance("boosting", features=["X1"], random_state=0)
        >>> vi = vi.fit(data.X, data.y).fit_more(["X2", "X3"])
        >>> vi.result_.names
        ('X1', 'X2', 'X3')
        """
        check_is_fitted(self, "result_")
        deadline = self._deadline()
        if features is None:
            sets = {name: self._asked[name] for name in self.not_reached_}
        else:
            problem = self._prepared.problem
            groups = as_groups(self.groups, problem.X, problem.index)
            sets = as_feature_sets(problem.index, features, groups)
        sets = {name: each for name, each in sets.items() if name not in self.result_.names}
        return self._measure(sets, deadline, has_more=True) if sets else self

    def interactions(self, top: int = 10) -> pd.DataFrame:
        """Return how much pairs of the most important feature sets are worth together.

        The models without both of a pair are obtained from the full models of the fit.

        Parameters
        ----------
        top : int, default 10
            All pairs of so many feature sets, the most important ones: 45 pairs of 10.

        Returns
        -------
        DataFrame
            One row per pair, the largest first: the importance of both together, and the
            interaction VI_j + VI_k - VI_jk with its standard error, interval and two-sided
            p-value. Positive where the features need each other, as in a product; negative where
            each can stand for the other; 0 where their effects add up and they know nothing of
            each other.

        Notes
        -----
        The measure of pairs of LOCO scores (iLOCO; Little, Zheng and Allen 2025). Pairs of feature
        sets that share a column are left out. :class:`InteractionImportance` is a fit and this in
        one.

        Examples
        --------
        >>> import lukewarm as lw
        >>> data = lw.datasets.make_correlated_linear(n_samples=500, random_state=0)
        >>> vi = lw.VariableImportance("boosting", inference="paired", random_state=0)
        >>> frame = vi.fit(data.X[["X1", "X2", "X3"]], data.y).interactions(top=2)
        >>> frame[["first", "second"]]
          first second
        0    X1     X2
        """
        check_is_fitted(self, "result_")
        pairs = leading_pairs(self.result_, check_count("top", top, minimum=2))
        if not pairs:
            return interaction_frame(self.result_, None, pairs)
        _, _, results = self._measured(self._prepared, unions(self.result_, pairs))
        return interaction_frame(self.result_, results[self.result_.measure], pairs)

    def gains(self, base: Sequence[Any] = ()) -> pd.DataFrame:
        """Return what each feature set adds to a base set of columns.

        The importance asks what a feature is worth beside all others; a gain, what it adds to those
        one would have anyway. With no base it is what the feature is worth alone (leave one in).
        The models are obtained from the full models of the fit.

        Parameters
        ----------
        base : sequence, default ()
            Columns by name or position. Feature sets that hold one of them are left out.

        Returns
        -------
        DataFrame
            One row per feature set: gain in skill over the model of the base, std_error, ci_low,
            ci_high and p_value (two-sided).

        Examples
        --------
        >>> import lukewarm as lw
        >>> data = lw.datasets.make_correlated_linear(n_samples=300, random_state=0)
        >>> vi = lw.VariableImportance("boosting", inference="paired", random_state=0)
        >>> gains = vi.fit(data.X[["X1", "X2", "X3"]], data.y).gains(base=["X1"])
        >>> gains["feature"].tolist()
        ['X2', 'X3']
        """
        check_is_fitted(self, "result_")
        plan = GainPlan.of(self.result_, self._prepared.problem.index, base)
        _, _, results = self._measured(self._prepared, plan.removed)
        return plan.frame(results[self.result_.measure])

    def eliminate(self) -> EliminationPath:
        """Take feature sets away one after the other, the least needed first.

        The models are obtained from the full models of the fit, which are not trained again.

        Returns
        -------
        EliminationPath
            With `to_frame()`, `select()`, and :func:`lukewarm.plot_elimination` to draw it.

        Examples
        --------
        >>> import lukewarm as lw
        >>> from sklearn.linear_model import LinearRegression
        >>> data = lw.datasets.make_correlated_linear(n_samples=300, random_state=0)
        >>> vi = lw.VariableImportance(LinearRegression(), random_state=0).fit(data.X, data.y)
        >>> vi.eliminate().select()
        ['X1', 'X2', 'X3']
        """
        check_is_fitted(self, "result_")
        sets = dict(zip(self.result_.names, self.result_.removed, strict=True))
        check_disjoint(sets, "feature sets to eliminate")
        order = elimination_order(self._prepared, sets, n_jobs=self.n_jobs, verbose=self.verbose)
        gone: dict[str, FeatureSet] = {}
        removed: FeatureSet = ()
        for name in order:
            removed = gone[name] = tuple(sorted((*removed, *sets[name])))
        _, _, results = self._measured(self._prepared, gone)
        return EliminationPath(tuple(order), results[self.result_.measure])

    def evaluate(self, rows: ParquetRows, without: Any = ()) -> ImportanceResult:
        """Return the importances on all rows of a Parquet dataset, which may not fit into memory.

        The models are those of the fit; on these rows they only predict. Each block of rows is
        read once, by a worker, and only sums over cells of rows are kept.

        Parameters
        ----------
        rows : ParquetRows
        without : array-like of int
            Numbers of rows that are left out: those the fit has learnt from.

        Returns
        -------
        ImportanceResult
            By the first measure, a mean over rows, "r2" or "deviance". `result_` stays as it is.
            Upper limits of feature sets that no model looks at are those of `result_`.

        Notes
        -----
        A cell of some neighbouring rows counts as one group (there are about 4,096), so standard
        errors allow for rows of a cell that depend on each other.

        Examples
        --------
        >>> import tempfile
        >>> import lukewarm as lw
        >>> data = lw.datasets.make_correlated_linear(n_samples=5000, random_state=0)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     data.X.assign(y=data.y).to_parquet(f"{folder}/rows.parquet")
        ...     rows = lw.ParquetRows(folder, target="y")
        ...     sample = rows.sample(1000, random_state=0)
        ...     vi = lw.VariableImportance("boosting", inference="paired", random_state=0)
        ...     result = vi.fit(sample.X, sample.y).evaluate(rows, without=sample.numbers)
        >>> result.n_rows
        4000
        """
        from lukewarm.estimators._blocks import evaluated_on

        check_is_fitted(self, "result_")
        check_instance("rows", rows, ParquetRows)
        if len(self._prepared.runs.whole) > 1:
            raise ValueError(
                "evaluate needs one full model, and this fit has one for each of "
                f"{len(self._prepared.runs.whole)} folds. Fit without cv, on more than 10,000 rows "
                "or with inference='paired'."
            )
        if self.inference == "split":
            raise ValueError(
                "evaluate takes all models on the same rows; fit with inference='paired'."
            )
        if self._prepared.problem.weights is not None:
            raise ValueError("evaluate counts every row alike; fit without sample_weight.")
        numbers = np.unique(np.asarray(without, dtype=int))
        return evaluated_on(
            self._prepared,
            self.result_,
            rows,
            numbers,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        )

    def check(self, n: int = 3) -> pd.DataFrame:
        """Retrain `n` feature sets and return how far off the warm starts are, and what they save.

        The sets are spread from the least to the most important. Where the gap exceeds the
        standard error, `result_` gets a note that says so.

        Parameters
        ----------
        n : int, default 3

        Returns
        -------
        DataFrame
            One row per set: both estimates, the gap, also in standard errors, and the seconds.

        Examples
        --------
        >>> import lukewarm as lw
        >>> data = lw.datasets.make_correlated_linear(n_samples=500, random_state=0)
        >>> vi = lw.VariableImportance(features=["X1", "X3"], random_state=0).fit(data.X, data.y)
        >>> vi.check(1)[["feature", "importance", "retrained"]].shape
        (1, 3)
        """
        check_is_fitted(self, "result_")
        numbers = spread(self.result_, check_count("n", n))
        table = compare_with_retraining(self._prepared, self.result_, numbers, self.n_jobs)
        note = note_on_gap(table)
        self.result_ = replace(self.result_, notes=(note,) if note else ())
        self.results_ = {**self.results_, self.result_.measure: self.result_}
        return table

    @property
    def feature_importances_(self) -> np.ndarray:
        """Importance of each column, none below 0, shape ``(n_features_in_,)``.

        For scikit-learn's `SelectFromModel` and `RFE`, which take the size of a number for its
        worth; a true importance is not negative. Only where every column is a feature set of its
        own. `ImportanceSelector` selects by tests instead.
        """
        check_is_fitted(self, "result_")
        columns = [column for removed in self.result_.removed for column in removed]
        if sorted(columns) != list(range(self.n_features_in_)) or len(self.result_) < len(columns):
            raise AttributeError(
                "feature_importances_ has one number per column, and this fit was asked for other "
                "feature sets; see result_, or fit without features, groups and time_limit."
            )
        importances = np.empty(self.n_features_in_)
        importances[columns] = np.maximum(self.result_.importance, 0.0)
        return importances

    def plot(self, **options: Any) -> Axes:
        """Draw the importances as bars with intervals and return the matplotlib Axes.

        Parameters
        ----------
        **options
            Passed on to :func:`lukewarm.plot_importance`.
        """
        from lukewarm.plotting import plot_importance

        check_is_fitted(self, "result_")
        return plot_importance(self.result_, **options)
