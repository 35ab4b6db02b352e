"""Models that know their columns by name, or by dtype, get the frame they were made for."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import GradientBoostingRegressor, HistGradientBoostingRegressor
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

import lukewarm as lw
from lukewarm.data import Removal

pytestmark = pytest.mark.filterwarnings("ignore::lukewarm.HealthWarning")

N_ROWS, N_TRAIN = 400, 300


def table():
    """`a b` and the levels of `code` matter, the others do not."""
    generator = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "a b": generator.normal(size=N_ROWS),
            "code": generator.integers(4, size=N_ROWS),
            "c": generator.normal(size=N_ROWS),
            "é": generator.normal(size=N_ROWS),
        }
    )
    noise = 0.1 * generator.normal(size=N_ROWS)
    return X, X["a b"] + np.array([0.0, 2.0, -1.0, 1.0])[X["code"]] + noise


def histograms(**settings):
    return HistGradientBoostingRegressor(max_iter=40, **settings)


def lightgbm(**settings):
    engine = pytest.importorskip("lightgbm")
    return engine.LGBMRegressor(n_estimators=40, n_jobs=1, verbose=-1, **settings)


def xgboost(**settings):
    engine = pytest.importorskip("xgboost")
    return engine.XGBRegressor(n_estimators=40, n_jobs=1, max_depth=3, **settings)


def catboost(**settings):
    return pytest.importorskip("catboost").CatBoostRegressor(
        iterations=40,
        learning_rate=0.1,
        thread_count=1,
        verbose=False,
        allow_writing_files=False,
        **settings,
    )


def by_output_names(last):
    """The model sees the columns under the names the transformer gives them."""
    columns = make_column_transformer(
        (StandardScaler(), ["a b", "c"]), remainder="passthrough", verbose_feature_names_out=False
    )
    return make_pipeline(columns.set_output(transform="pandas"), last)


BY_NAME = {
    "histograms, categories": lambda: histograms(categorical_features=["code"]),
    "histograms, monotone": lambda: histograms(monotonic_cst={"a b": 1, "c": -1}),
    "lightgbm, blanks": lightgbm,
    "lightgbm, monotone": lambda: lightgbm(monotone_constraints=[1, 0, 0, 0]),
    "xgboost, monotone": lambda: xgboost(monotone_constraints={"a b": 1}),
    "xgboost, interactions": lambda: xgboost(interaction_constraints=[["a b", "code"], ["c", "é"]]),
    "catboost, categories": lambda: catboost(cat_features=["code"]),
    "catboost, monotone": lambda: catboost(monotone_constraints={"a b": 1}),
    "catboost, monotone as text": lambda: catboost(monotone_constraints="a b:1"),
    "catboost, ignored": lambda: catboost(ignored_features=["c"]),
    "catboost, weights": lambda: catboost(feature_weights={"c": 0.5}),
    "pipeline, output names": lambda: by_output_names(histograms(categorical_features=["code"])),
    "pipeline, constraints": lambda: by_output_names(xgboost(monotone_constraints={"c": 1})),
}


def explain_trained(model, X, y, **options):
    """Return the result, and the skill the model has by itself on the evaluation rows."""
    model.fit(X[:N_TRAIN], y[:N_TRAIN])
    own = -np.mean((y[N_TRAIN:] - model.predict(X[N_TRAIN:])) ** 2)
    options = {"method": "early_stopping", "symmetric": False, "random_state": 0, **options}
    vi = lw.VariableImportance(model, prefit=True, **options)
    vi.fit(X[:N_TRAIN], y[:N_TRAIN], X_eval=X[N_TRAIN:], y_eval=y[N_TRAIN:])
    return vi.result_, own


@pytest.mark.parametrize("name", BY_NAME)
def test_an_engine_finds_its_columns_by_name(name):
    X, y = table()
    result = (
        lw.VariableImportance(
            BY_NAME[name](), random_state=0, method="early_stopping", inference="paired"
        )
        .fit(X, y)
        .result_
    )
    assert result.importance[:2].min() > 0.5
    assert np.abs(result.importance[2:]).max() < 0.1


@pytest.mark.parametrize("name", BY_NAME)
def test_a_trained_engine_finds_its_columns_by_name(name):
    X, y = table()
    result, own = explain_trained(BY_NAME[name](), X, y)
    assert result.full.value == pytest.approx(own, rel=1e-5)
    assert result.importance[:2].min() > 0.5
    assert np.abs(result.importance[2:]).max() < 0.1


def test_a_constraint_by_name_holds_its_own_column_and_no_other():
    X, y = table()
    for make in (
        lambda: histograms(monotonic_cst={"a b": -1}),
        lambda: xgboost(monotone_constraints={"a b": -1}),
        lambda: catboost(monotone_constraints={"a b": -1}),
    ):
        result = (
            lw.VariableImportance(make(), "retrain", random_state=0, inference="paired")
            .fit(X, y)
            .result_
        )
        # It may only fall in the column that matters by rising, so it cannot use it.
        assert abs(result.importance[0]) < 0.1
        assert result.importance[1] > 0.5


def test_a_constraint_on_a_column_that_is_not_there_names_it():
    X, y = table()
    model = xgboost(monotone_constraints={"height": 1})
    with pytest.raises(ValueError, match=r"monotone_constraints.*'height'.*'a b'"):
        lw.VariableImportance(model, method="early_stopping", inference="paired").fit(X, y)
    with pytest.raises(ValueError, match=r"monotone_constraints.*'a b'.*array"):
        lw.VariableImportance(
            xgboost(monotone_constraints={"a b": 1}), method="early_stopping", inference="paired"
        ).fit(X.to_numpy(), y)


@pytest.mark.parametrize("make", [histograms, lightgbm, xgboost, catboost])
@pytest.mark.parametrize(
    "labels",
    [
        ["[a]<b", "{c}:d,e", "é ü", "中文"],
        [3, 1, 0, 2],
        ["a", 1, "b", 2.5],
        pd.MultiIndex.from_product([["p", "q"], ["r", "s"]]),
    ],
    ids=["odd", "integers", "mixed", "levels"],
)
def test_names_of_any_kind_never_change_a_number(make, labels):
    X, y = table()
    options = {"method": "early_stopping", "inference": "paired", "random_state": 0}
    plain = lw.VariableImportance(make(), **options).fit(X.to_numpy(), y).result_
    named = lw.VariableImportance(make(), **options).fit(X.set_axis(labels, axis=1), y).result_
    np.testing.assert_array_equal(named.importance, plain.importance)


@pytest.mark.parametrize("make", [histograms, xgboost, catboost, lightgbm])
def test_a_model_trained_on_integer_names_is_explained(make):
    X, y = table()
    result, own = explain_trained(make(), X.set_axis([3, 1, 0, 2], axis=1), y, features=[3, 2])
    assert result.full.value == pytest.approx(own, rel=1e-5)
    assert result.names == ("3", "2")
    assert result.importance[0] > 0.5
    assert abs(result.importance[1]) < 0.1


def test_integer_names_are_no_positions_of_catboosts_categories():
    X, y = table()
    X = X.assign(code=X["code"].astype("category")).set_axis([3, 2, 0, 1], axis=1)
    result = (
        lw.VariableImportance(
            catboost(), features=[2, 1], random_state=0, method="early_stopping", inference="paired"
        )
        .fit(X, y)
        .result_
    )
    assert result.importance[0] > 0.5
    assert abs(result.importance[1]) < 0.1


@pytest.mark.parametrize("is_trained", [False, True])
def test_catboost_reads_its_text_features(is_trained):
    X, y = table()
    texts = np.array(["small red house", "large blue house", "tall tree", "an old tree"])
    X = X.assign(code=pd.Series(texts[X["code"]], dtype=object))
    model = catboost(text_features=["code"])
    if is_trained:
        result, own = explain_trained(model, X, y)
        assert result.full.value == pytest.approx(own, rel=1e-5)
    else:
        result = (
            lw.VariableImportance(
                model, random_state=0, method="early_stopping", inference="paired"
            )
            .fit(X, y)
            .result_
        )
    assert result.importance[:2].min() > 0.5
    assert np.abs(result.importance[2:]).max() < 0.1


def test_xgboost_keeps_the_kinds_of_columns_the_user_set():
    X, y = table()
    model = xgboost(feature_types=["q", "c", "q", "q"], enable_categorical=True)
    result, own = explain_trained(model, X, y)
    assert result.full.value == pytest.approx(own, rel=1e-5)
    assert result.importance[1] > 0.5


def dtypes_table():
    """Text, whole numbers, flags, single precision, dates; only text and hour matter."""
    X, _ = table()
    day = pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(N_ROWS) * 7, unit="h")
    X = X.assign(
        kind=pd.Series(np.random.default_rng(1).choice(["u", "v"], size=N_ROWS), dtype=object),
        flag=X["c"] > 0,
        single=X["é"].astype("float32"),
        day=pd.Series(day).dt.tz_localize("UTC").dt.tz_convert("Europe/Rome"),
    )
    return X, (X["kind"] == "u") * 2.0 + X["day"].dt.hour / 6


SEEN = []


def look(X):
    SEEN.append(dict(X.dtypes))
    return X.assign(day=X["day"].dt.hour)


@pytest.mark.parametrize("method", ["early_stopping", "retrain"])
@pytest.mark.parametrize("is_trained", [False, True])
def test_a_pipeline_gets_the_dtypes_it_was_made_for(method, is_trained):
    X, y = dtypes_table()
    SEEN.clear()
    columns = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_include="object")),
        remainder="passthrough",
    )
    model = make_pipeline(FunctionTransformer(look), columns, lightgbm())
    if is_trained:
        result, own = explain_trained(model, X, y, method=method)
        assert result.full.value == pytest.approx(own, rel=1e-5)
    else:
        result = (
            lw.VariableImportance(model, method, random_state=0, inference="paired")
            .fit(X, y)
            .result_
        )
    # Of a removed column, whole numbers and flags become a mean; all other dtypes stay.
    for name, dtype in X.dtypes.items():
        kept = {dtype, np.dtype(float)} if name in ("code", "flag") else {dtype}
        assert {dtypes[name] for dtypes in SEEN} <= kept
    importance = dict(zip(result.names, result.importance, strict=True))
    assert min(importance.pop("kind"), importance.pop("day")) > 0.5
    assert max(map(abs, importance.values())) < 0.2


def test_a_date_that_is_removed_stays_a_date_at_the_mean():
    X, _ = dtypes_table()
    removal = Removal.learn(X)
    filled = removal.apply(X, (list(X).index("day"), list(X).index("flag")))
    assert filled["day"].dtype == X["day"].dtype
    assert abs(filled["day"].iloc[0] - X["day"].mean()) < pd.Timedelta(seconds=1)
    assert filled["flag"].iloc[0] == pytest.approx(X["flag"].mean())
    assert X["flag"].dtype == bool


def test_any_estimator_that_chooses_columns_by_name_is_retrained():
    X, y = table()
    columns = make_column_transformer((OneHotEncoder(), ["code"]), ("passthrough", ["a b"]))

    class Named(LinearRegression):
        def fit(self, X, y):
            assert list(X.columns) == ["a b", "code", "c", "é"]
            return super().fit(columns.fit_transform(X), y)

        def predict(self, X):
            return super().predict(columns.transform(X))

    result = (
        lw.VariableImportance(Named(), "retrain", random_state=0, inference="paired")
        .fit(X, y)
        .result_
    )
    assert result.importance[:2].min() > 0.5


@pytest.mark.parametrize(
    "make", [histograms, lightgbm, xgboost, catboost, GradientBoostingRegressor, "scaled"]
)
def test_no_engine_complains_of_names_it_did_not_get(make):
    X, y = table()
    model = make_pipeline(StandardScaler(), histograms()) if make == "scaled" else make()
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*feature names.*")
        explain_trained(model, X, y, features=["a b"])


def test_trees_that_split_no_level_still_know_which_column_is_which(generator):
    # scikit-learn moves categorical columns to the front before it numbers them.
    X = np.column_stack([generator.normal(size=(300, 2)), generator.integers(3, size=300)])
    y = 2 * X[:, 0] - X[:, 1] ** 2
    model = HistGradientBoostingRegressor(categorical_features=[2], max_leaf_nodes=3)
    learner = lw.learners.HistGradientBoostingLearner(model)
    learner.advance(X, y, 10)
    first = learner.predict(X)
    assert np.mean((first - y) ** 2) < 0.5 * np.var(y)
    for _ in range(4):
        again = learner.copy()
        again._margins.forget()
        np.testing.assert_array_equal(again.predict(X), first)


CODED = {
    "lightgbm": lambda: lightgbm(categorical_feature=[1]),
    "xgboost": lambda: xgboost(feature_types=["q", "c"], enable_categorical=True),
    "catboost": lambda: catboost(cat_features=[1]),
    "catboost, name": lambda: catboost(cat_features=["code"]),
    "histograms": lambda: histograms(categorical_features=[1]),
    "histograms, name": lambda: histograms(categorical_features=["code"]),
    "histograms, flags": lambda: histograms(categorical_features=[False, True]),
}


@pytest.mark.parametrize("is_trained", [False, True])
@pytest.mark.parametrize("name", CODED)
def test_numbers_that_only_the_engine_calls_levels_are_filled_with_a_level(name, is_trained):
    """Codes 0 and 2 are frequent and worth 0; their mean is 1, which is rare and worth 10."""
    generator = np.random.default_rng(0)
    code = generator.choice([0.0, 1.0, 2.0], size=1000, p=[0.45, 0.1, 0.45])
    X = pd.DataFrame({"x": generator.normal(size=1000), "code": code})
    if name.startswith("catboost"):
        X["code"] = X["code"].astype(int)
    y = X["x"] + 10 * (code == 1)
    model = CODED[name]()
    options = {"method": "dropout", "inference": "paired", "random_state": 0, "features": ["code"]}
    if is_trained:
        vi = lw.VariableImportance(model.fit(X, y), prefit=True, **options)
        result = vi.fit(X, y, X_eval=X, y_eval=y).result_
    else:
        result = lw.VariableImportance(model, **options).fit(X, y).result_
    # 100 for each row of code 1, a tenth of 250 and more; a fill of 1 would miss the other 90 %.
    assert 2 < result.importance[0] < 20
