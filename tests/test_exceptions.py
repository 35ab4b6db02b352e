import ast
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

import lukewarm as lw

SOURCE = Path(lw.__file__).parent
WARM = {
    "model": "boosting",
    "method": "early_stopping",
    "inference": "paired",
    "random_state": 0,
}


def defined_classes(path):
    """Names of the warning and error classes that a file defines."""
    bases = {
        node.name: [ast.unparse(base) for base in node.bases]
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef)
    }
    return {
        name
        for name, parents in bases.items()
        if any(parent.endswith(("Warning", "Error", "Exception")) for parent in parents)
    }


def test_every_public_warning_and_error_is_defined_in_one_place():
    elsewhere = {
        name
        for path in SOURCE.rglob("*.py")
        if path.name != "exceptions.py"
        for name in defined_classes(path)
        if not name.startswith("_")
    }
    assert elsewhere == set()
    assert defined_classes(SOURCE / "exceptions.py") == set(lw.exceptions.__all__)


@pytest.mark.parametrize(
    ("room", "name"),
    [
        ("", "ImportanceWarning"),
        ("", "NearZeroWarning"),
        ("", "PrecisionWarning"),
        ("results", "ImportanceWarning"),
        ("results", "HealthWarning"),
        ("results", "NearZeroWarning"),
        ("results", "UntrainedWarning"),
        ("estimators", "PrecisionWarning"),
        ("estimators", "TaskWarning"),
        ("kernels", "KernelWarning"),
        ("kernels", "TangentWarning"),
    ],
)
def test_earlier_places_give_the_same_class(room, name):
    module = __import__(f"lukewarm.{room}", fromlist=[name]) if room else lw
    assert getattr(module, name) is getattr(lw.exceptions, name)


def noise(n_rows=80, n_columns=3):
    """Return a problem on which every fit has something to warn of: few rows, no signal."""
    generator = np.random.default_rng(0)
    return generator.normal(size=(n_rows, n_columns)), generator.normal(size=n_rows)


def shapley(X, y):
    lw.ShapleyImportance(n_coalitions=6, **WARM).fit(X, y)


def shapley_by_tolerance(X, y):
    lw.ShapleyImportance(solver="kernel", tolerance=0.01, **WARM).fit(X, y)


def more_shapley(X, y):
    lw.ShapleyImportance(n_coalitions=6, **WARM).fit(X, y).fit_more(2)


def importance(X, y):
    lw.VariableImportance(**WARM).fit(X, y)


def importance_of_a_seen_model(X, y):
    model = LinearRegression().fit(X, y)
    lw.VariableImportance(
        model=model, method="dropout", prefit=True, random_state=0, inference="paired"
    ).fit(X, y)


def importance_of_predictions(X, y):
    y = y[:20]
    lw.importance_from_predictions(y, np.zeros(len(y)), [np.zeros(len(y))])


@pytest.mark.parametrize(
    "call",
    [
        shapley,
        shapley_by_tolerance,
        more_shapley,
        importance,
        importance_of_a_seen_model,
        importance_of_predictions,
    ],
)
def test_warnings_point_at_the_line_of_the_caller(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", lw.ImportanceWarning)
        call(*noise())
    ours = [each for each in caught if issubclass(each.category, lw.ImportanceWarning)]
    assert ours
    assert {each.filename for each in ours} == {__file__}
