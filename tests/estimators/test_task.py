"""Whether a target is one of numbers or of classes, and who decides."""

import warnings

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression

import lukewarm as lw
from lukewarm.cli import main

pytestmark = pytest.mark.filterwarnings("ignore::lukewarm.HealthWarning")


@pytest.fixture(name="X")
def _features(generator):
    return generator.normal(size=(300, 2))


def explain(X, y, model="boosting", **options):
    kind = options.pop("kind", lw.VariableImportance)
    return kind(model, "dropout", max_steps=3, random_state=0, **options).fit(X, y)


def is_warned(X, y, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        explain(X, y, **options)
    return any(issubclass(each.category, lw.TaskWarning) for each in caught)


@pytest.mark.parametrize("load", [load_breast_cancer, load_wine, load_digits])
def test_class_codes_of_known_tables_are_pointed_out(load):
    X, y = load(return_X_y=True)
    message = r"task='classification'.*task='regression'"
    with pytest.warns(lw.TaskWarning, match=message):
        vi = explain(X, y, features=[0])
    assert vi.classes_ is None
    assert vi.result_.measure == "neg_mse"


@pytest.mark.parametrize("kind", [lw.VariableImportance, lw.ShapleyImportance])
def test_a_named_task_is_followed_without_a_warning(X, kind):
    y = (X[:, 0] > 0).astype(int)
    with warnings.catch_warnings():
        warnings.simplefilter("error", lw.TaskWarning)
        classes = explain(X, y, task="classification", kind=kind)
        numbers = explain(X, y, task="regression", kind=kind)
    assert list(classes.classes_) == [0, 1]
    assert classes.result_.measure == "deviance"
    assert numbers.classes_ is None
    assert numbers.result_.measure == "neg_mse"


def test_codes_with_a_task_are_explained_as_their_labels_are(X):
    y = (X[:, 0] > 0).astype(int)
    by_code = explain(X, y, task="classification").result_
    by_label = explain(X, np.array(["no", "yes"])[y]).result_
    np.testing.assert_array_equal(by_code.importance, by_label.importance)
    assert by_code.importance[0] > 0.001


CODES = {
    "two codes": np.tile([0, 1], 150),
    "as floats": np.tile([0.0, 1.0], 150),
    "signs": np.tile([-1, 1], 150),
    "rare": np.arange(300) % 60 == 0,
    "ten": np.arange(300) % 10,
    "numbers in objects": np.array([1, 2, 3] * 100, dtype=object),
}


@pytest.mark.parametrize("name", CODES)
def test_a_few_whole_numbers_with_many_rows_each_may_be_classes(X, name):
    y = CODES[name] if name != "rare" else CODES[name].astype(int)
    assert is_warned(X, y)


QUANTITIES = {
    "real": np.linspace(0, 1, 300),
    "few halves": np.tile([0.5, 1.5, 2.5], 100),
    "many whole": np.arange(300) % 40,
    # The tail of a count: its largest values have a row or two.
    "counts": np.random.default_rng(0).poisson(3, size=300),
}


@pytest.mark.parametrize("name", QUANTITIES)
def test_quantities_and_counts_pass_without_a_word(X, name):
    assert not is_warned(X, QUANTITIES[name])


def test_whoever_chose_a_regression_is_not_asked_again(X):
    y = np.tile([0, 1], 150)
    assert not is_warned(X, y, model=LinearRegression())
    assert not is_warned(X, y, measure="r2")
    assert not is_warned(X, y, measure="accuracy")


@pytest.mark.parametrize(
    ("model", "task", "message"),
    [
        (HistGradientBoostingRegressor(), "classification", "regressor.*task='classification'"),
        (LinearRegression(), "classification", "regressor.*task='classification'"),
        (HistGradientBoostingClassifier(), "regression", "classifier.*task='regression'"),
        (LogisticRegression(), "regression", "classifier.*task='regression'"),
        ("boosting", "clustering", "task must be one of 'auto'"),
        ("boosting", None, "task must be one of 'auto'"),
    ],
)
def test_a_task_that_is_not_the_models_is_refused(X, model, task, message):
    with pytest.raises(ValueError, match=message):
        explain(X, np.tile([0, 1], 150), model=model, task=task)


def test_a_task_that_is_not_the_measures_or_the_targets_is_refused(X):
    y = np.tile([0, 1], 150)
    with pytest.raises(ValueError, match=r"'accuracy' needs classes.*task='regression'"):
        explain(X, y, measure="accuracy", task="regression")
    with pytest.raises(TypeError, match="y must be numeric for regression"):
        explain(X, np.array(["a", "b"])[y], task="regression")
    with pytest.raises(ValueError, match="fractions"):
        explain(X, X[:, 0], task="classification")
    with pytest.raises(ValueError, match="too many to be classes"):
        explain(X, np.arange(300), task="classification")


def test_flags_are_numbers_for_a_regression(X):
    vi = explain(X, X[:, 0] > 0, task="regression")
    assert vi.classes_ is None


@pytest.mark.parametrize("option", [[], ["--task", "classification"]])
def test_the_command_line_takes_a_task(X, option, tmp_path):
    file = tmp_path / "table.csv"
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(ill=(X[:, 0] > 0).astype(int))
    frame.to_csv(file, index=False)
    arguments = ["explain", str(file), "--target", "ill", "--method", "dropout"]
    run = CliRunner().invoke(main, [*arguments, *option])
    assert run.exit_code == 0
    assert ("deviance" in run.output) == bool(option)
    # Here the ways out are options.
    assert ("--task classification" in run.output) != bool(option)
