import numpy as np
import pandas as pd
import pytest
from plain import PLAIN
from sklearn.base import clone

import lukewarm as lw
from lukewarm.learners import ObliviousBoosting
from lukewarm.shapley import least_coalitions

pytestmark = [
    pytest.mark.filterwarnings("ignore::lukewarm.HealthWarning"),
    pytest.mark.filterwarnings("ignore::lukewarm.PrecisionWarning"),
]


@pytest.fixture(scope="module")
def linear():
    return lw.datasets.make_correlated_linear(n_samples=600, correlation=0.8, random_state=3)


def fit(data, **options):
    return lw.ShapleyImportance(**{**PLAIN, **options}).fit(data.X, data.y)


def gain_of(result):
    everyone = tuple(range(len(result)))
    return result.value_of(everyone).value - result.value_of(()).value


@pytest.mark.parametrize("options", [{}, {"n_coalitions": 30}])
def test_hits_the_population_values_of_correlated_features(options):
    data = lw.datasets.make_correlated_linear(n_samples=4000, correlation=0.8, random_state=1)
    truth = data.true_shapley()
    # Independent features would get their squared coefficients.
    assert abs(truth[0] - 1.5**2) > 0.1
    result = fit(data, **options).result_
    assert (np.abs(result.shapley_value - truth) <= 4 * result.standard_error + 0.01).all()


def test_few_players_are_exact_with_boosting(linear):
    result = fit(linear).result_
    assert result.solver == "exact"
    assert result.n_fits == 2**6 - 2
    assert not result.sampling_error.any()


@pytest.mark.parametrize("solver", ["regression_adjusted", "kernel", "permutation", "marginal"])
def test_every_solver_is_efficient_and_near_exact(linear, solver):
    exact = fit(linear).result_
    result = fit(linear, solver=solver, n_coalitions=40).result_
    assert result.n_fits <= 40
    assert result.shapley_value.sum() == pytest.approx(gain_of(result), abs=1e-10)
    gap = np.abs(result.shapley_value - exact.shapley_value)
    assert gap.max() > 1e-8
    # Five permutations do not tell the error of each value well, but that of the worst.
    assert gap.max() <= 4 * result.sampling_error.max()


def test_empty_coalition_is_the_mean_of_the_training_rows(linear):
    result = fit(linear, method="retrain", n_coalitions=24).result_
    # neg_mse of a constant: about minus the variance of y.
    assert result.value_of(()).value == pytest.approx(-np.var(linear.y), rel=0.2)


@pytest.mark.parametrize("options", [{}, {"n_coalitions": 30}, {"tolerance": 0.1}])
def test_n_jobs_changes_no_number(linear, options):
    model = ObliviousBoosting(random_strength=1.0)
    one, two = (fit(linear, model=model, n_jobs=jobs, **options).result_ for jobs in (1, 2))
    assert one.coalitions == two.coalitions
    np.testing.assert_array_equal(one.values, two.values)
    np.testing.assert_array_equal(one.weights, two.weights)


def test_n_jobs_changes_no_number_of_projections(linear):
    options = {"method": "projection", "inference": "auto", "features": ["X1", "X2", "X3"]}
    one, two = (fit(linear, n_jobs=jobs, **options).result_ for jobs in (1, 2))
    assert one.shapley_value[0] > 0.1
    np.testing.assert_array_equal(one.values, two.values)
    np.testing.assert_array_equal(one.influence, two.influence)


def test_learning_curve_intervals_reach_farther_where_squares_are_skewed_to(linear):
    options = {"method": "projection", "inference": "learning_curve", "features": ["X1", "X2"]}
    result = fit(linear, **options).result_
    # What a feature explains is a mean of squares: rows with large ones are rare.
    influence = result.shapley_influence[0]
    assert np.mean(influence**3) > 0.5 * np.mean(influence**2) ** 1.5
    low, high = result.interval()
    value = result.shapley_value
    assert high[0] - value[0] > 1.1 * (value[0] - low[0])
    # Never narrower than what the shift and the sampling of coalitions leave.
    others = 1.95 * np.hypot(result.shift, result.sampling_error)
    assert (value - low >= others).all()
    assert (high - value >= others).all()


@pytest.mark.parametrize("solver", ["regression_adjusted", "kernel", "permutation", "marginal"])
def test_fit_more_equals_one_longer_run(linear, solver):
    grown = fit(linear, solver=solver, n_coalitions=36)
    before = grown.result_.shapley_value
    grown.fit_more(18)
    whole = fit(linear, solver=solver, n_coalitions=54)
    assert not np.array_equal(before, whole.result_.shapley_value)
    assert grown.result_.coalitions == whole.result_.coalitions
    np.testing.assert_array_equal(grown.result_.shapley_value, whole.result_.shapley_value)
    np.testing.assert_array_equal(grown.result_.standard_error, whole.result_.standard_error)


def test_fit_more_fits_only_what_is_new(linear):
    estimator = fit(linear, n_coalitions=24)
    known = dict(estimator._run.game.fitted)
    estimator.fit_more(10)
    assert len(estimator._run.game.fitted) == len(known) + 10
    assert all(estimator._run.game.fitted[each] is fitted for each, fitted in known.items())


@pytest.mark.parametrize("n_features", [1, 2, 3])
@pytest.mark.parametrize("options", [{}, {"solver": "regression_adjusted", "tolerance": 0.05}])
def test_few_features_work(linear, n_features, options):
    X = linear.X.iloc[:, :n_features]
    result = lw.ShapleyImportance(**PLAIN, **options).fit(X, linear.y).result_
    assert len(result) == n_features
    assert result.shapley_value.sum() == pytest.approx(gain_of(result), abs=1e-10)


def test_groups_play_as_one(linear):
    result = fit(linear, groups={"pair": ["X1", "X2"]}).result_
    assert result.names == ("pair", "X3", "X4", "X5", "X6")
    assert result.players[0] == (0, 1)
    alone = fit(linear).result_
    # Two players that become one keep about their sum: the pair's interaction stays inside.
    assert result.shapley_value[0] == pytest.approx(alone.shapley_value[:2].sum(), rel=0.1)


def test_columns_that_do_not_play_are_always_kept(linear):
    result = fit(linear, features=["X1", "X3"]).result_
    assert result.coalitions == ((), (0,), (1,), (0, 1))
    # Without both players X2 is left, which knows most of X1.
    assert result.value_of(()).value > -0.9 * np.var(linear.y)


def test_players_must_not_share_columns(linear):
    with pytest.raises(ValueError, match="players must not share columns"):
        fit(linear, features=["X1", ("X1", "X2")])


def test_tolerance_decides_how_many_are_fitted(linear):
    rough = fit(linear, tolerance=0.2).result_
    fine = fit(linear, tolerance=0.003).result_
    assert rough.n_fits < fine.n_fits
    for result, tolerance in ((rough, 0.2), (fine, 0.003)):
        spread = np.ptp(result.shapley_value)
        assert result.sampling_error.max() <= tolerance * spread


@pytest.mark.filterwarnings("default::lukewarm.PrecisionWarning")
def test_warns_when_the_rows_cannot_give_the_precision(linear):
    with pytest.warns(lw.PrecisionWarning, match="more coalitions cannot lower them"):
        fit(linear, tolerance=0.005)


def test_measures_share_the_models(linear):
    estimator = fit(linear, measure=["neg_mse", "r2"], n_coalitions=30)
    mse, r2 = estimator.results_["neg_mse"], estimator.results_["r2"]
    assert mse.coalitions == r2.coalitions
    np.testing.assert_array_equal(estimator.result_.values, mse.values)
    # R2 is the error over the variance on the evaluation rows, so the shares are the same.
    np.testing.assert_allclose(
        r2.shapley_value / r2.shapley_value.sum(), mse.shapley_value / mse.shapley_value.sum()
    )


@pytest.mark.parametrize("n_classes", [2, 3])
def test_classes_are_explained(linear, n_classes):
    labels = pd.qcut(linear.y, n_classes, labels=list("abc")[:n_classes]).astype(str)
    estimator = lw.ShapleyImportance(**PLAIN, n_coalitions=24).fit(linear.X, labels)
    assert estimator.result_.measure == "deviance"
    assert np.argmin(estimator.result_.shapley_value) >= 3
    assert estimator.result_.shapley_value.max() > 0.1


def test_categories_are_explained():
    generator = np.random.default_rng(0)
    kind = generator.choice(list("abc"), size=300)
    X = pd.DataFrame({"kind": kind, "x": generator.normal(size=300)})
    y = (kind == "a") * 3.0 + X["x"]
    catboost = pytest.importorskip("catboost").CatBoostRegressor(depth=2, thread_count=1)
    result = (
        lw.ShapleyImportance(
            model=catboost, random_state=0, method="early_stopping", inference="paired"
        )
        .fit(X, y)
        .result_
    )
    assert result.shapley_value.min() > 0.3


def test_cross_fitting_judges_every_row(linear):
    result = fit(linear, cv=3, n_coalitions=24).result_
    assert result.influence.shape[1] == len(linear.y)
    assert result.shapley_value.sum() == pytest.approx(gain_of(result), abs=1e-10)


def test_split_has_wider_intervals_around_the_same_values(linear):
    paired = fit(linear, n_coalitions=30).result_
    split = fit(linear, n_coalitions=30, inference="split").result_
    assert split.with_rows.sum() == pytest.approx(len(split.with_rows) / 2, abs=1)
    assert (split.data_error[3:] > paired.data_error[3:]).all()
    assert split.shapley_value.sum() == pytest.approx(gain_of(split), abs=1e-10)


def test_trained_models_are_explained_on_the_rows_named(linear):
    catboost = pytest.importorskip("catboost").CatBoostRegressor(
        depth=3, iterations=100, learning_rate=0.1, thread_count=1, verbose=0
    )
    seen, unseen = slice(0, 400), slice(400, 600)
    model = catboost.fit(linear.X[seen], linear.y[seen])
    result = (
        lw.ShapleyImportance(
            model=model,
            prefit=True,
            n_coalitions=24,
            random_state=0,
            method="early_stopping",
            inference="paired",
        )
        .fit(linear.X[seen], linear.y[seen], X_eval=linear.X[unseen], y_eval=linear.y[unseen])
        .result_
    )
    assert result.influence.shape[1] == 200
    assert result.shapley_value[:3].min() > 0.5
    assert np.abs(result.shapley_value[3:]).max() < 0.2


def test_result_is_saved_and_loaded(linear, tmp_path):
    result = fit(linear, n_coalitions=24).result_
    again = lw.ShapleyResult.load(result.save(tmp_path / "shapley.npz"))
    assert again.to_frame().equals(result.to_frame())
    assert again.value_of(["X1", "X2", "X3", "X4", "X5", "X6"]).value == result.values[1]


def test_history_ends_with_the_result(linear):
    result = fit(linear, n_coalitions=60).result_
    assert len(result.history_sizes) == 3
    assert (np.diff(result.history_sizes) >= 0).all()
    np.testing.assert_allclose(result.history_values[-1], result.shapley_value)


def test_parameters_obey_scikit_learn():
    estimator = lw.ShapleyImportance(
        solver="kernel",
        n_coalitions=50,
        model="boosting",
        method="early_stopping",
        inference="paired",
    )
    assert clone(estimator).get_params() == estimator.get_params()
    assert estimator.set_params(tolerance=0.1).tolerance == 0.1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_coalitions": 10, "tolerance": 0.1}, "n_coalitions or tolerance, not both"),
        ({"solver": "exact", "n_coalitions": 10}, "fits every coalition; leave out n_coalitions"),
        ({"solver": "shap"}, "solver must be one of 'auto', 'exact'"),
        ({"tolerance": 0.0}, "tolerance must be greater than 0"),
        ({"n_coalitions": 23}, "n_coalitions must be at least 24 for the solver 'regression_adj"),
        ({"solver": "marginal", "n_coalitions": 20}, "n_coalitions must be at least 36"),
    ],
)
def test_refuses_what_contradicts_itself(linear, options, message):
    with pytest.raises(ValueError, match=message):
        fit(linear, **options)


def test_refuses_too_few_coalitions_before_it_trains(linear):
    class Untrainable(ObliviousBoosting):
        def advance(self, *arguments, **options):
            raise AssertionError("trained")

    with pytest.raises(ValueError, match="n_coalitions must be at least 24"):
        fit(linear, model=Untrainable(), n_coalitions=8)


@pytest.mark.parametrize("solver", ["regression_adjusted", "kernel", "permutation", "marginal"])
@pytest.mark.parametrize("seed", range(3))
def test_the_fewest_coalitions_give_sane_values_and_honest_errors(linear, solver, seed):
    exact = fit(linear).result_
    few = least_coalitions(solver, 6)
    result = fit(linear, solver=solver, n_coalitions=few, random_state=seed).result_
    assert result.shapley_value.sum() == pytest.approx(gain_of(result), abs=1e-10)
    # Another seed has another split and model: the data errors of both count.
    allowed = 4 * np.hypot(result.standard_error, exact.standard_error)
    assert (np.abs(result.shapley_value - exact.shapley_value) <= allowed).all()
    assert np.abs(result.shapley_value).max() <= 2 * gain_of(result)


def test_refuses_to_enumerate_many_features():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(60, 25))
    with pytest.raises(ValueError, match="25 players need 2"):
        lw.ShapleyImportance(
            solver="exact", model="boosting", method="early_stopping", inference="paired"
        ).fit(X, X[:, 0])
