"""Whatever predicts can be explained as it is: one list of models, the same claims for each."""

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn import ensemble, linear_model, naive_bayes, neighbors, svm, tree
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor, make_column_transformer
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, WhiteKernel
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

import lukewarm as lw

pytestmark = [
    pytest.mark.filterwarnings("ignore::lukewarm.HealthWarning"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]

N_TRAIN, N_EVALUATION = 240, 160
ORDER = ("strong", "weak", "noise")


@dataclass(frozen=True)
class Case:
    """A model of the list.

    `make` gives it unfitted; `train`, where it has no `fit` of its own, gives it trained on a
    frame and a target. `target` is "numbers", "classes" (two) or "three" (classes).
    """

    make: Callable[[], Any] | None
    target: str = "numbers"
    train: Callable[[pd.DataFrame, np.ndarray], Any] | None = None
    with_kinds: bool = False


def table(target, *, with_kinds=False):
    """Return a frame and a target on which `strong` matters more than `weak`, `noise` not."""
    generator = np.random.default_rng(0)
    n_rows = N_TRAIN + N_EVALUATION
    frame = pd.DataFrame(generator.normal(size=(n_rows, 3)), columns=["noise", "weak", "strong"])
    signal = 2 * frame["strong"].to_numpy() + frame["weak"].to_numpy()
    y = signal + 0.3 * generator.normal(size=n_rows)
    if with_kinds:
        kinds = np.array(["u", "v", "w"], dtype=object)
        frame["weak"] = kinds[np.digitize(frame["weak"], [-0.5, 0.5])]
    if target == "classes":
        return frame, np.where(y > 0, "yes", "no")
    if target == "three":
        return frame, np.array(["high", "low", "middle"])[np.digitize(y, [-1.0, 1.0])]
    return frame, y


def encoded(model):
    columns = make_column_transformer(
        (OneHotEncoder(), ["weak"]), (StandardScaler(), ["noise", "strong"])
    )
    return make_pipeline(columns, model)


def scaled(model):
    return make_pipeline(StandardScaler(), model)


def lightgbm(kind):
    return getattr(pytest.importorskip("lightgbm"), kind)(
        n_estimators=60, num_leaves=8, n_jobs=1, verbose=-1
    )


def xgboost(kind):
    return getattr(pytest.importorskip("xgboost"), kind)(n_estimators=60, max_depth=3, n_jobs=1)


def catboost(kind):
    return getattr(pytest.importorskip("catboost"), kind)(
        n_estimators=60, depth=3, thread_count=1, verbose=False, allow_writing_files=False
    )


def plain_catboost(loss):
    settings = {"depth": 3, "thread_count": 1, "verbose": False, "allow_writing_files": False}
    kind = pytest.importorskip("catboost").CatBoost
    return kind({"iterations": 60, "loss_function": loss, **settings})


def lightgbm_booster(X, y):
    lgb = pytest.importorskip("lightgbm")
    settings = {"verbose": -1, "num_threads": 1, "num_leaves": 8}
    if y.dtype.kind == "f":
        return lgb.train(settings, lgb.Dataset(X, y), 60)
    settings["objective"] = "binary"
    return lgb.train(settings, lgb.Dataset(X, y == "yes"), 60)


def xgboost_booster(X, y):
    xgb = pytest.importorskip("xgboost")
    settings = {"nthread": 1, "max_depth": 3}
    if y.dtype.kind == "f":
        return xgb.train(settings, xgb.DMatrix(X, y), 60)
    labels = np.unique(y, return_inverse=True)[1]
    settings |= {"objective": "multi:softprob", "num_class": 3}
    return xgb.train(settings, xgb.DMatrix(X, labels), 60)


def module():
    torch = pytest.importorskip("torch")
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return torch.nn.Sequential(torch.nn.Linear(3, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1))


def trained_module(X, y):
    torch = pytest.importorskip("torch")
    model = module()
    rows, target = (torch.tensor(np.asarray(each), dtype=torch.float32) for each in (X, y))
    optimiser = torch.optim.Adam(model.parameters(), lr=0.05)
    for _ in range(200):
        optimiser.zero_grad()
        torch.mean((model(rows)[:, 0] - target) ** 2).backward()
        optimiser.step()
    return model


def skorch_regressor():
    skorch, torch = pytest.importorskip("skorch"), pytest.importorskip("torch")
    return skorch.NeuralNetRegressor(
        torch.nn.Linear,
        module__in_features=3,
        module__out_features=1,
        max_epochs=60,
        lr=0.05,
        verbose=0,
    )


def trained_skorch(X, y):
    net = skorch_regressor()
    return net.fit(X.to_numpy(dtype=np.float32), y.astype(np.float32)[:, np.newaxis])


def plain_function(X, y):
    slopes = np.linalg.lstsq(X.to_numpy(), y, rcond=None)[0]
    return lambda frame: frame.to_numpy() @ slopes


def function_of_names(X, y):
    model = encoded(linear_model.LogisticRegression()).fit(X, y)

    def ask(frame):
        assert list(frame.columns) == list(X.columns)
        return model.predict_proba(frame)

    return ask


class OnlyPredicts:
    """Neither an estimator nor a function: a client of a service, say."""

    def __init__(self, model):
        self.model = model

    def predict(self, X):
        return self.model.predict(X)


GRID = {"alpha": [0.1, 1.0]}
TREE = {"max_depth": 4, "random_state": 0}
CASES = {
    "LinearRegression": Case(linear_model.LinearRegression),
    "Ridge": Case(linear_model.Ridge),
    "Lasso": Case(lambda: linear_model.Lasso(0.05)),
    "ElasticNet": Case(lambda: linear_model.ElasticNet(0.05)),
    "LogisticRegression": Case(linear_model.LogisticRegression, "classes"),
    "LogisticRegression of three": Case(linear_model.LogisticRegression, "three"),
    "RidgeClassifier": Case(linear_model.RidgeClassifier, "classes"),
    "SGDRegressor": Case(linear_model.SGDRegressor),
    "SGDClassifier": Case(
        lambda: linear_model.SGDClassifier(loss="log_loss", alpha=0.01), "classes"
    ),
    "SGDClassifier by hinge": Case(linear_model.SGDClassifier, "classes"),
    "SVR": Case(svm.SVR),
    "LinearSVC": Case(svm.LinearSVC, "three"),
    "SVC": Case(svm.SVC, "classes"),
    "SVC of three": Case(svm.SVC, "three"),
    "SVC with probability": Case(lambda: svm.SVC(probability=True, random_state=0), "classes"),
    "KNeighborsRegressor": Case(neighbors.KNeighborsRegressor),
    "KNeighborsClassifier": Case(neighbors.KNeighborsClassifier, "classes"),
    "GaussianNB": Case(naive_bayes.GaussianNB, "three"),
    "DecisionTreeRegressor": Case(lambda: tree.DecisionTreeRegressor(**TREE)),
    "DecisionTreeClassifier": Case(lambda: tree.DecisionTreeClassifier(**TREE), "classes"),
    "RandomForestRegressor": Case(lambda: ensemble.RandomForestRegressor(30, random_state=0)),
    "RandomForestClassifier": Case(
        lambda: ensemble.RandomForestClassifier(30, random_state=0), "three"
    ),
    "ExtraTreesRegressor": Case(lambda: ensemble.ExtraTreesRegressor(30, random_state=0)),
    "GradientBoostingRegressor": Case(ensemble.GradientBoostingRegressor),
    "HistGradientBoostingRegressor": Case(
        lambda: ensemble.HistGradientBoostingRegressor(max_iter=40)
    ),
    "HistGradientBoostingClassifier": Case(
        lambda: ensemble.HistGradientBoostingClassifier(max_iter=40), "classes"
    ),
    "AdaBoostRegressor": Case(lambda: ensemble.AdaBoostRegressor(n_estimators=20, random_state=0)),
    "AdaBoostClassifier": Case(
        lambda: ensemble.AdaBoostClassifier(n_estimators=20, random_state=0), "classes"
    ),
    "BaggingRegressor": Case(lambda: ensemble.BaggingRegressor(random_state=0)),
    "VotingRegressor": Case(
        lambda: ensemble.VotingRegressor(
            [("line", linear_model.Ridge()), ("tree", tree.DecisionTreeRegressor(**TREE))]
        )
    ),
    "VotingClassifier by labels": Case(
        lambda: ensemble.VotingClassifier(
            [("line", linear_model.LogisticRegression()), ("bayes", naive_bayes.GaussianNB())]
        ),
        "classes",
    ),
    "StackingRegressor": Case(
        lambda: ensemble.StackingRegressor(
            [("line", linear_model.Ridge()), ("tree", tree.DecisionTreeRegressor(**TREE))], cv=3
        )
    ),
    "MLPRegressor": Case(lambda: MLPRegressor(learning_rate_init=0.02, random_state=0)),
    "MLPRegressor by lbfgs": Case(lambda: MLPRegressor(solver="lbfgs", random_state=0)),
    "MLPClassifier": Case(
        lambda: MLPClassifier(learning_rate_init=0.02, random_state=0), "classes"
    ),
    "GaussianProcessRegressor": Case(
        lambda: GaussianProcessRegressor(RBF(2.0) + WhiteKernel(0.1), optimizer=None)
    ),
    "GaussianProcessClassifier": Case(
        lambda: GaussianProcessClassifier(RBF(2.0), optimizer=None), "classes"
    ),
    "KernelRidge": Case(lambda: KernelRidge(kernel="rbf", alpha=0.1)),
    "GridSearchCV": Case(lambda: GridSearchCV(linear_model.Ridge(), GRID, cv=3)),
    "GridSearchCV of classes": Case(
        lambda: GridSearchCV(svm.SVC(), {"C": [0.1, 1.0]}, cv=3), "classes"
    ),
    "StackingClassifier": Case(
        lambda: ensemble.StackingClassifier(
            [("line", linear_model.LogisticRegression()), ("bayes", naive_bayes.GaussianNB())],
            cv=3,
        ),
        "three",
    ),
    "RandomizedSearchCV": Case(
        lambda: RandomizedSearchCV(linear_model.Lasso(), GRID, n_iter=2, cv=3, random_state=0)
    ),
    "TransformedTargetRegressor": Case(
        lambda: TransformedTargetRegressor(linear_model.Ridge(), transformer=StandardScaler())
    ),
    "CalibratedClassifierCV": Case(
        lambda: CalibratedClassifierCV(svm.LinearSVC(), cv=3), "classes"
    ),
    "OneVsRestClassifier": Case(
        lambda: OneVsRestClassifier(linear_model.LogisticRegression()), "three"
    ),
    "pipeline": Case(lambda: scaled(svm.SVR())),
    "pipeline of kinds": Case(lambda: encoded(linear_model.Ridge()), with_kinds=True),
    "pipeline of kinds, classes": Case(lambda: encoded(svm.SVC()), "classes", with_kinds=True),
    "pipeline searched": Case(
        lambda: GridSearchCV(
            encoded(ensemble.RandomForestRegressor(20, random_state=0)),
            {"randomforestregressor__min_samples_leaf": [2, 20]},
            cv=2,
        ),
        with_kinds=True,
    ),
    "LGBMRegressor": Case(lambda: lightgbm("LGBMRegressor")),
    "LGBMClassifier": Case(lambda: lightgbm("LGBMClassifier"), "classes"),
    "lightgbm.Booster": Case(None, train=lightgbm_booster),
    "lightgbm.Booster of classes": Case(None, "classes", train=lightgbm_booster),
    "XGBRegressor": Case(lambda: xgboost("XGBRegressor")),
    "XGBRegressor by dart": Case(
        lambda: xgboost("XGBRegressor").set_params(booster="dart", rate_drop=0.1)
    ),
    "XGBRegressor of lines": Case(
        lambda: xgboost("XGBRegressor").set_params(booster="gblinear", max_depth=None)
    ),
    "xgboost.Booster": Case(None, train=xgboost_booster),
    "xgboost.Booster of three": Case(None, "three", train=xgboost_booster),
    "CatBoostRegressor": Case(lambda: catboost("CatBoostRegressor")),
    "CatBoost": Case(lambda: plain_catboost("RMSE")),
    "CatBoost of classes": Case(lambda: plain_catboost("Logloss"), "classes"),
    "CatBoost of three": Case(lambda: plain_catboost("MultiClass"), "three"),
    "torch module": Case(module, train=trained_module),
    "skorch": Case(skorch_regressor, train=trained_skorch),
    "lambda": Case(None, train=plain_function),
    "function of kinds": Case(None, "classes", train=function_of_names, with_kinds=True),
    "object that predicts": Case(None, train=lambda X, y: OnlyPredicts(svm.SVR().fit(X, y))),
}
UNFITTED = [name for name, case in CASES.items() if case.make is not None]


def trained(case, X, y):
    if case.train is not None:
        return case.train(X, y)
    target = y
    if type(case.make()).__name__.startswith("XGB") and y.dtype.kind == "U":
        target = np.unique(y, return_inverse=True)[1]
    return case.make().fit(X, target)


def state(model):
    """Return all there is to a model, in a form that compares."""
    if hasattr(model, "state_dict"):
        return joblib.hash({name: each.numpy() for name, each in model.state_dict().items()})
    if hasattr(model, "model_to_string"):
        return model.model_to_string()
    if hasattr(model, "save_raw"):
        return bytes(model.save_raw())
    if not hasattr(model, "get_params"):
        return None  # a function has no state that could be seen from here
    if hasattr(model, "_tree"):  # of neighbours; it counts its calls
        return joblib.hash({**vars(model), "_tree": model._tree.get_arrays()})
    return pickle.dumps(model)


def explained(model, case, **options):
    X, y = table(case.target, with_kinds=case.with_kinds)
    vi = lw.VariableImportance(model, random_state=0, inference="paired", **options)
    return vi.fit(X[:N_TRAIN], y[:N_TRAIN], X_eval=X[N_TRAIN:], y_eval=y[N_TRAIN:]).result_


def check_order(result):
    by_name = dict(zip(result.names, result.importance, strict=True))
    strong, weak, noise = (by_name[name] for name in ORDER)
    assert np.isfinite(result.to_frame()[["importance", "std_error", "ci_low", "ci_high"]]).all(
        axis=None
    )
    assert strong > weak > noise
    # The noise is worth nothing; what a model made of it is small beside what matters.
    assert abs(noise) < 0.15 * strong


@pytest.mark.parametrize("name", CASES)
def test_a_trained_model_is_explained_as_it_stands_and_left_as_it_was(name):
    case = CASES[name]
    X, y = table(case.target, with_kinds=case.with_kinds)
    model = trained(case, X[:N_TRAIN], y[:N_TRAIN])
    before = state(model)
    result = explained(model, case, prefit=True)
    assert state(model) == before
    check_order(result)
    assert result.method == "projection"
    assert result.model


@pytest.mark.parametrize("name", UNFITTED)
def test_an_unfitted_model_is_trained_here_and_left_as_it_was(name):
    case = CASES[name]
    model = case.make()
    before = state(model)
    result = explained(model, case)
    assert state(model) == before
    check_order(result)
    assert result.method in ("projection", "retrain", "early_stopping")
    assert type(model).__name__ in result.model


def asked_of(n_train, n_evaluation, n_columns, n_draws=8):
    """Return the rows a model is asked for, as docs/your_model.md counts them."""
    probes = (1 + n_columns) * min(n_train // 4, 500)
    return (n_train + n_evaluation) * (1 + n_columns * n_draws) + probes


@pytest.mark.parametrize("batch_size", [None, 50])
def test_the_rows_asked_of_a_function_are_those_counted_before(batch_size):
    sizes = []

    def service(rows):
        sizes.append(len(rows))
        return 2 * rows["strong"] + rows["weak"] + 0.01 * rows["noise"]

    explained(lw.learners.Predictor(service, batch_size=batch_size), CASES["lambda"], prefit=True)
    assert sum(sizes) == asked_of(N_TRAIN, N_EVALUATION, 3)
    # A quarter of the rows checks the regressions; eight draws of the others are asked for at once.
    assert max(sizes) == (8 * (3 * N_TRAIN // 4) if batch_size is None else batch_size)


def test_batches_change_no_number():
    X, y = table("numbers")
    function = plain_function(X, y)
    whole, parts = (
        explained(lw.learners.Predictor(function, batch_size=size), CASES["lambda"], prefit=True)
        for size in (None, 37)
    )
    np.testing.assert_array_equal(whole.importance, parts.importance)


def _with_gradient(rows):
    torch = pytest.importorskip("torch")
    return torch.tensor(rows["strong"].to_numpy(), requires_grad=True)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda rows: 1.0, "one prediction for each"),
        (lambda rows: np.full(len(rows), np.nan), "not finite"),
        (lambda rows: ["a"] * len(rows), "must return numbers"),
        (_with_gradient, "must return numbers"),
    ],
)
def test_answers_that_are_no_predictions_are_refused(answer, message):
    with pytest.raises((TypeError, ValueError), match=message):
        explained(answer, CASES["lambda"], prefit=True)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda rows: np.full(len(rows), 3.0), "reach from 3 to 3"),
        (lambda rows: np.zeros((len(rows), 3)), "second class in the sorted order"),
    ],
)
def test_a_function_of_classes_must_give_their_probabilities(answer, message):
    case = Case(None, "classes")
    with pytest.raises(ValueError, match=message):
        explained(answer, case, prefit=True)


def test_a_function_that_is_not_said_to_be_trained_is_refused():
    with pytest.raises(TypeError, match="pass prefit=True"):
        explained(lambda rows: rows["strong"], CASES["lambda"])


@pytest.mark.parametrize("method", ["retrain", "early_stopping"])
def test_methods_that_train_are_refused_for_what_only_predicts(method):
    with pytest.raises(TypeError, match="method='projection'"):
        explained(lambda rows: rows["strong"], CASES["lambda"], prefit=True, method=method)


@pytest.mark.parametrize(
    ("name", "measure", "how"),
    [
        ("LogisticRegression", "deviance", "LogisticRegression"),
        ("SVC", "deviance", "SVC (probabilities from scores)"),
        ("pipeline of kinds, classes", "deviance", "Pipeline (probabilities from scores)"),
        ("VotingClassifier by labels", "accuracy", "VotingClassifier (labels)"),
        ("DecisionTreeClassifier", "brier", "DecisionTreeClassifier"),
    ],
)
def test_the_measure_of_classes_suits_what_the_model_says_of_them(name, measure, how):
    case = CASES[name]
    X, y = table(case.target, with_kinds=case.with_kinds)
    for result in (
        explained(case.make(), case),
        explained(trained(case, X[:N_TRAIN], y[:N_TRAIN]), case, prefit=True),
    ):
        assert (result.measure, result.model) == (measure, how)


def test_a_booster_is_not_asked_for_columns_in_another_order():
    X, y = table("numbers")
    booster = lightgbm_booster(X, y)
    vi = lw.VariableImportance(booster, prefit=True, random_state=0)
    turned = X[X.columns[::-1]]
    with pytest.raises(ValueError, match="in their order"):
        vi.fit(turned[:N_TRAIN], y[:N_TRAIN], X_eval=turned[N_TRAIN:], y_eval=y[N_TRAIN:])


def test_what_a_transformer_refuses_is_said_to_be_its():
    def refuse(rows):
        raise RuntimeError("no such service")

    model = make_pipeline(FunctionTransformer(refuse), svm.SVR())
    with pytest.raises(ValueError, match=r"transformers of model Pipeline .* no such service"):
        explained(model, Case(None))


def test_a_model_that_leaves_rows_without_a_prediction_is_refused():
    # No training row is that near to any other row.
    model = neighbors.RadiusNeighborsRegressor(1e-9)
    with (
        pytest.warns(UserWarning, match="no neighbors"),
        pytest.raises(ValueError, match=r"nan or infinite values for \d+ of \d+ rows"),
    ):
        explained(model, Case(None))


def test_dates_that_a_model_cannot_read_are_named():
    X, y = table("numbers")
    X["when"] = pd.date_range("2020-01-01", periods=len(X), freq="h")
    with pytest.raises(ValueError, match=r"columns \['when'\] hold dates"):
        lw.VariableImportance(svm.SVR(), random_state=0).fit(X, y)


def test_whatever_a_library_raises_in_a_fit_is_said_to_be_the_models():
    ranker = pytest.importorskip("catboost").CatBoostRanker
    model = ranker(iterations=5, verbose=False, allow_writing_files=False)
    with pytest.raises(ValueError, match="model CatBoostRanker cannot be fitted"):
        explained(model, Case(None))


def test_a_catboost_of_another_target_is_refused():
    X, y = table("numbers")
    model = plain_catboost("RMSE").fit(X, y)
    with pytest.raises(ValueError, match="not trained to predict classes"):
        explained(model, Case(None, "classes"), prefit=True)
