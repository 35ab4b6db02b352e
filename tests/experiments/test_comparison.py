from dataclasses import replace

import numpy as np
import pytest

from lukewarm import VariableImportance
from lukewarm.datasets import make_correlated_linear
from lukewarm.experiments._comparison import (
    compare,
    methods_of,
    one_row_per_estimate,
    own_full,
    train_full,
)
from lukewarm.experiments._models import PaperModel, paper_model
from lukewarm.reduction import EarlyStopping


@pytest.fixture(scope="module")
def data():
    return make_correlated_linear(n_samples=800, random_state=0)


def test_a_comparison_covers_the_truth_by_early_stopping_and_not_by_dropout(data):
    trained = train_full(data.X, data.y, paper_model("boosting", "quick"), np.random.default_rng(0))
    outcome = compare(trained, methods_of("boosting"), [(0,), (3,)])
    truth = data.true_importance("X1")
    warm, dropout = outcome["early_stopping"], outcome["dropout"]
    # Trees on 450 rows are a little biased themselves; dropout is a third too high.
    assert abs(warm["estimate"][0] - truth) < 0.2 * truth
    assert dropout["estimate"][0] > 1.2 * truth
    assert abs(warm["estimate"][1]) < 0.05 * truth


@pytest.mark.parametrize("conditional_imputation", [False, True])
def test_it_is_the_importance_that_the_estimator_reports(data, conditional_imputation):
    settings = replace(
        paper_model("boosting", "quick"), conditional_imputation=conditional_imputation
    )
    trained = train_full(data.X, data.y, settings, np.random.default_rng(0))
    ours = compare(trained, ["early_stopping"], [(0,)])["early_stopping"]
    way = EarlyStopping(
        settings.rule, settings.max_steps, conditional_imputation=conditional_imputation
    )
    estimator = VariableImportance(
        settings.model,
        way,
        features=["X1"],
        patience=settings.patience,
        random_state=0,
        verbose=False,
        inference="paired",
    )
    reported = estimator.fit(data.X, data.y).result_
    # Greedy trees draw nothing, and both split the rows by the generator's first numbers.
    assert ours["estimate"][0] == pytest.approx(float(reported.importance[0]), rel=1e-12)


def test_only_a_warm_method_trains_the_full_model_further(gradient_descent, data):
    # Ten steps leave the full model far from its end, so that further training shows.
    settings = PaperModel(gradient_descent, 5, 0.0, 10, 100)
    trained = train_full(data.X, data.y, settings, np.random.default_rng(0))
    plain = trained.prediction
    np.testing.assert_array_equal(own_full(trained, "retrain"), plain)
    errors = [np.mean((each - trained.full.evaluation.y) ** 2) for each in (plain,)]
    further = np.mean((own_full(trained, "early_stopping") - trained.full.evaluation.y) ** 2)
    assert further < 0.5 * errors[0]
    outcome = compare(trained, ["early_stopping"], [(3,)])["early_stopping"]
    assert outcome["literal"][0] < 0 < 0.01 + outcome["estimate"][0]


def test_records_become_one_row_per_method_and_feature():
    numbers = {"estimate": [1.0, 2.0], "seconds": [0.1, 0.2]}
    record = {
        **{"model": "boosting", "features": ["a", "b"], "truth": None},
        "methods": {"dropout": numbers, "retrain": numbers},
    }
    frame = one_row_per_estimate([record])
    assert frame["method"].tolist() == ["dropout"] * 2 + ["retrain"] * 2
    assert frame["estimate"].tolist() == [1.0, 2.0] * 2
    assert frame["truth"].isna().all()


def test_networks_are_compared_by_kernel_flow_too():
    assert "kernel_flow" not in methods_of("boosting")
    assert methods_of("network", with_lazy=True)[-2:] == ("kernel_flow", "lazy")
