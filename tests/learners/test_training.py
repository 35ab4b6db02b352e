import numpy as np
import pytest

from lukewarm.data import Rows
from lukewarm.learners import Learner, ObliviousBoosting, train_until
from lukewarm.stopping import FixedSteps, Patience


@pytest.fixture
def rows(generator):
    X = generator.normal(size=(200, 3))
    y = X @ [1.0, 2.0, 0.0] + generator.normal(size=200)
    return Rows(X[:120], y[:120]), Rows(X[120:], y[120:])


def test_the_smallest_learner_follows_the_protocol(gradient_descent):
    assert isinstance(gradient_descent, Learner)


@pytest.mark.parametrize("kind", ["stepwise", "staged"])
def test_the_learner_returned_stands_at_the_best_step(kind, rows, gradient_descent):
    learner = gradient_descent if kind == "stepwise" else ObliviousBoosting(depth=2)
    train, stopping = rows
    trained, trace = train_until(learner, train, stopping, Patience(4), max_steps=300)
    assert 0 < trace.stopped_step == trained.n_steps < trace.n_steps_taken
    loss = np.mean((stopping.y - trained.predict(stopping.X)) ** 2)
    np.testing.assert_allclose(loss, trace.losses[trace.stopped_step], rtol=1e-9)
    assert trace.losses[trace.stopped_step] == trace.losses.min()


@pytest.mark.parametrize("kind", ["stepwise", "staged"])
def test_training_goes_exactly_patience_steps_past_the_best(kind, rows, gradient_descent):
    learner = gradient_descent if kind == "stepwise" else ObliviousBoosting(depth=2)
    _, trace = train_until(learner, *rows, Patience(4), max_steps=300)
    assert trace.n_steps_taken == trace.stopped_step + 4


@pytest.mark.parametrize("kind", ["stepwise", "staged"])
def test_max_steps_ends_training(kind, rows, gradient_descent):
    learner = gradient_descent if kind == "stepwise" else ObliviousBoosting(depth=2)
    _, trace = train_until(learner, *rows, Patience(50), max_steps=7)
    assert trace.n_steps_taken == 7


def test_losses_begin_before_any_step(rows, gradient_descent):
    _, trace = train_until(gradient_descent, *rows, FixedSteps(3), max_steps=10)
    np.testing.assert_allclose(trace.losses[0], np.mean(rows[1].y ** 2))
    assert trace.n_steps_taken == 3


def test_weights_of_the_stopping_rows_count(rows, gradient_descent):
    train, stopping = rows
    weights = np.zeros(len(stopping))
    weights[:5] = 1
    _, trace = train_until(
        gradient_descent, train, Rows(stopping.X, stopping.y, weights), FixedSteps(1), 10
    )
    np.testing.assert_allclose(trace.losses[0], np.mean(stopping.y[:5] ** 2))


def test_no_block_is_trained_after_the_rule_says_stop():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(60, 2))
    # Trees learn noise only, so the first step is the best and the first block the last.
    rows, others = Rows(X, generator.normal(size=60)), Rows(X, np.zeros(60))
    learner = ObliviousBoosting()
    advanced = []
    advance = learner.advance

    def counted(X, y, n_steps, weights=None):
        advanced.append(n_steps)
        advance(X, y, n_steps, weights)

    learner.advance = counted
    _, trace = train_until(learner, rows, others, Patience(learner.block_size), 100)
    assert trace.stopped_step == 0
    assert advanced == [learner.block_size]
