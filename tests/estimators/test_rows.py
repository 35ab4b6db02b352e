"""Which rows train and which judge: weights, rows of the user's own, folds, classes, sizes."""

import tracemalloc
import warnings

import joblib
import numpy as np
import pandas as pd
import pytest
from plain import PLAIN
from scipy import sparse
from sklearn.linear_model import Ridge

import lukewarm as lw


@pytest.fixture
def table():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(60, 3))
    return X, X[:, 0] + 0.1 * generator.normal(size=60)


@pytest.fixture
def labels():
    return np.repeat(["a", "b", "c"], [50, 7, 3])


def fit(X, y, *weights, **options):
    rows = {name: options.pop(name) for name in list(options) if name.endswith("_eval")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.NearZeroWarning)
        vi = lw.VariableImportance(**{**PLAIN, "max_steps": 5, **options})
        return vi.fit(X, y, *weights, **rows)


def assert_same(one, other):
    np.testing.assert_array_equal(one.result_.importance, other.result_.importance)
    np.testing.assert_array_equal(one.result_.standard_error, other.result_.standard_error)


def test_a_target_with_the_row_labels_in_another_order_is_told(table):
    X, y = (pd.DataFrame(table[0]), pd.Series(table[1]))
    other = y.sample(frac=1, random_state=0)
    with pytest.warns(lw.exceptions.RowOrderWarning, match=r"pass y\.loc\[X\.index\]"):
        fit(X, other)
    with pytest.warns(lw.exceptions.RowOrderWarning, match=r"pass y_eval\.loc\[X_eval\.index\]"):
        fit(X, y, X_eval=X, y_eval=other)
    with warnings.catch_warnings():
        warnings.simplefilter("error", lw.exceptions.RowOrderWarning)
        fit(X, y.set_axis(y.index + 1000))
        fit(X, other.to_numpy())
        fit(X.sample(frac=1, random_state=0), other)


@pytest.mark.parametrize(
    ("options", "most"),
    [
        ({"cv": 31}, 30),
        ({"cv": 60}, 30),
        ({"cv": 10**6}, 30),
        ({"cv": 16, "inference": "split"}, 15),
    ],
)
@pytest.mark.parametrize("estimator", [lw.VariableImportance, lw.ShapleyImportance])
def test_folds_too_small_for_a_standard_error_are_refused(table, estimator, options, most):
    with pytest.raises(ValueError, match=f"60 rows allow at most {most} folds"):
        estimator(**options).fit(*table)


def test_two_rows_to_a_fold_are_enough(table):
    assert fit(*table, cv=30).result_.standard_error[0] > 0


def test_one_evaluation_row_is_refused_before_training(table):
    with pytest.raises(ValueError, match="at least 2 evaluation rows"):
        fit(*table, train_fraction=0.99)


@pytest.mark.parametrize("n_rows", [0, 1])
def test_evaluation_rows_named_and_not_enough_are_refused(table, n_rows):
    X, y = table
    with pytest.raises(ValueError, match=f"X_eval at least 2.*60 and {n_rows}"):
        fit(X, y, X_eval=X[:n_rows], y_eval=y[:n_rows])


@pytest.mark.parametrize(
    ("X_eval", "y_eval", "message"),
    [
        (np.zeros((9, 3)), np.zeros(8), r"X_eval and y_eval must have the same number.*9.* 8"),
        (np.zeros((9, 2)), np.zeros(9), r"columns of X; X has shape \(60, 3\), X_eval \(9, 2\)"),
    ],
)
def test_evaluation_rows_of_another_shape_are_refused(table, X_eval, y_eval, message):
    with pytest.raises(ValueError, match=message):
        fit(*table, X_eval=X_eval, y_eval=y_eval)


class TestWeights:
    def test_their_size_has_no_meaning(self, table):
        plain = fit(*table)
        assert_same(fit(*table, np.full(60, 1e308)), plain)
        assert_same(fit(*table, np.full(60, 1e-300)), plain)

    def test_a_row_of_weight_zero_is_as_good_as_absent(self, table):
        X, y = table
        weights = np.repeat([1.0, 0.0], [40, 20])
        pairs = [
            (fit(X, y, weights), fit(X[:40], y[:40])),
            (
                fit(X, y, weights, X_eval=X, y_eval=y, sample_weight_eval=weights),
                fit(X[:40], y[:40], X_eval=X[:40], y_eval=y[:40]),
            ),
        ]
        # Means with weights are rounded otherwise.
        for weighted, few in pairs:
            for name in ("importance", "standard_error"):
                one, other = (getattr(each.result_, name) for each in (weighted, few))
                np.testing.assert_allclose(one, other, rtol=1e-12)

    def test_too_few_rows_that_count_are_refused(self, table):
        with pytest.raises(ValueError, match="positive for at least 20 rows of X; it is for 5"):
            fit(*table, np.repeat([1.0, 0.0], [5, 55]))

    def test_rows_to_learn_from_and_rows_to_evaluate_on_may_both_have_them(self, table):
        X, y = table
        rows = {"X_eval": X[:20], "y_eval": y[:20]}
        plain = fit(X, y, **rows)
        judged = fit(X, y, sample_weight_eval=np.arange(20) + 1, **rows)
        trained = fit(X, y, np.arange(60) + 1, **rows)
        both = fit(X, y, np.arange(60) + 1, sample_weight_eval=np.arange(20) + 1, **rows)
        np.testing.assert_array_equal(judged.predictions_.full, plain.predictions_.full)
        np.testing.assert_array_equal(both.predictions_.full, trained.predictions_.full)
        assert not np.array_equal(trained.predictions_.full, plain.predictions_.full)
        assert len({vi.result_.importance[0] for vi in (plain, judged, trained, both)}) == 4

    @pytest.mark.parametrize(
        ("weights", "message"),
        [
            (np.ones(4), "sample_weight_eval must have 5 rows; got 4"),
            (np.zeros(5), "sample_weight_eval must not be zero in every row"),
            (np.eye(5)[0], "at least 2 evaluation rows of positive weight"),
        ],
    )
    def test_weights_of_no_use_are_refused(self, table, weights, message):
        X, y = table
        with pytest.raises(ValueError, match=message):
            fit(X, y, X_eval=X[:5], y_eval=y[:5], sample_weight_eval=weights)

    def test_those_of_rows_that_are_missing_are_refused(self, table):
        with pytest.raises(ValueError, match="belongs to X_eval, which is missing"):
            fit(*table, sample_weight_eval=np.ones(5))

    def test_rows_of_weight_zero_are_left_out_of_the_table_as_given_too(self, table):
        X, y = table
        frame = pd.DataFrame(X).add_prefix("c")
        weights = np.where(np.arange(len(y)) % 3 == 0, 0.0, 1.0)
        kept = weights > 0
        settings = {**PLAIN, "model": Ridge(), "method": "retrain"}
        weighted = lw.VariableImportance(**settings).fit(frame, y, weights).result_
        fewer = lw.VariableImportance(**settings).fit(frame[kept], y[kept]).result_
        assert weighted.importance.max() > 0.1
        np.testing.assert_allclose(weighted.importance, fewer.importance, rtol=0, atol=1e-10)


class TestSizeOfY:
    def test_numbers_whose_squares_overflow_or_vanish_are_refused(self, table):
        X, y = table
        with pytest.raises(ValueError, match=r"y must not exceed 1e\+70"):
            fit(X, y * 1e160)
        with pytest.raises(ValueError, match="y must vary by at least 1e-70"):
            fit(X, y * 1e-160)

    def test_up_to_the_limit_results_scale_along(self, table):
        X, y = table
        plain, large = fit(X, y).result_, fit(X, y * 1e69).result_
        # Rounding of y moves the results by some 1e-16, times the steps taken.
        np.testing.assert_allclose(large.importance[0], plain.importance[0] * 1e138, rtol=1e-10)
        np.testing.assert_allclose(large.p_value()[0], plain.p_value()[0], rtol=1e-6)

    def test_r2_on_a_fold_of_equal_targets_is_refused(self, table):
        y = np.zeros(60)
        y[0] = 1.0
        with pytest.raises(ValueError, match="'r2' needs rows on which y varies"):
            fit(table[0], y, measure="r2", cv=5)


class TestClasses:
    @pytest.mark.parametrize("seed", range(5))
    @pytest.mark.parametrize("options", [{}, {"cv": 3}])
    def test_of_few_rows_are_in_every_part(self, table, labels, options, seed):
        settings = {**PLAIN, "max_steps": 2, "features": [0], "random_state": seed}
        vi = lw.VariableImportance(**settings, **options)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lw.ImportanceWarning)
            vi.fit(table[0], labels)
        for part in vi.predictions_.plan.full_parts:
            assert set(vi.predictions_.y[part]) == {0, 1, 2}
        for full in vi._prepared.full_models:
            assert set(full.data.train.y) == {0, 1, 2}

    def test_of_fewer_rows_than_folds_are_refused(self, table, labels):
        with pytest.raises(ValueError, match="every fold must hold all 3 classes"):
            fit(table[0], labels, cv=5)

    def test_missing_in_the_rows_to_evaluate_on_are_refused(self, table, labels):
        X = table[0]
        with pytest.raises(ValueError, match="all 3 classes of y; one of 20 rows holds 1"):
            fit(X, labels, X_eval=X[:20], y_eval=labels[:20])

    def test_met_in_the_rows_to_evaluate_on_only_are_refused(self, table, labels):
        X = table[0]
        with pytest.raises(ValueError, match="class 'c' of y has 3 of 77 rows, and none is among"):
            fit(X[:57], labels[:57], X_eval=X[40:], y_eval=labels[40:])


class TestForms:
    @pytest.mark.parametrize("form", [sparse.csr_matrix, sparse.csc_array, sparse.coo_array])
    def test_a_sparse_matrix_is_the_table_it_stands_for(self, table, form):
        X, y = np.maximum(table[0], 0), table[1]
        assert_same(fit(form(X), y), fit(X, y))
        rows = {"X_eval": X[:20], "y_eval": y[:20]}
        assert_same(fit(form(X), y, **{**rows, "X_eval": form(X[:20])}), fit(X, y, **rows))

    def test_a_frame_of_sparse_columns_is_the_table_it_stands_for(self, table):
        X, y = np.maximum(table[0], 0), table[1]
        assert_same(fit(pd.DataFrame.sparse.from_spmatrix(sparse.csr_matrix(X)), y), fit(X, y))

    def test_a_sparse_matrix_too_large_to_be_dense_is_refused(self):
        X = sparse.csr_matrix((100_000, 100_000))
        with pytest.raises(ValueError, match=r"would take 74\.5 GiB as one, where at most 2 "):
            fit(X, np.arange(100_000.0))

    def test_masked_values_are_missing_ones(self, table):
        X, y = table
        masked = np.ma.masked_greater(X, 1.0)
        assert_same(fit(masked, y), fit(np.where(X > 1.0, np.nan, X), y))

    @pytest.mark.parametrize("y", [np.arange(60.0), np.repeat(["a", "b"], 30)])
    def test_masked_targets_are_refused(self, table, y):
        masked = np.ma.masked_array(y, mask=np.arange(60) < 7)
        with pytest.raises(ValueError, match=r"y must .* 7 of 60 (values )?are"):
            fit(table[0], masked)

    @pytest.mark.parametrize(
        "form", [np.asarray, pd.DataFrame, np.ndarray.tolist, lambda X: pd.DataFrame(X, dtype="O")]
    )
    def test_complex_numbers_are_refused(self, table, form):
        with pytest.raises(TypeError, match="X must hold real numbers; got complex"):
            fit(form(table[0] + 1j), table[1])

    def test_complex_targets_are_refused(self, table):
        with pytest.raises(TypeError, match="y must hold real numbers; got complex"):
            fit(table[0], table[1] + 1j)

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"features": ["x0", ["x0"]]}, r"features\[1\] is 'x0' again"),
            ({"measure": ["r2", "r2"]}, "different names; got"),
            ({"fill": {"x0": 1.0, 0: 2.0}}, "fill names column 'x0' twice"),
        ],
    )
    def test_what_would_go_under_one_name_is_refused(self, table, options, message):
        with pytest.raises(ValueError, match=message):
            fit(*table, **options)


def test_the_number_of_jobs_may_be_set_for_joblib(table):
    with joblib.parallel_config(n_jobs=2):
        assert_same(fit(*table), fit(*table, n_jobs=1))


def test_memory_grows_with_the_columns_and_not_with_their_square():
    n_columns = 6_000
    generator = np.random.default_rng(0)
    X = generator.normal(size=(40, n_columns))
    fit(X[:, :3], X[:, 0])  # what is compiled and imported once
    tracemalloc.start()
    fit(X, X[:, 0], features=["x0", "x1"])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < n_columns**2 * 8 / 2
