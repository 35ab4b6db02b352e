import numpy as np
import pytest

from lukewarm.estimators._runs import plan_runs


def _plan(n_rows, cv=None, strata=None, n_evaluation=0, with_halves=True):
    generator = np.random.default_rng(0)
    return plan_runs(n_rows, n_evaluation, 0.75, cv, generator, strata, with_halves=with_halves)


PLANS = {
    "thirds": {"n_rows": 300},
    "one split": {"n_rows": 2400},
    "folds": {"n_rows": 300, "cv": 5},
    "named rows": {"n_rows": 300, "n_evaluation": 60},
}


@pytest.mark.parametrize("case", PLANS.values(), ids=PLANS)
def test_halves_are_disjoint_and_neither_meets_the_rows_it_judges(case):
    plan = _plan(**case)
    for fold, whole, *halves in zip(plan.folds, plan.whole, *plan.halves, strict=True):
        splits = [plan.splits[model] for model in (whole, *halves)]
        learnt = [set(split.train) | set(split.stopping) for split in splits]
        assert not set(splits[1].train) & set(splits[2].train)
        assert not any(rows & set(fold) for rows in learnt)
        assert (learnt[1] | learnt[2]) <= learnt[0]
        sizes = [len(split.train) for split in splits]
        assert sizes[1] == pytest.approx(sizes[0] / 2, abs=2)


@pytest.mark.parametrize("case", PLANS.values(), ids=PLANS)
def test_predictions_are_stacked_row_by_row(case):
    plan = _plan(**case)
    # A model that predicts the number of the row.
    predictions = [split.evaluation.astype(float) for split in plan.splits]
    for models in (plan.whole, *plan.halves):
        assert np.array_equal(plan.stack(models, predictions), plan.numbers)


def test_few_rows_are_all_evaluated_once_by_six_models():
    plan = _plan(300)
    assert len(plan.splits) == 6
    assert sorted(plan.numbers) == list(range(300))


def test_every_part_holds_the_classes_in_their_shares():
    strata = np.arange(600) % 2
    for plan in (_plan(600, strata=strata), _plan(600, 4, strata)):
        for split in plan.splits:
            for rows in (split.train, split.stopping, split.evaluation):
                assert strata[rows].mean() == pytest.approx(0.5, abs=0.02)


def test_without_halves_there_is_one_model_per_fold():
    plan = _plan(300, 5, with_halves=False)
    assert plan.halves is None
    assert len(plan.splits) == 5


def test_thirds_have_three_independent_halves_and_splits_two():
    generator = np.random.default_rng(0)
    thirds = plan_runs(60, 0, 0.75, None, generator, None, with_halves=True)
    assert thirds.n_independent_halves == 3
    folds = plan_runs(60, 0, 0.75, 5, generator, None, with_halves=True)
    assert folds.n_independent_halves == 2
    split = plan_runs(60, 0, 0.75, None, generator, None, with_halves=True, rotates=False)
    assert split.n_independent_halves == 2
