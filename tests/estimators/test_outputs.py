"""Several outputs at once: importances of each, and of all together."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.cross_decomposition import PLSRegression
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression, PoissonRegressor, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.multioutput import MultiOutputClassifier, MultiOutputRegressor, RegressorChain
from sklearn.neighbors import KNeighborsRegressor
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR

import lukewarm as lw

pytestmark = [
    pytest.mark.filterwarnings("ignore::lukewarm.HealthWarning"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]
N_TRAIN = 300


def table(n_rows=480, seed=0):
    """Return columns a, b, c, noise and two outputs: a and b matter to one, c and b to the other.

    The outputs are in very different units.
    """
    generator = np.random.default_rng(seed)
    X = pd.DataFrame(generator.normal(size=(n_rows, 4)), columns=["a", "b", "c", "noise"])
    noise = generator.normal(size=(n_rows, 2))
    y = pd.DataFrame(
        {
            "CO": 2 * X["a"] + X["b"] + 0.5 * noise[:, 0],
            "NOX": 100 * (X["c"] - 2 * X["b"] + 0.5 * noise[:, 1]),
        }
    )
    return X, y


# Shares of variance: 4, 1 of 5.25 and 1, 4 of 5.25.
TRUTH = {
    "CO": {"a": 4 / 5.25, "b": 1 / 5.25, "c": 0.0, "noise": 0.0},
    "NOX": {"a": 0.0, "b": 4 / 5.25, "c": 1 / 5.25, "noise": 0.0},
}


def importances(result):
    return dict(zip(result.names, result.importance, strict=True))


@pytest.fixture(scope="module")
def fitted():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.HealthWarning)
        return lw.VariableImportance(LinearRegression(), random_state=0).fit(*table())


def test_each_output_and_their_mean_are_as_far_from_the_truth_as_their_errors_say(fitted):
    vi = fitted
    assert list(vi.results_) == ["r2", "r2 of CO", "r2 of NOX"]
    assert vi.result_ is vi.results_["r2"]
    truths = {f"r2 of {output}": truth for output, truth in TRUTH.items()}
    truths["r2"] = {name: (TRUTH["CO"][name] + TRUTH["NOX"][name]) / 2 for name in TRUTH["CO"]}
    for name, result in vi.results_.items():
        assert result.measure == name
        for feature, found, error in zip(
            result.names, result.importance, result.standard_error, strict=True
        ):
            assert abs(found - truths[name][feature]) <= 4 * error + 1e-3


def test_the_joint_importance_is_the_mean_and_its_error_knows_what_outputs_share(fitted):
    joint, *each = fitted.results_.values()
    np.testing.assert_allclose(
        joint.importance, np.mean([one.importance for one in each], axis=0), atol=1e-12
    )
    for place in range(len(joint)):
        influence = np.mean(
            [one.full.influence - one.reduced[place].influence for one in each], axis=0
        )
        found = joint.full.influence - joint.reduced[place].influence
        np.testing.assert_allclose(found, influence, atol=1e-12)


def test_an_output_beside_another_is_what_it_is_by_itself():
    X, y = table(n_rows=240)
    both = lw.VariableImportance("boosting", random_state=0).fit(X, y)
    assert "one for each output" in both.result_.model
    for output in y:
        alone = lw.VariableImportance("boosting", measure="r2", random_state=0).fit(X, y[output])
        beside = both.results_[f"r2 of {output}"]
        np.testing.assert_allclose(beside.importance, alone.result_.importance, atol=1e-12)
        np.testing.assert_allclose(beside.standard_error, alone.result_.standard_error, atol=1e-12)
        np.testing.assert_allclose(beside.p_value(), alone.result_.p_value(), atol=1e-12)


@pytest.mark.parametrize("method", ["early_stopping", "retrain", "dropout"])
def test_methods_that_train_treat_an_output_as_if_it_were_alone(method):
    X, y = table(n_rows=200)
    settings = {"features": ["a"], "inference": "paired", "random_state": 0}
    both = lw.VariableImportance("boosting", method, **settings).fit(X, y)
    alone = lw.VariableImportance("boosting", method, "r2", **settings).fit(X, y["CO"])
    beside = both.results_["r2 of CO"]
    assert alone.result_.importance[0] > 0.1
    np.testing.assert_allclose(beside.importance, alone.result_.importance, atol=1e-12)


WHOLE = {
    "RandomForestRegressor": lambda: RandomForestRegressor(30, random_state=0),
    "ExtraTreesRegressor": lambda: ExtraTreesRegressor(30, random_state=0),
    "KNeighborsRegressor": lambda: KNeighborsRegressor(10),
    "Ridge": Ridge,
    "PLSRegression": PLSRegression,
    "MultiOutputRegressor": lambda: MultiOutputRegressor(SVR(C=10)),
    "RegressorChain": lambda: RegressorChain(Ridge()),
    "MLPRegressor": lambda: MLPRegressor(solver="lbfgs", random_state=0),
    "pipeline": lambda: make_pipeline(StandardScaler(), Ridge()),
    "GridSearchCV": lambda: GridSearchCV(Ridge(), {"alpha": [0.1, 1.0]}, cv=3),
}


def scaled(y):
    # A model of both must weigh them alike to learn both.
    return y / y.std()


def check_order(results):
    first, second = importances(results["r2 of CO"]), importances(results["r2 of NOX"])
    assert first["a"] > first["b"] > max(abs(first["c"]), abs(first["noise"]))
    assert second["b"] > second["c"] > max(abs(second["a"]), abs(second["noise"]))
    joint = importances(results["r2"])
    assert joint["noise"] < min(joint[name] for name in "abc")


@pytest.mark.parametrize("name", WHOLE)
def test_a_model_of_both_outputs_is_fitted_as_a_whole_and_tells_them_apart(name):
    X, y = table()
    vi = lw.VariableImportance(WHOLE[name](), inference="paired", random_state=0)
    vi.fit(X, scaled(y))
    assert vi.result_.method == "projection"
    assert "one for each" not in vi.result_.model
    check_order(vi.results_)


@pytest.mark.parametrize("name", WHOLE)
def test_a_trained_model_of_both_outputs_is_explained_as_it_stands(name):
    X, y = table()
    y = scaled(y)
    model = WHOLE[name]().fit(X[:N_TRAIN], y[:N_TRAIN])
    before = model.predict(X)
    vi = lw.VariableImportance(model, prefit=True, random_state=0)
    vi.fit(X[:N_TRAIN], y[:N_TRAIN], X_eval=X[N_TRAIN:], y_eval=y[N_TRAIN:])
    check_order(vi.results_)
    np.testing.assert_array_equal(model.predict(X), before)


def test_a_function_may_return_several_outputs_and_those_it_ignores_a_column_for_are_zero():
    X, y = table()
    vi = lw.VariableImportance(
        lambda rows: np.column_stack(
            [2 * rows["a"] + rows["b"], 100 * (rows["c"] - 2 * rows["b"])]
        ),
        prefit=True,
        random_state=0,
    )
    vi.fit(X[:N_TRAIN], y[:N_TRAIN], X_eval=X[N_TRAIN:], y_eval=y[N_TRAIN:])
    check_order(vi.results_)
    frame = vi.results_["r2 of NOX"].to_frame().set_index("feature")
    # The first output looks at a, the second does not: it may still have missed something.
    assert importances(vi.results_["r2 of CO"])["a"] > 0.5
    assert frame.loc["a", "importance"] == 0.0
    assert 0 < frame.loc["a", "ci_high"] < 0.1
    assert 0.001 < frame.loc["a", "p_value"] < 1


def test_the_joint_test_keeps_its_level_where_no_output_needs_a_column():
    n_sets, flagged = 25, []
    for seed in range(n_sets):
        generator = np.random.default_rng([7, seed])
        X = generator.normal(size=(150, 4))
        # Errors of the outputs go together, so their statistics do.
        shared = generator.normal(size=(150, 1))
        y = X[:, :1] + shared + 0.5 * generator.normal(size=(150, 3))
        vi = lw.VariableImportance("linear", inference="paired", random_state=seed).fit(X, y)
        p_values = vi.result_.p_value()
        assert p_values[0] < 0.01
        flagged += list(p_values[1:] < 0.05)
    # Four standard errors of a share of 75, as if columns were independent.
    assert np.mean(flagged) <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / len(flagged))


def quantile_model(engine):
    if engine == "xgboost":
        xgboost = pytest.importorskip("xgboost")
        return xgboost.XGBRegressor(
            objective="reg:quantileerror", quantile_alpha=[0.2, 0.8], n_estimators=60, n_jobs=1
        )
    catboost = pytest.importorskip("catboost")
    return catboost.CatBoostRegressor(
        loss_function="MultiQuantile:alpha=0.2,0.8",
        iterations=60,
        thread_count=1,
        verbose=False,
        allow_writing_files=False,
    )


def assert_each_quantile_by_its_own_loss(results):
    assert list(results) == [
        "mean over outputs",
        "pinball(0.2) of quantile 0.2",
        "pinball(0.8) of quantile 0.8",
    ]
    for result in results.values():
        found = importances(result)
        assert min(found["level"], found["spread"]) > 0.02 > found["noise"]


@pytest.mark.parametrize("engine", ["xgboost", "catboost"])
def test_several_quantiles_are_outputs_each_by_its_own_loss(engine):
    generator = np.random.default_rng(0)
    X = pd.DataFrame(generator.normal(size=(600, 3)), columns=["level", "spread", "noise"])
    # The spread widens the distribution: both quantiles need it, the level as well.
    y = X["level"] + np.exp(X["spread"]) * generator.normal(size=600)
    vi = lw.VariableImportance(quantile_model(engine), inference="paired", random_state=0)
    results = vi.fit(X, y).results_
    assert vi.result_.method == "early_stopping"
    assert_each_quantile_by_its_own_loss(results)


@pytest.mark.parametrize("engine", ["xgboost", "catboost"])
def test_several_quantiles_of_a_trained_model_are_measured_by_their_losses(engine):
    generator = np.random.default_rng(0)
    X = pd.DataFrame(generator.normal(size=(900, 3)), columns=["level", "spread", "noise"])
    y = X["level"] + np.exp(X["spread"]) * generator.normal(size=900)
    trained = quantile_model(engine).fit(X[:600], y[:600])
    vi = lw.VariableImportance(trained, prefit=True, random_state=0)
    results = vi.fit(X[:600], y[:600], X_eval=X[600:], y_eval=y[600:]).results_
    # Quantiles do not average.
    assert vi.result_.method == "retrain"
    assert_each_quantile_by_its_own_loss(results)


@pytest.mark.parametrize("prefit", [False, True])
def test_catboost_of_several_outputs_is_fitted_with_the_levels_it_was_told_of(prefit):
    catboost = pytest.importorskip("catboost")
    X, y = table(n_rows=200)
    X["kind"] = np.where(X["a"] > 0, "high", "low")
    # scikit-learn cannot clone it, because it copies the list.
    model = catboost.CatBoostRegressor(
        loss_function="MultiRMSE",
        cat_features=["kind"],
        iterations=30,
        thread_count=1,
        verbose=False,
        allow_writing_files=False,
    )
    vi = lw.VariableImportance(model, "retrain", prefit=prefit, features=["b"], random_state=0)
    rows = {"X_eval": X[150:], "y_eval": y[150:]} if prefit else {}
    if prefit:
        model.fit(X[:150], y[:150])
    result = vi.fit(X[:150], y[:150], **rows).result_
    assert (result.method, result.model) == ("retrain", "CatBoostRegressor")
    assert result.importance[0] > 0.02


def test_the_loss_a_model_is_trained_on_measures_each_output():
    X, y = table(n_rows=200)
    counts = np.exp(scaled(y) / 2)
    vi = lw.VariableImportance(PoissonRegressor(), features=["a"], random_state=0).fit(X, counts)
    assert list(vi.results_) == [
        "poisson_deviance",
        "poisson_deviance of CO",
        "poisson_deviance of NOX",
    ]
    with pytest.raises(ValueError, match="does not suit the model's objective"):
        lw.VariableImportance(PoissonRegressor()).fit(X, y)


def test_what_is_asked_after_a_fit_is_asked_of_the_mean():
    X, y = table(n_rows=200)
    vi = lw.VariableImportance("boosting", inference="paired", random_state=0).fit(X, y)
    assert len(vi.interactions(top=3)) == 3
    assert vi.gains(["a"])["feature"].tolist() == ["b", "c", "noise"]
    assert set(vi.eliminate().select()) == {"a", "b", "c"}
    assert set(vi.effects(["a"]).to_frame()["output"]) == {"CO", "NOX"}
    by = vi.results_["r2 of CO"].by(np.where(X["noise"] > 0, "high", "low"))
    assert set(by.to_frame()["segment"]) == {"high", "low"}


def test_shapley_values_of_several_outputs_add_up_for_each():
    X, y = table(n_rows=200)
    sv = lw.ShapleyImportance("boosting", random_state=0).fit(X, y)
    assert list(sv.results_) == ["r2", "r2 of CO", "r2 of NOX"]
    for result in sv.results_.values():
        whole = result.value_of(range(4)).value - result.value_of([]).value
        assert whole > 0.5
        assert result.shapley_value.sum() == pytest.approx(whole, abs=1e-9)


def test_stored_jobs_of_several_outputs_are_read_again(tmp_path):
    X, y = table(n_rows=200)
    settings = {"random_state": 0, "store": tmp_path / "store"}
    first = lw.VariableImportance("boosting", **settings).fit(X, y)
    again = lw.VariableImportance("boosting", **settings).fit(X, y)
    np.testing.assert_array_equal(first.result_.importance, again.result_.importance)
    np.testing.assert_array_equal(first.result_.p_value(), again.result_.p_value())


def test_arrays_have_numbered_outputs_and_one_column_is_one_output():
    X, y = table(n_rows=200)
    several = lw.VariableImportance("linear", random_state=0).fit(X, y.to_numpy())
    assert list(several.results_) == ["r2", "r2 of y0", "r2 of y1"]
    model = MultiOutputRegressor(Ridge())
    one = lw.VariableImportance(model, random_state=0).fit(X, y[["CO"]])
    assert list(one.results_) == ["neg_mse"]


@pytest.mark.parametrize("prefit", [False, True])
@pytest.mark.parametrize(
    ("wrapped", "model"),
    [
        (MultiOutputRegressor(Ridge()), Ridge()),
        (MultiOutputClassifier(LogisticRegression()), LogisticRegression()),
    ],
)
def test_a_wrapper_of_one_output_is_the_model_in_it(wrapped, model, prefit):
    X, y = table()
    target = (y["CO"] > 0).astype(int).to_numpy()
    train, other = slice(None, N_TRAIN), slice(N_TRAIN, None)
    found = []
    for each, values in ((wrapped, target[:, np.newaxis]), (model, target)):
        vi = lw.VariableImportance(each, prefit=prefit, random_state=0)
        if prefit:
            each.fit(X[train], values[train])
            vi.fit(X[train], values[train], X_eval=X[other], y_eval=values[other])
        else:
            vi.fit(X, values)
        found.append(vi.result_)
    assert found[0].importance[0] > 0.03
    np.testing.assert_array_equal(found[0].importance, found[1].importance)
    assert found[0].measure == found[1].measure


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda y: (y > 0).astype(str), "several outputs must be numbers"),
        (lambda y: y.assign(k=1.0), "output 'k': y must not be constant"),
        (lambda y: y.set_axis(["a", "a"], axis=1), "y must have unique column names"),
        (lambda y: np.zeros((len(y), 2, 2)), "one value per row"),
    ],
)
def test_targets_that_cannot_be_outputs_are_refused(change, message):
    X, y = table(n_rows=100)
    with pytest.raises(ValueError, match=message):
        lw.VariableImportance("linear").fit(X, change(y))


@pytest.mark.parametrize("change", [lambda y: y["CO"], lambda y: y[["NOX", "CO"]]])
def test_evaluation_rows_must_have_the_outputs_of_the_others(change):
    X, y = table(n_rows=100)
    with pytest.raises(ValueError, match="y_eval must have the columns of y"):
        lw.VariableImportance("linear").fit(X, y, X_eval=X, y_eval=change(y))


def test_models_of_another_number_of_outputs_are_refused():
    X, y = table(n_rows=100)
    one = Ridge().fit(X, y["CO"])
    with pytest.raises(ValueError, match="must predict 2 values for each"):
        lw.VariableImportance(one, prefit=True).fit(X, y, X_eval=X, y_eval=y)
    with pytest.raises(ValueError, match="2 numbers as y has"):
        lw.VariableImportance(lambda rows: rows["a"], prefit=True).fit(X, y, X_eval=X, y_eval=y)
    both = MultiOutputRegressor(Ridge()).fit(X, y)
    with pytest.raises(ValueError, match="trained on 2 outputs, and y has one column"):
        lw.VariableImportance(both, prefit=True).fit(X, y["CO"], X_eval=X, y_eval=y["CO"])
    torch = pytest.importorskip("torch")
    with pytest.raises(TypeError, match="a function of the rows"):
        lw.VariableImportance(torch.nn.Linear(4, 2)).fit(X, y)
    xgboost = pytest.importorskip("xgboost")
    three = xgboost.XGBRegressor(objective="reg:quantileerror", quantile_alpha=[0.1, 0.5, 0.9])
    with pytest.raises(ValueError, match="3 quantiles, and y has 2 columns"):
        lw.VariableImportance(three).fit(X, y)
