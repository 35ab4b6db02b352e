"""Torch modules and networks as learners."""

import subprocess
import sys

import numpy as np
import pytest

from lukewarm.data import Rows
from lukewarm.learners import Learner, train_until
from lukewarm.stopping import Patience

torch = pytest.importorskip("torch")

from lukewarm.learners import Network, TorchLearner  # noqa: E402
from lukewarm.learners.torch._layers import rescaled  # noqa: E402


def regression_rows(n_rows=300, seed=0):
    X = np.random.default_rng(seed).normal(size=(n_rows, 3)) * [1, 10, 0.1] + [0, 1000, -5]
    return X, 3 * X[:, 0] + 0.2 * (X[:, 1] - 1000) + 50


def class_rows(n_classes, n_rows=300):
    X = np.random.default_rng(0).normal(size=(n_rows, 3))
    return X, np.digitize(X[:, 0], np.linspace(-0.7, 0.7, n_classes - 1)).astype(float)


class WithDropout(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(
            torch.nn.Linear(3, 16), torch.nn.ReLU(), torch.nn.Dropout(0.2), torch.nn.Linear(16, 1)
        )

    def forward(self, inputs):
        return self.layers(inputs)


LEARNERS = {
    "network": lambda: Network((16,), learning_rate=0.01),
    "standard": lambda: Network((16, 8), parameterization="standard", activation="tanh"),
    "momentum": lambda: Network((16,), optimizer="momentum", learning_rate=0.01),
    "sgd": lambda: Network((16,), optimizer="sgd", learning_rate=0.1, activation="gelu"),
    "portions": lambda: Network((16,), learning_rate=0.02, steps_per_epoch=3),
    "module": lambda: TorchLearner(torch.nn.Linear(3, 1), learning_rate=0.03),
    "dropout": lambda: TorchLearner(WithDropout(), learning_rate=0.01),
}


@pytest.fixture(params=LEARNERS, name="learner")
def _learner(request):
    return LEARNERS[request.param]().fresh(1)


def test_follows_the_contract(learner):
    assert isinstance(learner, Learner)
    assert learner.n_steps == 0


def test_a_module_of_other_columns_is_refused_with_their_number():
    X, _ = regression_rows()
    learner = TorchLearner(torch.nn.Linear(5, 1))
    with pytest.raises(RuntimeError, match=r"does not take the 3 columns of X.*300x3 and 5x1"):
        learner.predict(X)


def test_advance_by_parts_equals_advance_at_once(learner):
    X, y = regression_rows()
    at_once = learner.copy()
    learner.advance(X, y, 3)
    learner.advance(X, y, 4)
    at_once.advance(X, y, 7)
    assert learner.n_steps == at_once.n_steps == 7
    np.testing.assert_array_equal(learner.predict(X), at_once.predict(X))


def test_training_learns_and_changes_the_predictions(learner):
    X, y = regression_rows()
    learner.advance(X, y, 60)
    assert np.mean((learner.predict(X) - y) ** 2) < 0.5 * np.var(y)


def test_steps_stay_short_where_the_noise_begins():
    X, y = regression_rows()
    learner = Network((16,), learning_rate=0.01)
    learner.advance(X, y, 100)
    noisy = y + 10 * np.std(y) * np.random.default_rng(1).normal(size=len(y))
    remembering, anew = learner.copy(seed=1), learner.copy(seed=1)
    anew.scale_learning_rate(1.0)
    for each in (remembering, anew):
        each.advance(X, noisy, 1)
    moved = [np.ptp(each.predict(X) - learner.predict(X)) for each in (remembering, anew)]
    assert moved[1] < 0.5 * moved[0]


def modules_with_a_linear_end():
    standard = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2))
    without_bias = torch.nn.Sequential(torch.nn.Linear(3, 2, bias=False))
    several, flat = Network((4,), n_classes=3), Network((4,), n_classes=2, bias_scale=0.0)
    for network in (several, flat):
        network.predict(np.zeros((2, 3)))
    return [standard, without_bias, torch.nn.Linear(3, 2), several.module, flat.module]


@pytest.mark.parametrize("module", modules_with_a_linear_end())
def test_rescaled_outputs_are_the_old_ones_times_the_scale_plus_the_offset(module):
    rows = torch.randn(5, 3, generator=torch.Generator().manual_seed(0))
    before = module(rows).detach()
    offset = torch.linspace(-1, 1, before.shape[1])
    after = rescaled(module, 0.3, offset)(rows)
    torch.testing.assert_close(after, offset + 0.3 * before)


def test_copy_leaves_its_original_alone(learner):
    X, y = regression_rows()
    learner.advance(X, y, 2)
    before = learner.predict(X)
    copied = learner.copy(seed=3)
    copied.advance(X, y, 3)
    np.testing.assert_array_equal(learner.predict(X), before)
    assert not np.array_equal(copied.predict(X), before)


def test_copy_goes_on_as_its_original_would(learner):
    X, y = regression_rows()
    learner.advance(X, y, 2)
    copied = learner.copy()
    copied.advance(X, y, 3)
    learner.advance(X, y, 3)
    np.testing.assert_array_equal(learner.predict(X), copied.predict(X))


def test_fresh_depends_on_its_seed_alone(learner):
    X, y = regression_rows()
    learner.advance(X, y, 1)
    first, again, other = (learner.fresh(seed).predict(X) for seed in (5, 5, 6))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_global_seed_is_left_alone(learner):
    X, y = regression_rows()
    state = torch.get_rng_state()
    learner.fresh(2).advance(X, y, 2)
    assert torch.equal(torch.get_rng_state(), state)


def test_training_is_independent_of_the_global_seed(learner):
    X, y = regression_rows()
    copied = learner.copy()
    learner.advance(X, y, 2)
    with torch.random.fork_rng():
        torch.manual_seed(77)
        copied.advance(X, y, 2)
    np.testing.assert_array_equal(learner.predict(X), copied.predict(X))


def test_raw_pressures_train_well():
    X, y = regression_rows()
    learner = Network((64,), learning_rate=3e-3)
    learner, trace = train_until(learner, Rows(X, y), Rows(X, y), Patience(5), 200)
    assert trace.losses[trace.stopped_step] < 0.02 * np.var(y)


def test_zero_weight_rows_have_no_say():
    # Rows of weight 0 carry a target of the opposite sign: learning from them would show.
    X, y = regression_rows()
    weights = np.repeat([1.0, 0.0], 150)
    corrupted = np.where(weights > 0, y, -20 * y)
    learner = Network((32,), learning_rate=0.01)
    learner.advance(X, corrupted, 100, weights)
    error = np.mean((learner.predict(X[:150]) - y[:150]) ** 2)
    assert error < 0.1 * np.var(y[:150])


@pytest.mark.parametrize("n_classes", [2, 3])
def test_network_classifies(n_classes):
    X, codes = class_rows(n_classes)
    learner = Network((32,), learning_rate=0.01).for_classes(n_classes)
    before = learner.loss(codes, learner.predict(X))
    learner.advance(X, codes, 60)
    probability = learner.predict(X)
    assert probability.shape == ((300,) if n_classes == 2 else (300, n_classes))
    assert learner.loss(codes, probability) < 0.3 * before


def test_module_with_two_logits_gives_the_second_probability():
    X, codes = class_rows(2)
    learner = TorchLearner(torch.nn.Linear(3, 2), learning_rate=0.05).for_classes(2)
    learner.advance(X, codes, 40)
    assert learner.predict(X).shape == (300,)
    assert np.mean((learner.predict(X) > 0.5) == codes) > 0.95


def test_own_loss_trains_and_stops():
    # The absolute loss fits the median, here 0, where the mean is near 2.
    generator = np.random.default_rng(0)
    X = generator.normal(size=(400, 1)) * 1e-3
    y = np.where(generator.random(400) < 0.2, 10.0, 0.0)
    learner = TorchLearner(torch.nn.Linear(1, 1), loss=torch.nn.L1Loss(), learning_rate=0.05)
    learner.advance(X, y, 60)
    median = np.median(learner.predict(X))
    assert abs(median) < 0.5 < abs(np.mean(y) - median)
    assert learner.loss(y, np.zeros(400)) < learner.loss(y, np.full(400, 2.0))


def test_divergence_names_the_learning_rate():
    X, y = regression_rows()
    learner = Network((64,), optimizer="sgd", learning_rate=1e4)
    with pytest.raises(FloatingPointError, match=r"learning_rate=10000.*smaller"):
        learner.advance(X, y, 20)


def test_users_module_is_never_changed():
    X, y = regression_rows()
    module = torch.nn.Linear(3, 1)
    weight = module.weight.detach().clone()
    TorchLearner(module).advance(X, y, 3)
    assert torch.equal(module.weight, weight)


def test_bare_parameters_cannot_be_drawn_anew():
    class Shift(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.shift = torch.nn.Parameter(torch.zeros(1))

        def forward(self, inputs):
            return inputs[:, 0] + self.shift

    with pytest.raises(TypeError, match="reset_parameters"):
        TorchLearner(Shift()).fresh(0)


def test_batch_norm_survives_one_row_left_over():
    # 65 rows in batches of 64 would leave a batch of one.
    module = torch.nn.Sequential(
        torch.nn.Linear(3, 8), torch.nn.BatchNorm1d(8), torch.nn.ReLU(), torch.nn.Linear(8, 1)
    )
    X, y = regression_rows(65)
    learner = TorchLearner(module, batch_size=64)
    learner.advance(X, y, 2)
    assert np.isfinite(learner.predict(X)).all()


def test_paper_setup_has_the_papers_scaling():
    X, _ = regression_rows()
    learner = Network((32, 32), weight_scale=0.99**0.5, bias_scale=0.1)
    output = learner.predict(X[:1])
    layers = [layer for layer in learner.module if hasattr(layer, "weight")]
    signal = torch.as_tensor(X[:1], dtype=torch.float32)
    for number, layer in enumerate(layers):
        scale = (1 - 0.1**2) ** 0.5 / signal.shape[1] ** 0.5
        signal = scale * signal @ layer.weight.T + 0.1 * layer.bias
        signal = torch.relu(signal) if number < len(layers) - 1 else signal
    # float32 sums of 32 terms of order 100 in another order
    assert output[0] == pytest.approx(signal.item(), rel=1e-4)


def test_torch_loads_only_when_asked_for():
    code = "import sys, lukewarm.learners; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_small_steps_leave_the_number_of_threads_as_it_was(generator):
    threads = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        X = generator.normal(size=(50, 2))
        learner = Network(widths=(8,))
        learner.advance(X, X[:, 0], 1)
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(threads)


def test_small_steps_take_one_thread_and_large_ones_all(generator):
    from lukewarm.learners.torch._loop import threads_for

    threads = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        with threads_for(32, torch.nn.Linear(8, 8)):
            assert torch.get_num_threads() == 1
        with threads_for(32, torch.nn.Linear(2048, 2048)):
            assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(threads)
