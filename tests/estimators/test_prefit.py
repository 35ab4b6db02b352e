"""A trained model is judged as it stands."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import lukewarm as lw
from lukewarm.results import HealthWarning

pytestmark = pytest.mark.filterwarnings(
    f"ignore::{HealthWarning.__module__}.HealthWarning",
)


@pytest.fixture(scope="module", name="rows")
def _rows():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(400, 3)).astype(np.float32)
    return X, (X[:, 0] + 0.5 * X[:, 1] + 0.1 * generator.normal(size=400)).astype(np.float32)


def explain(model, X, y, method="early_stopping", **options):
    return lw.VariableImportance(model, method, prefit=True, random_state=0, **options).fit(
        X[:300], y[:300], X_eval=X[300:], y_eval=y[300:]
    )


@pytest.mark.filterwarnings("ignore::lukewarm.estimators._shapley_run.PrecisionWarning")
@pytest.mark.parametrize("kind", [lw.VariableImportance, lw.ShapleyImportance])
def test_the_full_side_is_the_users_model_itself(kind, rows):
    X, y = rows
    # So few trees that further training would show.
    model = GradientBoostingRegressor(n_estimators=5).fit(X[:300], y[:300])
    fitted = kind(model, prefit=True, random_state=0).fit(
        X[:300], y[:300], X_eval=X[300:], y_eval=y[300:]
    )
    result = fitted.result_
    full = result.full if kind is lw.VariableImportance else result.value_of(result.names)
    assert full.value == pytest.approx(-np.mean((y[300:] - model.predict(X[300:])) ** 2))


def test_symmetric_gives_a_trained_model_further_training_too(rows):
    X, y = rows
    model = GradientBoostingRegressor(n_estimators=5).fit(X[:300], y[:300])
    as_it_stands, further = (explain(model, X, y, symmetric=each) for each in (False, True))
    assert further.result_.full.value > as_it_stands.result_.full.value + 0.1


def layers(n_outputs, *more):
    torch = pytest.importorskip("torch")
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return torch.nn.Sequential(
            torch.nn.Linear(3, 8), torch.nn.Tanh(), torch.nn.Linear(8, n_outputs), *more
        )


def skorch_net(kind):
    skorch, torch = pytest.importorskip("skorch"), pytest.importorskip("torch")
    # Enough to converge: further training would not help a reduced model more than a feature does.
    settings = {"lr": 0.05, "max_epochs": 20, "batch_size": 32, "verbose": 0}
    settings["optimizer"] = torch.optim.Adam
    regressor = partial(skorch.NeuralNetRegressor, **settings)
    classifier = partial(skorch.NeuralNetClassifier, **settings)
    stopping = skorch.callbacks.EarlyStopping(patience=1)
    nets = {
        "regressor": lambda: regressor(layers(1)),
        "module class": lambda: regressor(
            torch.nn.Linear, module__in_features=3, module__out_features=1
        ),
        "callbacks": lambda: regressor(layers(1), callbacks=[stopping]),
        "pipeline": lambda: make_pipeline(StandardScaler(), regressor(layers(1))),
        "logits": lambda: classifier(layers(2), criterion=torch.nn.CrossEntropyLoss),
        "probabilities": lambda: classifier(layers(2, torch.nn.Softmax(dim=1))),
        "binary": lambda: skorch.NeuralNetBinaryClassifier(layers(1), **settings),
    }
    return nets[kind]()


REGRESSORS = ("regressor", "module class", "callbacks", "pipeline")


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    ("kind", "method"),
    [
        *((kind, "early_stopping") for kind in (*REGRESSORS, "logits", "probabilities", "binary")),
        *(("regressor", method) for method in ("dropout", "retrain")),
    ],
)
def test_a_trained_skorch_net_is_explained_as_it_stands(kind, method, rows):
    X, y = rows
    net = skorch_net(kind)
    if kind in REGRESSORS:
        net.fit(X[:300], y[:300, np.newaxis])
        vi = explain(net, X, y, method, features=[0, 2])
        own = net.predict(X[300:]).ravel()
    else:
        codes = (y > 0).astype(np.float32 if kind == "binary" else np.int64)
        net.fit(X[:300], codes[:300])
        vi = explain(net, X, codes, method, features=[0, 2])
        own = net.predict_proba(X[300:])[:, 1]
    # A few units of single precision.
    np.testing.assert_allclose(vi.predictions_.full, own, atol=1e-6)
    assert vi.result_.importance[0] > 3 * abs(vi.result_.importance[1])
    again = net.predict(X[300:]).ravel() if kind in REGRESSORS else net.predict_proba(X[300:])[:, 1]
    np.testing.assert_array_equal(again, own)


def test_callbacks_of_a_trained_skorch_net_stay_with_the_user(rows):
    skorch = pytest.importorskip("skorch")
    X, y = rows
    calls = []

    class Count(skorch.callbacks.Callback):
        def on_epoch_end(self, net, **_):
            calls.append(1)

    net = skorch_net("regressor").set_params(callbacks=[Count()])
    net.fit(X[:300], y[:300, np.newaxis])
    assert len(calls) == 20
    explain(net, X, y, features=[0])
    assert len(calls) == 20


def test_a_scaler_and_a_module_trained_elsewhere_are_explained_as_they_stand(rows):
    torch = pytest.importorskip("torch")
    X, y = rows
    module = layers(1)
    model = make_pipeline(StandardScaler().fit(X[:300]), module)
    vi = explain(model, X, y, features=[0], max_steps=2)
    with torch.no_grad():
        inputs = torch.from_numpy(model[0].transform(X[300:]))
        own = module(inputs).numpy().ravel()
    # A few units of single precision.
    np.testing.assert_allclose(vi.predictions_.full, own, atol=1e-6)


def test_a_function_of_dates_is_explained(generator):
    X = pd.DataFrame(
        {"day": pd.date_range("2020-01-01", periods=200), "z": generator.normal(size=200)}
    )
    X = X.sample(frac=1, random_state=0, ignore_index=True)

    def months(rows):
        return (rows["day"].dt.month + rows["z"]).to_numpy(dtype=float)

    vi = lw.VariableImportance(months, prefit=True, random_state=0)
    result = vi.fit(X[:100], months(X[:100]), X_eval=X[100:], y_eval=months(X[100:])).result_
    assert (result.importance > 0.5).all()
