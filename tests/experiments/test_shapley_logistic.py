import numpy as np
import pytest
from matplotlib import pyplot as plt
from scipy.special import expit

from lukewarm.datasets import make_logistic
from lukewarm.experiments._shapley_logistic import ShapleyLogistic
from lukewarm.experiments._truths import _explained_variance, true_logistic_shapley


def test_the_true_values_share_out_the_variance_of_the_signal():
    y = make_logistic(n_samples=200_000, noise_std=0.0, random_state=0).y
    values = true_logistic_shapley()
    assert values.sum() > 0.2
    # The variance of 200,000 values near 0 and 1 is known to about 0.0002.
    assert values.sum() == pytest.approx(float(y.var()), abs=1e-3)


def test_quadrature_agrees_with_simulation():
    generator = np.random.default_rng(0)
    known, hidden = generator.standard_normal((2, 400, 1)), generator.standard_normal((1, 4000))
    best = expit(30 * known[0] + 40 * hidden).mean(axis=1)
    # 400 draws of the mean: a relative error of about sqrt(2 / 400).
    assert _explained_variance(2500.0, 1600.0) == pytest.approx(best.var(), rel=0.25)
    assert _explained_variance(2500.0, 2500.0) == pytest.approx(0, abs=1e-12)


def test_one_replicate_finds_the_large_values():
    job = {"scale": "quick", "model": "boosting", "method": "early_stopping"}
    outcome = ShapleyLogistic().run({**job, "replicate": 0, "seed": 0})
    truth, found = true_logistic_shapley(), np.array(outcome["shapley"])
    assert outcome["n_fits"] == 100
    assert np.corrcoef(truth, found)[0, 1] > 0.9


def record(method, shift, seconds, model="boosting"):
    values = (true_logistic_shapley() + shift).tolist()
    return {
        **{"model": model, "method": method, "replicate": 0, "n_fits": 100},
        **{"shapley": values, "seconds": seconds},
    }


def test_the_table_has_errors_and_the_speed_beside_the_papers():
    records = [record("retrain", 0.02, 6.0), record("early_stopping", 0.03, 2.0)]
    table = ShapleyLogistic().table(records).set_index("method")
    assert table.loc["early_stopping", "error_to_truth"] == pytest.approx(0.03)
    assert table.loc["early_stopping", "error_to_retrain"] == pytest.approx(0.01)
    assert table.loc["early_stopping", "speed_up"] == pytest.approx(3)
    assert table.loc["early_stopping", "paper_speed_up"] == pytest.approx(2.7, abs=0.01)


def test_the_figure_shows_ten_values_per_method_over_the_truth():
    figure = ShapleyLogistic().figure([record("retrain", 0.02, 6.0), record("dropout", 0, 1.0)])
    assert len(figure.axes[0].patches) == 10
    assert len(figure.axes[0].get_xticks()) == 10
    plt.close("all")
