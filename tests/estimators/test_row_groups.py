import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsRegressor

import lukewarm as lw
from lukewarm.data import RowUnits
from lukewarm.estimators._runs import plan_runs


@pytest.fixture(scope="module")
def patients():
    return visits(np.random.default_rng(0))


def visits(generator, n_groups=40, n_each=10):
    """Row-level "dose" matters; "site" is the patient's own and worth nothing."""
    groups = np.repeat(np.arange(n_groups), n_each)
    X = pd.DataFrame(
        {
            "dose": generator.normal(size=len(groups)),
            "site": generator.normal(size=n_groups)[groups],
        }
    )
    noise = generator.normal(size=n_groups)[groups] + 0.5 * generator.normal(size=len(groups))
    return X, X["dose"] + noise, groups


def fit(
    X,
    y,
    *args,
    model=None,
    groups=None,
    estimator=lw.VariableImportance,
    X_eval=None,
    **options,
):
    more = {key: options.pop(key) for key in ("y_eval", "groups_eval") if key in options}
    model = LinearRegression() if model is None else model
    fitted = estimator(model, "projection", random_state=0, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.exceptions.HealthWarning)
        return fitted.fit(X, y, *args, groups=groups, X_eval=X_eval, **more)


@pytest.mark.parametrize("cv", [None, 4])
@pytest.mark.parametrize("n_rows", [240, 2400])
@pytest.mark.parametrize("with_halves", [True, False])
@pytest.mark.parametrize("has_classes", [True, False])
def test_no_group_straddles_training_stopping_and_evaluation(cv, n_rows, with_halves, has_classes):
    generator = np.random.default_rng(0)
    groups = generator.integers(0, 30, n_rows)
    strata = (groups % 3 == 0).astype(float) if has_classes else None
    plan = plan_runs(
        n_rows,
        0,
        0.75,
        cv,
        generator,
        strata,
        with_halves=with_halves,
        units=RowUnits(groups),
    )
    for split in plan.splits:
        train, stopping, evaluation = (
            set(groups[rows]) for rows in (split.train, split.stopping, split.evaluation)
        )
        assert train
        assert stopping
        assert evaluation
        assert not train & stopping
        assert not evaluation & (train | stopping)
        if has_classes:
            assert all(len(set(strata[rows])) == 2 for rows in (split.train, split.evaluation))
    if with_halves:
        for one, other in zip(*plan.halves, strict=True):
            halves = [set(groups[plan.splits[model].train]) for model in (one, other)]
            assert not halves[0] & halves[1]


def test_groups_of_unequal_size_meet_the_shares_as_nearly_as_they_can():
    groups = np.repeat(np.arange(60), np.arange(60) % 7 + 1)
    for seed in range(10):
        generator = np.random.default_rng(seed)
        plan = plan_runs(
            len(groups), 0, 0.75, None, generator, None, with_halves=False, units=RowUnits(groups)
        )
        # A cut moves to the nearest border, at most half of the largest group away.
        assert len(plan.folds[0]) == pytest.approx(0.25 * len(groups), abs=3.5)


def test_what_patients_share_no_longer_passes_for_an_importance():
    # Four tables whose "site" is worth nothing, but tells patients apart: at 5 % two rejections
    # come once in 70 runs.
    for_rows, for_groups = [], []
    for seed in range(4):
        X, y, groups = visits(np.random.default_rng(seed))
        options = {"model": KNeighborsRegressor(), "inference": "paired", "features": ["site"]}
        for_rows.append(fit(X, y, cv=2, **options).result_.p_value()[0])
        found = fit(X, y, cv=2, groups=groups, **options).result_
        for_groups.append(found.p_value()[0])
    assert max(for_rows) < 0.05
    assert sum(each < 0.05 for each in for_groups) <= 1


def test_a_result_of_groups_has_an_influence_value_for_each(patients):
    X, y, groups = patients
    result = fit(X, y, groups=groups).result_
    assert result.influence.shape == (2, 40)
    assert result.scores[0].influence.shape[0] < 40
    np.testing.assert_array_equal(
        pd.factorize(groups[result.rows])[0], pd.factorize(result.clusters)[0]
    )
    assert "400 rows in 40 groups" in repr(result)


def test_labels_may_be_text_and_their_order_has_no_meaning(patients):
    X, y, groups = patients
    text = pd.Series([f"patient {group % 7} {group}" for group in groups], dtype="category")
    first, second = fit(X, y, groups=groups).result_, fit(X, y, groups=text).result_
    assert (
        first.to_frame().drop(columns="seconds").equals(second.to_frame().drop(columns="seconds"))
    )


def test_shapley_errors_count_groups(patients):
    X, y, groups = patients
    some = groups < 20
    table = X[some], (y + 2 * X["site"])[some]
    evaluation = {"X_eval": X[~some], "y_eval": (y + 2 * X["site"])[~some]}
    labels = {"groups": groups[some], "groups_eval": groups[~some]}
    options = {"estimator": lw.ShapleyImportance, "inference": "paired", **evaluation}
    by_row, by_group = (fit(*table, **each, **options).result_ for each in ({}, labels))
    # The same full model; guesses of a column by the other are chosen by whole groups, or by rows.
    np.testing.assert_allclose(by_group.shapley_value, by_row.shapley_value, rtol=0.1)
    # All ten rows of a patient have one site.
    assert by_group.data_error[1] > 2 * by_row.data_error[1]
    assert by_group.n_rows == 200
    split = fit(*table, **labels, **options | {"inference": "split"}).result_
    assert split.with_rows.shape == (20,)
    assert split.data_error[1] > by_group.data_error[1]


def test_rows_without_weight_leave_their_groups(patients):
    X, y, groups = patients
    weights = (groups >= 10).astype(float)
    result = fit(X, y, weights, groups=groups).result_
    assert result.influence.shape == (2, 30)


def test_evaluation_rows_of_the_user_have_groups_of_their_own(patients):
    X, y, groups = patients
    some = groups < 25
    evaluation = {"X_eval": X[~some], "y_eval": y[~some]}
    result = fit(X[some], y[some], groups=groups[some], groups_eval=groups[~some], **evaluation)
    assert result.result_.influence.shape == (2, 15)
    with pytest.raises(ValueError, match=r"groups_eval must name other groups.* both have 0"):
        fit(X[some], y[some], groups=groups[some], groups_eval=groups[: sum(~some)], **evaluation)
    with pytest.raises(ValueError, match="pass both or neither"):
        fit(X[some], y[some], groups=groups[some], **evaluation)
    with pytest.raises(ValueError, match="groups_eval belongs to X_eval"):
        fit(X, y, groups=groups, groups_eval=groups)


@pytest.mark.parametrize(
    ("n_groups", "options", "message"),
    [
        (
            2,
            {"inference": "paired"},
            "groups has 2 different values in 400 rows, to be cut into 3 parts",
        ),
        (5, {"inference": "learning_curve"}, "groups (must|has)"),
        (3, {"cv": 3}, "3 groups are too few for folds"),
        (7, {"cv": 4}, "at least 2 groups in every fold.*7 groups allow at most 3 folds"),
        (3, {"inference": "paired"}, "groups must leave at least 2 groups in every part"),
    ],
)
def test_too_few_groups_are_refused_before_training(n_groups, options, message):
    X, y, _ = visits(np.random.default_rng(0))
    with pytest.raises(ValueError, match=message):
        fit(X, y, groups=np.arange(400) % n_groups, **options)


def test_few_groups_train_no_halves(patients):
    X, y, _ = patients
    assert fit(X, y, groups=np.arange(400) % 11).result_.inference == "paired"
    assert fit(X, y, groups=np.arange(400) % 12).result_.inference == "learning_curve"


def test_few_groups_are_warned_of(patients):
    X, y, groups = patients
    with pytest.warns(lw.exceptions.HealthWarning, match="only 10 groups of rows evaluate each"):
        lw.VariableImportance(LinearRegression(), inference="paired", random_state=0).fit(
            X, y, groups=groups
        )


def test_folds_of_a_stopping_rule_do_not_know_groups(patients):
    X, y, groups = patients
    vi = lw.VariableImportance("boosting", "early_stopping", stopping="cross_validation")
    with pytest.raises(ValueError, match=r"stopping='cross_validation'.*groups"):
        vi.fit(X, y, groups=groups)


def test_the_selector_passes_groups_on(patients):
    X, y, groups = patients
    selector = lw.ImportanceSelector(LinearRegression(), random_state=0).fit(X, y, groups=groups)
    assert selector.importance_.result_.influence.shape == (2, 40)
