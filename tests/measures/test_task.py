import numpy as np
import pytest
from scipy.special import expit, softmax

from lukewarm.measures import REGRESSION, Task, mean_log_loss, mean_squared_error

LOGITS = np.array([[0.0, 2.0, -1.0], [1.0, 0.0, 3.0]])


@pytest.mark.parametrize(
    ("n_classes", "kind", "n_outputs", "shape"),
    [(None, "regression", 1, (5,)), (2, "binary", 1, (5,)), (4, "multiclass", 4, (5, 4))],
)
def test_what_follows_from_the_number_of_classes(n_classes, kind, n_outputs, shape):
    task = Task(n_classes)
    assert (task.kind, task.n_outputs, task.prediction_shape(5)) == (kind, n_outputs, shape)
    untrained = task.untrained_prediction(5)
    assert untrained.shape == shape
    assert np.allclose(untrained, 0.0 if n_classes is None else 1 / n_classes)


@pytest.mark.parametrize("n_classes", [0, 1, -3])
def test_fewer_than_two_classes_are_refused(n_classes):
    with pytest.raises(ValueError, match=r"n_classes must be at least 2; got"):
        Task(n_classes)


def test_the_link_of_a_regression_is_the_identity():
    np.testing.assert_array_equal(REGRESSION.link(LOGITS[:, :1]), LOGITS[:, 0])


def test_two_classes_may_have_one_logit_or_two():
    two = np.column_stack([np.zeros(2), LOGITS[:, 1]])
    np.testing.assert_allclose(Task(2).link(LOGITS[:, 1:2]), Task(2).link(two), rtol=1e-15)
    np.testing.assert_array_equal(Task(2).link(LOGITS[:, 1:2]), expit(LOGITS[:, 1]))


def test_several_classes_have_a_column_each():
    stages = np.stack([LOGITS, 2 * LOGITS])
    np.testing.assert_array_equal(Task(3).link(stages), softmax(stages, axis=-1))


def test_the_loss_is_that_of_the_kind():
    y, prediction = np.array([0.0, 1.0, 1.0]), np.array([0.1, 0.6, 0.9])
    assert REGRESSION.loss(y, prediction) == mean_squared_error(y, prediction)
    assert Task(2).loss(y, prediction) == mean_log_loss(y, prediction)
    assert REGRESSION.loss(y, prediction) != Task(2).loss(y, prediction)


@pytest.mark.parametrize("n_classes", [None, 2, 3])
def test_no_other_constant_has_a_lower_loss(n_classes):
    generator = np.random.default_rng(0)
    task, weights = Task(n_classes), generator.uniform(0.5, 2, size=60)
    y = generator.integers(n_classes or 5, size=60).astype(float)
    best = task.constant(y, weights)

    def loss(constant):
        prediction = np.broadcast_to(constant, task.prediction_shape(60))
        return task.loss(y, prediction, weights)

    for _ in range(20):
        other = best + generator.normal(scale=0.01, size=best.shape)
        other = other / other.sum() if task.is_multiclass else other
        assert loss(best) < loss(other)
