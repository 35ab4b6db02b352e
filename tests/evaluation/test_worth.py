import numpy as np
import pytest

from lukewarm.evaluation import EvaluationPlan, EvaluationPredictions
from lukewarm.measures import as_measure


def predictions(y, full):
    plan = EvaluationPlan.paired(np.zeros(len(y), dtype=int))
    return EvaluationPredictions(y, full, (full, full), plan)


@pytest.fixture
def numbers(generator):
    f = generator.normal(size=200)
    return predictions(f + generator.normal(size=200), f)


@pytest.mark.parametrize("name", ["neg_mse", "r2"])
def test_a_squared_score_is_worth_itself(numbers, name):
    np.testing.assert_allclose(numbers.worth(as_measure(name), [0.5, 0.8]), 1.0)


def test_parts_of_unlike_variance_do_not_make_it_more(generator):
    f = generator.normal(size=200) * np.repeat([1.0, 5.0], 100)
    parts = EvaluationPlan.paired(np.repeat([0, 1], 100))
    parted = EvaluationPredictions(f + generator.normal(size=200), f, (f,), parts)
    np.testing.assert_allclose(parted.worth(as_measure("r2"), [0.5]), 1.0)


def test_of_a_root_it_is_what_the_whole_effect_loses(numbers):
    error = np.mean(np.square(numbers.y - numbers.full))
    worth = numbers.worth(as_measure("rmse"), [0.5, 3.0])
    expected = [(np.sqrt(error + each**2) - np.sqrt(error)) / each**2 for each in (0.5, 3.0)]
    np.testing.assert_allclose(worth, expected)
    # By a smaller effect the root loses more in proportion: the number is a bound for it.
    assert (np.sqrt(error + 0.25) - np.sqrt(error)) / 0.25 > worth[1]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_of_classes_too(n_classes, generator):
    shares = generator.dirichlet(np.ones(n_classes), size=200)
    y = (shares.cumsum(axis=1) < generator.uniform(size=(200, 1))).sum(axis=1).astype(float)
    known = predictions(y, shares[:, 1] if n_classes == 2 else shares)
    for name in ("neg_log_loss", "brier", "deviance"):
        np.testing.assert_allclose(known.worth(as_measure(name), [0.1, 0.2]), 1.0)


def test_of_other_measures_and_of_scores_below_zero_nothing_is_known(numbers):
    assert np.isnan(numbers.worth(as_measure("neg_mae"), [0.5, 3.0])).all()
    assert np.isnan(numbers.worth(as_measure("neg_mse"), [0.0, -0.1])).all()
