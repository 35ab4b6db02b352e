"""The front on the models and tables people have."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from plain import PLAIN
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.ensemble import (
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import SGDClassifier, SGDRegressor
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import lukewarm as lw
from lukewarm.estimators._quality import note_on_gap
from lukewarm.exceptions import SeenRowsWarning
from lukewarm.learners.boosting import ObliviousBoostingRegressor
from lukewarm.results import UntrainedWarning

pytestmark = pytest.mark.filterwarnings(
    "ignore::lukewarm.HealthWarning",
    "ignore::sklearn.exceptions.ConvergenceWarning",
)


@pytest.fixture(scope="module", name="linear")
def _linear():
    return lw.datasets.make_correlated_linear(n_samples=600, random_state=0)


@pytest.fixture(scope="module", name="mixed")
def _mixed():
    """Numbers, flags and levels with gaps; `kind` and `size` matter, `noise` does not."""
    generator = np.random.default_rng(0)
    n = 500
    level = generator.integers(3, size=n)
    size = generator.normal(size=n)
    frame = pd.DataFrame(
        {
            "size": size,
            "kind": pd.Series(np.array(["u", "v", "w"], dtype=object)[level]),
            "flag": generator.integers(2, size=n).astype(bool),
            "noise": generator.normal(size=n),
        }
    )
    y = 2 * size + np.array([0.0, 3.0, -2.0])[level] + 0.3 * generator.normal(size=n)
    frame.loc[::13, "size"] = np.nan
    frame.loc[::17, "kind"] = None
    return frame, y


def lightgbm_regressor(**settings):
    lightgbm = pytest.importorskip("lightgbm")
    return lightgbm.LGBMRegressor(n_jobs=1, num_leaves=8, **settings)


def xgboost_regressor():
    return pytest.importorskip("xgboost").XGBRegressor(n_jobs=1, max_depth=3)


def catboost_regressor():
    return pytest.importorskip("catboost").CatBoostRegressor(depth=3, thread_count=1)


def skorch_regressor():
    skorch, torch = pytest.importorskip("skorch"), pytest.importorskip("torch")
    net = skorch.NeuralNetRegressor(
        torch.nn.Linear, module__in_features=6, module__out_features=1, max_epochs=60, lr=0.05
    )
    return make_pipeline(StandardScaler(), net)


MODELS = {
    "oblivious": lambda: ObliviousBoostingRegressor(depth=2),
    "lightgbm": lightgbm_regressor,
    "xgboost": xgboost_regressor,
    "catboost": catboost_regressor,
    "hist_gradient_boosting": HistGradientBoostingRegressor,
    "gradient_boosting": lambda: GradientBoostingRegressor(max_depth=2),
    "mlp": lambda: make_pipeline(StandardScaler(), MLPRegressor(learning_rate_init=0.02)),
    "skorch": skorch_regressor,
}


@pytest.mark.parametrize("name", MODELS)
def test_every_engine_tells_a_feature_that_matters_from_one_that_does_not(name, linear):
    vi = lw.VariableImportance(
        MODELS[name](),
        features=["X1", "X5"],
        random_state=0,
        method="early_stopping",
        inference="paired",
    )
    result = vi.fit(linear.X, linear.y).result_
    truth = linear.true_importance((0,))
    assert result.importance[0] > 0.5 * truth
    assert abs(result.importance[1]) < 0.1 * truth


@pytest.mark.parametrize("make", [lightgbm_regressor, catboost_regressor, xgboost_regressor])
def test_frame_array_polars_and_jobs_give_identical_numbers(make, linear):
    polars = pytest.importorskip("polars")
    names = list(linear.X.columns)
    tables = {
        "pandas": linear.X,
        "arrow": linear.X.astype("double[pyarrow]"),
        "array": linear.X.to_numpy(),
        "polars": polars.DataFrame({name: linear.X[name].to_numpy() for name in names}),
    }
    importances = [
        lw.VariableImportance(
            make(),
            features=[0, 4],
            random_state=0,
            n_jobs=n_jobs,
            method="early_stopping",
            inference="paired",
        )
        .fit(X, polars.Series(np.asarray(linear.y)) if kind == "polars" else linear.y)
        .result_.importance
        for n_jobs, (kind, X) in enumerate(tables.items(), start=1)
    ]
    for other in importances[1:]:
        np.testing.assert_array_equal(other, importances[0])


@pytest.mark.parametrize(
    "make",
    [lightgbm_regressor, catboost_regressor, xgboost_regressor, HistGradientBoostingRegressor],
)
def test_levels_and_gaps_are_taken_as_they_are(make, mixed):
    X, y = mixed
    result = (
        lw.VariableImportance(make(), random_state=0, method="early_stopping", inference="paired")
        .fit(X, y)
        .result_
    )
    importance = dict(zip(result.names, result.importance, strict=True))
    assert importance["kind"] > 1
    assert importance["size"] > 1
    assert abs(importance["noise"]) < 0.1 * importance["size"]


def test_a_model_that_takes_no_levels_or_gaps_names_the_columns(mixed):
    X, y = mixed
    with pytest.raises(ValueError, match=r"needs numeric columns.*\['kind'\]"):
        lw.VariableImportance(
            GradientBoostingRegressor(), method="early_stopping", inference="paired"
        ).fit(X, y)
    with pytest.raises(ValueError, match=r"missing values.*\['size'\]"):
        lw.VariableImportance(
            GradientBoostingRegressor(), method="early_stopping", inference="paired"
        ).fit(X[["size", "noise"]], y)


def test_a_removed_column_of_levels_is_one_that_is_constant(mixed):
    X, y = mixed
    make = lightgbm_regressor
    removed = lw.VariableImportance(
        make(), "retrain", features=["kind"], fill={"kind": "w"}, random_state=0, inference="paired"
    ).fit(X, y)
    constant = lw.VariableImportance(
        make(), "retrain", features=["noise"], random_state=0, inference="paired"
    ).fit(X.assign(kind=pd.Categorical(["w"] * len(X), categories=["u", "v", "w"])), y)
    # The full model of the second table never knew the column; rows and rule are the same.
    assert removed.result_.full.value > constant.result_.full.value + 1
    assert removed.result_.reduced[0].value == pytest.approx(constant.result_.full.value, rel=1e-9)


def mixed_pipeline(last):
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    levels = make_pipeline(
        SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore")
    )
    columns = make_column_transformer((numbers, ["size", "flag", "noise"]), (levels, ["kind"]))
    return make_pipeline(columns, last)


@pytest.mark.parametrize("method", ["early_stopping", "retrain", "dropout"])
def test_a_pipeline_is_explained_by_its_input_columns(mixed, method):
    X, y = mixed
    model = mixed_pipeline(lightgbm_regressor())
    result = (
        lw.VariableImportance(model, method, random_state=0, inference="paired").fit(X, y).result_
    )
    assert result.names == ("size", "kind", "flag", "noise")
    assert result.importance[:2].min() > 1
    assert np.abs(result.importance[2:]).max() < 0.2
    assert not hasattr(model[0], "transformers_")


def test_a_pipeline_of_numbers_finds_its_columns_by_name(linear):
    columns = make_column_transformer((StandardScaler(), ["X1", "X2", "X3"]))
    model = make_pipeline(columns, GradientBoostingRegressor(max_depth=2))
    result = lw.VariableImportance(
        model, features=["X1", "X6"], random_state=0, method="early_stopping", inference="paired"
    ).fit(linear.X, linear.y)
    assert result.result_.importance[0] > 0.5
    # Trees know nothing of it; what is left is how ties between splits fall.
    assert abs(result.result_.importance[1]) < 0.01


def test_a_pipeline_that_ends_in_a_module_is_explained(linear):
    torch = pytest.importorskip("torch")
    layers = torch.nn.Sequential(torch.nn.Linear(6, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
    model = make_pipeline(StandardScaler(), layers)
    vi = lw.VariableImportance(
        model,
        features=["X1", "X6"],
        max_steps=60,
        patience=20,  # some draws of the weights need a few epochs to beat the mean
        random_state=0,
        method="early_stopping",
        inference="paired",
    )
    result = vi.fit(linear.X, linear.y).result_
    assert result.importance[0] > 5 * abs(result.importance[1])


def test_several_classes_of_text_are_explained(mixed):
    X, _ = mixed
    labels = np.array(["low", "middle", "high"])[np.digitize(X["size"].fillna(0), [-0.5, 0.5])]
    result = (
        lw.VariableImportance(
            HistGradientBoostingClassifier(),
            random_state=0,
            method="early_stopping",
            inference="paired",
        )
        .fit(X, labels)
        .result_
    )
    assert result.measure == "deviance"
    assert result.importance[0] > 0.5
    assert np.abs(result.importance[1:]).max() < 0.1


@pytest.mark.parametrize("method", ["retrain", "dropout"])
@pytest.mark.parametrize("kind", [RandomForestRegressor, RandomForestClassifier])
def test_a_forest_is_explained_by_retraining_and_dropout(linear, method, kind):
    y = linear.y if kind is RandomForestRegressor else np.where(linear.y > 0, "up", "down")
    model = kind(n_estimators=20, random_state=0)
    result = lw.VariableImportance(
        model, method, features=["X1", "X5"], random_state=0, inference="paired"
    ).fit(linear.X, y)
    assert result.result_.importance[0] > 3 * abs(result.result_.importance[1])


def test_a_forest_says_at_once_that_it_cannot_be_warm_started(linear):
    with pytest.raises(TypeError, match=r"RandomForestRegressor cannot be warm-started.*LightGBM"):
        lw.VariableImportance(
            RandomForestRegressor(), method="early_stopping", inference="paired"
        ).fit(linear.X, linear.y)


def test_a_classifier_without_probabilities_says_so(linear):
    with pytest.raises(TypeError, match="loss='log_loss'"):
        lw.VariableImportance(SGDClassifier(), method="early_stopping", inference="paired").fit(
            linear.X, np.where(linear.y > 0, "a", "b")
        )


def test_the_users_trained_model_is_left_as_it_is(linear):
    model = lightgbm_regressor(n_estimators=30).fit(linear.X, linear.y)
    before, settings = model.predict(linear.X), model.get_params()
    lw.VariableImportance(
        model, features=["X1"], random_state=0, method="early_stopping", inference="paired"
    ).fit(linear.X, linear.y)
    np.testing.assert_array_equal(model.predict(linear.X), before)
    assert model.get_params() == settings


PREFIT = {
    "lightgbm": lambda: lightgbm_regressor(n_estimators=40),
    "xgboost": lambda: xgboost_regressor().set_params(n_estimators=40),
    "catboost": lambda: catboost_regressor().set_params(
        iterations=40, learning_rate=0.1, verbose=False, allow_writing_files=False, random_seed=0
    ),
    "hist_gradient_boosting": lambda: HistGradientBoostingRegressor(max_iter=40),
    "gradient_boosting": lambda: GradientBoostingRegressor(n_estimators=40),
    "pipeline": lambda: make_pipeline(StandardScaler(), GradientBoostingRegressor(n_estimators=40)),
    "mlp": lambda: make_pipeline(
        StandardScaler(), MLPRegressor(learning_rate_init=0.02, max_iter=60)
    ),
    "forest": lambda: RandomForestRegressor(n_estimators=10),
    "oblivious": lambda: ObliviousBoostingRegressor(n_trees=40, depth=2),
}


@pytest.mark.parametrize("name", PREFIT)
def test_a_trained_model_is_explained_as_it_stands(name, linear):
    X, y = linear.X, linear.y
    model = PREFIT[name]().fit(X[:400], y[:400])
    own = model.predict(X[400:])
    method = "dropout" if name == "forest" else "early_stopping"
    vi = lw.VariableImportance(
        model, method, features=["X1", "X5"], prefit=True, random_state=0, inference="paired"
    ).fit(X[:400], y[:400], X_eval=X[400:], y_eval=y[400:])
    assert vi.result_.full.value == pytest.approx(-np.mean((y[400:] - own) ** 2), rel=1e-5)
    assert vi.result_.importance[0] > 5 * abs(vi.result_.importance[1])
    np.testing.assert_array_equal(model.predict(X[400:]), own)


@pytest.mark.parametrize("name", ["lightgbm", "xgboost", "catboost", "hist_gradient_boosting"])
def test_a_model_trained_on_levels_reads_them_as_it_did(name, mixed):
    X, y = mixed
    # An order of the levels that is not the alphabet's: a model may know them by their codes.
    X = X.assign(kind=pd.Categorical(X["kind"].fillna("v"), categories=["w", "u", "v"]))
    model = PREFIT[name]()
    if name == "xgboost":
        model.set_params(enable_categorical=True)
    if name == "catboost":
        model.set_params(cat_features=["kind"])
    model.fit(X[:350], y[:350])
    own = model.predict(X[350:])
    vi = lw.VariableImportance(
        model,
        features=["kind"],
        prefit=True,
        random_state=0,
        method="early_stopping",
        inference="paired",
    ).fit(X[:350], y[:350], X_eval=X[350:], y_eval=y[350:])
    assert vi.result_.full.value == pytest.approx(-np.mean((y[350:] - own) ** 2), rel=1e-5)
    assert vi.result_.importance[0] > 1


@pytest.mark.parametrize("name", ["lightgbm", "xgboost", "gradient_boosting"])
def test_explaining_a_trained_model_equals_training_it_here_on_the_same_rows(name, linear):
    X, y = linear.X, linear.y
    # So few trees that every one of them improves: all are kept.
    model = PREFIT[name]().set_params(n_estimators=12)
    options = {"features": ["X1"], "random_state": 0, "method": "dropout", "inference": "paired"}
    trained_here = lw.VariableImportance(model, patience=40, **options).fit(
        X[:400], y[:400], X_eval=X[400:], y_eval=y[400:]
    )
    full = trained_here._prepared.full_models[0]
    assert full.trace.stopped_step == 12
    rows = full.data.train
    same_draws = np.random.RandomState(full.learner.seed)
    fitted = clone(model).set_params(random_state=same_draws).fit(rows.X, rows.y)
    explained = lw.VariableImportance(fitted, prefit=True, **options).fit(
        X[:400], y[:400], X_eval=X[400:], y_eval=y[400:]
    )
    assert trained_here.result_.importance[0] > 0.5
    np.testing.assert_allclose(
        explained.result_.importance, trained_here.result_.importance, rtol=1e-5
    )


@pytest.mark.parametrize("labels", [("no", "yes"), ("a", "b", "c")])
def test_a_trained_classifier_keeps_its_labels(labels, linear):
    X = linear.X
    y = np.array(labels)[np.digitize(linear.y, [0.0, 2.0][: len(labels) - 1])]
    for model in (
        HistGradientBoostingClassifier(max_iter=30),
        make_pipeline(StandardScaler(), SGDClassifier(loss="log_loss")),
    ):
        fitted = model.fit(X[:400], y[:400])
        vi = lw.VariableImportance(
            fitted,
            features=["X1", "X5"],
            prefit=True,
            random_state=0,
            method="early_stopping",
            inference="paired",
        ).fit(X[:400], y[:400], X_eval=X[400:], y_eval=y[400:])
        assert list(vi.classes_) == list(labels)
        assert vi.result_.importance[0] > 0.05


def test_evaluating_a_trained_model_on_rows_of_its_own_warns(linear):
    model = GradientBoostingRegressor(n_estimators=5).fit(linear.X, linear.y)
    vi = lw.VariableImportance(
        model, "dropout", features=["X1"], prefit=True, random_state=0, inference="paired"
    )
    with pytest.warns(SeenRowsWarning, match="X_eval"):
        vi.fit(linear.X, linear.y)


@pytest.mark.parametrize(
    ("model", "columns", "message"),
    [
        (GradientBoostingRegressor(), ["X1", "X2"], "not fitted"),
        ("boosting", ["X1", "X2"], "needs a trained model"),
        ("fitted", ["X1", "X2", "X3"], "trained on 2 features, but X has 3"),
        ("fitted", ["X2", "X1"], "in their order"),
    ],
)
def test_what_is_no_trained_model_for_these_columns_is_refused(linear, model, columns, message):
    if model == "fitted":
        model = GradientBoostingRegressor(n_estimators=2).fit(linear.X[["X1", "X2"]], linear.y)
    vi = lw.VariableImportance(model, prefit=True, method="early_stopping", inference="paired")
    rows = {"X_eval": linear.X[columns], "y_eval": linear.y}
    with pytest.raises(ValueError, match=message):
        vi.fit(linear.X[columns], linear.y, **rows)


def test_evaluation_rows_must_have_the_columns_of_the_others(linear):
    vi = lw.VariableImportance("boosting", method="early_stopping", inference="paired")
    with pytest.raises(ValueError, match="X_eval must have the columns of X"):
        vi.fit(linear.X, linear.y, X_eval=linear.X[["X1"]], y_eval=linear.y)
    with pytest.raises(ValueError, match="belong together"):
        vi.fit(linear.X, linear.y, X_eval=linear.X)


def test_one_hot_columns_are_one_feature(mixed):
    X, y = mixed
    dummies = pd.get_dummies(X, columns=["kind"])
    result = lw.VariableImportance(**PLAIN, groups="auto").fit(dummies, y).result_
    assert set(result.names) == {"kind", "size", "flag", "noise"}
    assert result.importance[list(result.names).index("kind")] > 1


def test_sets_of_sets_and_clusters_are_explained(linear):
    nested = lw.VariableImportance(**PLAIN, features=[("X1",), ("X1", "X2")])
    result = nested.fit(linear.X, linear.y).result_
    assert result.names == ("X1", "X1 + X2")
    assert result.importance[1] > result.importance[0]
    clusters = lw.VariableImportance(**PLAIN, groups={"correlation": 0.4})
    assert clusters.fit(linear.X, linear.y).result_.names[0] == "X1 + X2"


def test_the_check_retrains_some_sets_and_notes_a_gap(linear):
    vi = lw.VariableImportance(
        lightgbm_regressor(), random_state=0, method="early_stopping", inference="paired"
    ).fit(linear.X, linear.y)
    table = vi.check(n=2)
    assert len(table) == 2
    assert table["importance"].is_monotonic_increasing
    np.testing.assert_allclose(table["gap"], table["importance"] - table["retrained"])
    far = (table["gap_in_std_errors"] > 1).any()
    assert bool(vi.result_.notes) == far


def test_a_gap_beyond_the_standard_error_is_noted():
    table = pd.DataFrame({"feature": ["a", "b"], "gap_in_std_errors": [0.4, 2.25]})
    assert "1 of 2 feature sets checked, in standard errors: b (2.2)" in note_on_gap(table)
    assert note_on_gap(table[:1]) == ""


def test_notes_are_shown_and_survive_saving(linear, tmp_path):
    vi = lw.VariableImportance(**PLAIN, features=["X1"]).fit(linear.X, linear.y)
    noted = replace(vi.result_, notes=("Mind the gap.",))
    assert "Mind the gap." in repr(noted)
    assert "Mind the gap." in noted._repr_html_()
    assert type(noted).load(noted.save(tmp_path / "result")).notes == noted.notes


def weighted_classifiers(weights):
    lightgbm, catboost = pytest.importorskip("lightgbm"), pytest.importorskip("catboost")
    sgd = SGDClassifier(loss="log_loss", alpha=0.01, class_weight=weights)
    return {
        "lightgbm": lightgbm.LGBMClassifier(n_estimators=30, verbose=-1, class_weight=weights),
        "catboost": catboost.CatBoostClassifier(
            iterations=60, learning_rate=0.1, thread_count=1, class_weights=weights
        ),
        "histograms": HistGradientBoostingClassifier(max_iter=30, class_weight=weights),
        "pipeline": make_pipeline(StandardScaler(), sgd),
    }


@pytest.mark.parametrize("name", ["lightgbm", "catboost", "histograms", "pipeline"])
def test_class_weights_by_label_raise_that_class(name):
    generator = np.random.default_rng(0)
    X = generator.normal(size=(600, 2))
    y = np.where(X[:, 0] + generator.normal(size=600) > 1, "yes", "no")
    # The order of the labels says nothing.
    mean_chance = {
        weight: lw.VariableImportance(
            weighted_classifiers(weights)[name],
            features=[0],
            random_state=0,
            method="early_stopping",
            inference="paired",
        )
        .fit(X, y)
        .predictions_.full.mean()
        for weight, weights in (
            (1, None),
            (5, {"yes": 5.0, "no": 1.0}),
            (0.2, {"yes": 0.2, "no": 1.0}),
        )
    }
    assert mean_chance[0.2] < mean_chance[1] - 0.03 < mean_chance[5] - 0.1


def test_class_weights_must_name_the_classes():
    model = HistGradientBoostingClassifier(class_weight={"yes": 5.0, "maybe": 1.0})
    X, y = np.random.default_rng(0).normal(size=(100, 2)), np.repeat(["yes", "no"], 50)
    with pytest.raises(ValueError, match=r"weight to each of the classes .*'no', 'yes'"):
        lw.VariableImportance(model, method="early_stopping", inference="paired").fit(X, y)


def test_a_model_that_never_improves_says_so(linear):
    # Steps of this length throw the weights to and fro.
    model = SGDRegressor(learning_rate="constant", eta0=0.5)
    with pytest.warns(UntrainedWarning, match="no better on the stopping rows after"):
        lw.VariableImportance(
            model,
            features=[0],
            patience=2,
            random_state=0,
            method="early_stopping",
            inference="paired",
        ).fit(linear.X, linear.y)
