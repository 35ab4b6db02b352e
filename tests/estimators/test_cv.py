import warnings
from datetime import datetime, timedelta

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    RepeatedKFold,
    StratifiedKFold,
    TimeSeriesSplit,
)

import lukewarm as lw

N_ROWS = 120


@pytest.fixture(scope="module")
def table():
    generator = np.random.default_rng(0)
    X = pd.DataFrame(generator.normal(size=(N_ROWS, 2)), columns=["a", "b"])
    return X, X["a"] + generator.normal(size=N_ROWS)


def fit(X, y, *args, model=None, groups=None, time=None, **options):
    settings = {"inference": "paired", "random_state": 0, **options}
    model = LinearRegression() if model is None else model
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.exceptions.HealthWarning)
        vi = lw.VariableImportance(model, "projection", **settings)
        return vi.fit(X, y, *args, groups=groups, time=time)


def runs(fitted):
    return fitted._prepared.runs


def test_a_splitter_names_the_rows_that_evaluate(table):
    fitted = fit(*table, cv=KFold(4))
    expected = [evaluation for _, evaluation in KFold(4).split(table[0])]
    for fold, rows in zip(runs(fitted).folds, expected, strict=True):
        np.testing.assert_array_equal(fold, rows)
    # Of a model that is fitted in one go the numbers are those of a loop by hand.
    full = np.empty(N_ROWS)
    X, y = table[0].to_numpy(), table[1].to_numpy()
    for rows in expected:
        others = np.setdiff1d(np.arange(N_ROWS), rows)
        full[rows] = LinearRegression().fit(X[others], y[others]).predict(X[rows])
    by_hand = -np.mean([np.mean((y[rows] - full[rows]) ** 2) for rows in expected])
    assert fitted.result_.full.value == pytest.approx(by_hand)


def test_index_pairs_and_their_splitter_give_the_same(table):
    pairs = list(KFold(3, shuffle=True, random_state=1).split(table[0]))
    first, second = (
        fit(*table, cv=cv).result_ for cv in (pairs, KFold(3, shuffle=True, random_state=1))
    )
    np.testing.assert_array_equal(first.influence, second.influence)


def test_classes_reach_the_splitter(table):
    X, y = table
    labels = np.where(y > 0.5, "high", "low")
    fitted = fit(X, labels, model="boosting", max_steps=2, cv=StratifiedKFold(3), features=["a"])
    shares = [np.mean(labels[fold] == "high") for fold in runs(fitted).folds]
    assert np.ptp(shares) < 0.03


def test_triples_name_the_stopping_rows(table):
    triple = np.arange(60), np.arange(60, 80), np.arange(80, 120)
    fitted = fit(*table, model="boosting", max_steps=2, cv=[triple], features=["a"])
    split = runs(fitted).splits[0]
    for found, given in zip((split.train, split.stopping, split.evaluation), triple, strict=True):
        np.testing.assert_array_equal(found, given)


def test_numbers_of_rows_are_those_of_the_table_where_some_have_no_weight(table):
    weights = np.ones(N_ROWS)
    weights[:20] = 0
    pairs = [(np.arange(70), np.arange(70, 120))]
    fitted = fit(*table, weights, cv=pairs)
    np.testing.assert_array_equal(fitted.result_.rows, np.arange(70, 120))
    learnt = runs(fitted).splits[0]
    assert len(learnt.train) + len(learnt.stopping) == 50


def test_a_row_that_is_evaluated_twice_counts_once(table):
    folds = list(KFold(4).split(table[0]))
    once, twice = (fit(*table, cv=cv).result_ for cv in (folds, folds + folds))
    assert len(twice.rows) == 2 * N_ROWS
    np.testing.assert_allclose(twice.standard_error, once.standard_error, rtol=1e-9)
    np.testing.assert_allclose(twice.importance, once.importance)
    # One p-value is Student's with 119 degrees of freedom, the other normal.
    assert twice.p_value()[1] == pytest.approx(once.p_value()[1], rel=0.05)
    repeated = fit(*table, cv=RepeatedKFold(n_splits=3, n_repeats=2, random_state=0)).result_
    assert repeated.influence.shape == (2, N_ROWS)


def test_groups_reach_the_splitter_and_may_not_be_parted(table):
    groups = np.arange(N_ROWS) // 6
    fitted = fit(*table, cv=GroupKFold(4), groups=groups)
    for split in runs(fitted).splits:
        parts = [set(groups[rows]) for rows in (split.train, split.stopping, split.evaluation)]
        assert not parts[0] & parts[1]
        assert not (parts[0] | parts[1]) & parts[2]
    with (
        pytest.warns(UserWarning, match="groups parameter is ignored by KFold"),
        pytest.raises(ValueError, match=r"cv\[1\] parts the group of row 30.* GroupKFold"),
    ):
        fit(*table, cv=KFold(7), groups=groups)
    with pytest.raises(ValueError, match=r"cv could not split the 120 rows: .*groups"):
        fit(*table, cv=GroupKFold(4))


class TestTime:
    def test_the_first_rows_train_the_last_evaluate(self, table):
        time = np.random.default_rng(1).permutation(N_ROWS)
        plan = runs(fit(*table, time=time, inference="learning_curve"))
        split, later = plan.splits
        parts = [time[rows] for rows in (split.train, split.stopping, split.evaluation)]
        assert parts[0].max() < parts[1].min()
        assert parts[1].max() < parts[2].min()
        assert sum(map(len, parts)) == N_ROWS
        # The half is the later one of the training rows, and the only one.
        assert sorted(time[later.train]) == sorted(parts[0])[len(parts[0]) // 2 :]
        assert plan.halves == ((1,), (1,))

    def test_folds_are_blocks_judged_by_models_of_those_before(self, table):
        time = pd.date_range("2024-01-01", periods=N_ROWS, freq="D", tz="Europe/Berlin")
        plan = runs(fit(*table, time=pd.Series(time), cv=3))
        assert [len(fold) for fold in plan.folds] == [30, 30, 30]
        for split in plan.splits:
            assert split.train.max() < split.stopping.min() <= split.stopping.max()
            assert split.stopping.max() < split.evaluation.min()
        # No row is evaluated after it was trained on, so pairs of rows count once.
        assert not plan.counts_twice

    @pytest.mark.parametrize("time", [None, np.arange(N_ROWS)])
    def test_a_splitter_in_order_takes_the_last_training_rows_to_stop(self, table, time):
        plan = runs(fit(*table, time=time, cv=TimeSeriesSplit(3), inference="learning_curve"))
        assert len(plan.splits) == 6
        for split in plan.splits:
            assert split.train.max() < split.stopping.min()
            assert split.stopping.max() < split.evaluation.min()

    def test_times_may_be_objects_of_python(self, table):
        time = [datetime(2024, 1, 1) + timedelta(hours=hour) for hour in range(N_ROWS)]
        assert runs(fit(*table, time=time)).folds[0].tolist() == list(range(90, N_ROWS))

    def test_rows_of_one_time_stay_together(self, table):
        time = np.arange(N_ROWS) // 7
        split = runs(fit(*table, time=time)).splits[0]
        parts = [set(time[rows]) for rows in (split.train, split.stopping, split.evaluation)]
        assert not parts[0] & parts[1]
        assert not parts[1] & parts[2]

    def test_groups_that_follow_each_other_are_clusters_in_order(self, table):
        time, week = np.arange(N_ROWS)[::-1], 17 - np.arange(N_ROWS) // 7
        result = fit(*table, time=time, groups=week).result_
        assert set(week[result.rows]) == {14, 15, 16, 17}
        assert result.influence.shape == (2, 4)

    def test_overlapping_windows_are_refused(self, table):
        shops = np.arange(N_ROWS) % 4
        with pytest.raises(ValueError, match="time windows of groups 0 and 1 overlap"):
            fit(*table, time=np.arange(N_ROWS), groups=shops)
        shuffled = np.random.default_rng(0).permutation(N_ROWS)
        with pytest.raises(ValueError, match=r"cv\[0\]: the time windows of its training .* Sort"):
            fit(*table, time=shuffled, cv=TimeSeriesSplit(3))

    @pytest.mark.parametrize(
        ("time", "error", "message"),
        [
            (np.arange(N_ROWS).astype(str), TypeError, "time must hold numbers or dates"),
            (np.arange(N_ROWS - 1), ValueError, "one value for each of the 120 rows"),
            (np.zeros((N_ROWS, 2)), ValueError, "one value for each of the 120 rows"),
            (np.r_[np.nan, np.arange(N_ROWS - 1)], ValueError, "row 0 has none"),
            (np.zeros(N_ROWS), ValueError, "time must give each part of the rows one of its own"),
        ],
    )
    def test_times_that_order_nothing_are_refused(self, table, time, error, message):
        with pytest.raises(error, match=message):
            fit(*table, time=time)

    def test_a_class_that_comes_late_is_refused(self, table):
        labels = np.repeat(["early", "late"], [100, 20])
        with pytest.raises(ValueError, match=r"class 'late' of y .* none is left to train on"):
            fit(table[0], labels, model="boosting", time=np.arange(N_ROWS))


@pytest.mark.parametrize(
    ("cv", "error", "message"),
    [
        ("5", TypeError, "cv must be"),
        (1, ValueError, "cv must be at least 2"),
        (2.0, TypeError, "cv must be"),
        ([], ValueError, "cv gave no fold"),
        (iter(()), ValueError, "a generator can be used once only"),
        ([np.arange(5)], ValueError, r"cv\[0\] must be a pair"),
        ([(np.arange(5), [0.5, 1.5])], ValueError, r"cv\[0\] must hold the numbers of its eval"),
        ([(np.arange(5), np.array([True, False]))], ValueError, "must hold the numbers"),
        ([(np.arange(100), [119, 120])], ValueError, r"cv\[0\] names row 120 .* 0 to 119"),
        ([(np.arange(100), [-1, 110])], ValueError, r"cv\[0\] names row -1"),
        ([(np.arange(100), [110, 110])], ValueError, "names a row twice"),
        ([(np.arange(100), [99, 110])], ValueError, "has row 99 both among its training and its"),
        ([(np.arange(100), [])], ValueError, "must hold the numbers of its evaluation rows"),
        ([([0], [5, 6, 7])], ValueError, "at least 2 training rows"),
        ([(np.arange(100), [101])], ValueError, "at least 2 evaluation rows"),
    ],
)
def test_folds_that_make_no_sense_are_refused(table, cv, error, message):
    with pytest.raises(error, match=message):
        fit(*table, cv=cv)


class TestAcrossFolds:
    def test_the_spread_between_repeats_gives_the_corrected_error(self, table):
        X, y = table
        folds = list(RepeatedKFold(n_splits=4, n_repeats=3, random_state=0).split(X))
        result = fit(X, y, cv=folds).result_
        frame = result.across_folds()
        single = np.array([fit(X, y, cv=[fold]).result_.importance for fold in folds])
        np.testing.assert_allclose(frame["importance"], result.importance)
        variance = (1 / 12 + 1 / 3) * single.var(axis=0, ddof=1)
        # Models of folds that are drawn alone have other stopping rows, but learn from all.
        np.testing.assert_allclose(frame["std_error"] ** 2, variance, rtol=0.2)
        assert frame["n_folds"].tolist() == [12, 12]
        assert frame["p_value"][0] < 0.01 < frame["p_value"][1]
        assert (frame["ci_low"] < frame["importance"]).all()

    def test_one_split_and_saved_results_have_no_spread(self, table, tmp_path):
        result = fit(*table).result_
        with pytest.raises(ValueError, match="needs several folds"):
            result.across_folds()
        saved = lw.ImportanceResult.load(result.save(tmp_path / "result.npz"))
        with pytest.raises(ValueError, match="keeps in memory"):
            saved.across_folds()
