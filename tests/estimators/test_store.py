import json
import mmap
import pickle
import shutil

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold
from sklearn.tree import DecisionTreeRegressor

import lukewarm as lw
from lukewarm.estimators import _prepared, _stored
from lukewarm.reduction import Dropout


@pytest.fixture(scope="module")
def table():
    generator = np.random.default_rng(0)
    X = pd.DataFrame(generator.normal(size=(120, 4)), columns=["a", "b", "c", "d"])
    return X, 0.5 * X["b"] + 3 * X["c"] + generator.normal(size=120)


def estimator(folder, model=None, method="dropout", **options):
    settings = {"inference": "paired", "random_state": 0, "store": folder, **options}
    return lw.VariableImportance(Ridge() if model is None else model, method, **settings)


@pytest.fixture
def n_obtained(monkeypatch):
    """How many models without features were computed rather than read."""
    obtained = []
    original = _prepared.Prepared._obtained

    def counted(self, model, removed):
        obtained.append((model, removed))
        return original(self, model, removed)

    monkeypatch.setattr(_prepared.Prepared, "_obtained", counted)
    return lambda: [obtained.pop() for _ in range(len(obtained))]


@pytest.mark.parametrize("method", ["dropout", "projection", "retrain"])
@pytest.mark.parametrize("inference", ["paired", "learning_curve"])
def test_a_store_changes_no_number_and_is_read_the_second_time(
    table, tmp_path, n_obtained, method, inference
):
    options = {"method": method, "inference": inference}
    plain = estimator(None, **options).fit(*table).result_
    n_jobs = len(n_obtained())
    kept = estimator(tmp_path / "run", **options).fit(*table).result_
    assert len(n_obtained()) == n_jobs
    again = estimator(tmp_path / "run", **options).fit(*table).result_
    assert n_obtained() == []
    pd.testing.assert_frame_equal(kept.to_frame(), again.to_frame())
    without_time = [each.to_frame().drop(columns="seconds") for each in (plain, again)]
    pd.testing.assert_frame_equal(*without_time)
    for one, other in zip(kept.reduced, again.reduced, strict=True):
        assert one.influence.tobytes() == other.influence.tobytes()


def is_mapped(array):
    base = array
    while isinstance(base, np.ndarray):
        base = base.base
    return isinstance(base.obj if isinstance(base, memoryview) else base, mmap.mmap)


@pytest.mark.parametrize("inference", ["paired", "learning_curve"])
def test_with_a_store_predictions_and_influence_values_are_on_the_disk(tmp_path, inference):
    data = lw.datasets.make_correlated_linear(n_samples=3000, random_state=0)
    kept, plain = (
        estimator(store, inference=inference).fit(data.X, data.y)
        for store in (tmp_path / "run", None)
    )
    for vi, expected in ((kept, True), (plain, False)):
        arrays = [*vi.predictions_.reduced, *(each.influence for each in vi.result_.reduced)]
        assert {is_mapped(each) for each in arrays} == {expected}
    numbers = ["importance", "std_error", "ci_low", "ci_high", "p_value", "shift"]
    frames = [vi.result_.to_frame()[numbers] for vi in (kept, plain)]
    pd.testing.assert_frame_equal(*frames, check_exact=True)
    assert np.array_equal(
        pickle.loads(pickle.dumps(kept)).result_.influence, plain.result_.influence
    )


def test_with_a_store_influence_values_of_coalitions_are_on_the_disk(tmp_path):
    data = lw.datasets.make_correlated_linear(n_samples=3000, random_state=0)
    kept, plain = (
        lw.ShapleyImportance(
            Ridge(), "dropout", inference="paired", solver="exact", random_state=0, store=store
        ).fit(data.X[["X1", "X2", "X3"]], data.y)
        for store in (tmp_path / "run", None)
    )
    assert is_mapped(kept.result_.influence)
    assert not is_mapped(plain.result_.influence)
    assert kept.result_.influence.tobytes() == plain.result_.influence.tobytes()
    assert kept.result_.standard_error.tobytes() == plain.result_.standard_error.tobytes()


def test_the_traces_of_training_are_kept(table, tmp_path):
    first, second = (
        estimator(tmp_path, "boosting", "early_stopping", features=["c"]).fit(*table).result_
        for _ in range(2)
    )
    (one,), (other,) = first.traces[0], second.traces[0]
    assert one.stopped_step == other.stopped_step
    assert len(one.losses) > 1
    np.testing.assert_array_equal(one.losses, other.losses)


def test_other_features_and_measures_use_what_is_there(table, tmp_path, n_obtained):
    estimator(tmp_path, features=["a", "b"]).fit(*table)
    n_obtained()
    vi = estimator(tmp_path, features=["b", "c", ("a", "b")], measure=["r2", "neg_mae"])
    vi.set_params(level=0.9, n_jobs=2).fit(*table)
    assert sorted(removed for _, removed in n_obtained()) == [(0, 1), (2,)]
    expected = estimator(None, features=["b", "c", ("a", "b")], measure="r2").fit(*table)
    np.testing.assert_array_equal(vi.result_.importance, expected.result_.importance)


def test_a_fit_without_a_seed_goes_on_with_the_seed_of_the_store(table, tmp_path, n_obtained):
    frames = []
    for _ in range(2):
        vi = estimator(tmp_path, DecisionTreeRegressor(), random_state=None).fit(*table)
        frames.append(vi.result_.to_frame())
        n_computed = len(n_obtained())
    assert n_computed == 0
    pd.testing.assert_frame_equal(*frames)
    others = estimator(tmp_path / "other", DecisionTreeRegressor(), random_state=None).fit(*table)
    assert not np.array_equal(others.result_.importance, frames[0]["importance"])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"random_state": 1}, r"random_state=0 \(here: 1\)"),
        ({"model": Ridge(2.0)}, r"model\.alpha=1\.0 \(here: 2\.0\)"),
        ({"method": "retrain"}, r"method='dropout' \(here: 'retrain'\)"),
        ({"train_fraction": 0.5}, r"train_fraction=0\.75 \(here: 0\.5\)"),
        ({"fill": {"a": 1.0}}, "another fill"),
        ({"cv": 3}, r"cv=None \(here: 3\)"),
    ],
)
def test_a_changed_setting_is_named(table, tmp_path, options, words):
    estimator(tmp_path).fit(*table)
    with pytest.raises(ValueError, match=rf"the store .* made with {words}"):
        estimator(tmp_path, **options).fit(*table)


def test_a_changed_table_is_named(table, tmp_path):
    X, y = table
    estimator(tmp_path).fit(X, y)
    cases = {
        "other values of X in 'b'": (X.assign(b=X["b"].round(3)), y),
        "another order of the columns of X": (X[["b", "a", "c", "d"]], y),
        "another y": (X, y + 1),
    }
    for words, changed in cases.items():
        with pytest.raises(ValueError, match=words):
            estimator(tmp_path).fit(*changed)
    with pytest.raises(ValueError, match="another sample_weight"):
        estimator(tmp_path).fit(X, y, sample_weight=np.linspace(1, 2, len(y)))
    with pytest.raises(ValueError, match="another groups of rows; another time"):
        estimator(tmp_path).fit(X, y, groups=np.arange(len(y)) // 2)
    sv = lw.ShapleyImportance(Ridge(), "dropout", inference="paired", random_state=0)
    with pytest.raises(ValueError, match="estimator='VariableImportance'"):
        sv.set_params(store=tmp_path).fit(X, y)


def test_other_versions_are_named(table, tmp_path):
    estimator(tmp_path).fit(*table)
    path = tmp_path / "store.json"
    stored = json.loads(path.read_text())
    stored["identity"]["versions"]["numpy"] = "1.0"
    path.write_text(json.dumps(stored))
    with pytest.raises(ValueError, match=rf"numpy 1\.0 \(here: {np.__version__}\)"):
        estimator(tmp_path).fit(*table)


class Moody(Ridge):
    """Gives other predictions each time, which no parameter tells."""

    mood = 0.0

    def predict(self, X):
        return super().predict(X) * (1 + Moody.mood)


@pytest.mark.parametrize(("mood", "is_refused"), [(1e-12, False), (1e-3, True)])
def test_a_full_model_that_predicts_otherwise_is_refused(
    table, tmp_path, monkeypatch, mood, is_refused
):
    estimator(tmp_path, Moody()).fit(*table)
    monkeypatch.setattr(Moody, "mood", mood)
    if is_refused:
        with pytest.raises(ValueError, match="full model 1 of 1 predicts otherwise"):
            estimator(tmp_path, Moody()).fit(*table)
    else:
        estimator(tmp_path, Moody()).fit(*table)  # rounding, as of another machine


class MoodyHalf(Ridge):
    """Gives other predictions the second time, but only where it learnt from few rows."""

    mood = 0.0

    def fit(self, X, y, sample_weight=None):
        self.is_half_ = len(y) < 60
        return super().fit(X, y, sample_weight)

    def predict(self, X):
        return super().predict(X) * (1 + MoodyHalf.mood * self.is_half_)


def test_the_full_model_that_predicts_otherwise_is_named_among_those_of_halves(
    table, tmp_path, monkeypatch
):
    options = {"model": MoodyHalf(), "inference": "learning_curve"}
    vi = estimator(tmp_path, **options).fit(*table)
    n_learnt = [len(each.data.train.y) for each in vi._prepared.full_models]
    first = next(number for number, n_rows in enumerate(n_learnt) if n_rows < 60)
    assert first > 0  # those of all rows are as they were
    monkeypatch.setattr(MoodyHalf, "mood", 1e-3)
    words = f"full model {first + 1} of {len(n_learnt)} predicts otherwise"
    with pytest.raises(ValueError, match=words):
        estimator(tmp_path, **options).fit(*table)


def test_folds_that_are_not_the_same_again_are_refused(table, tmp_path):
    def folds(seed):
        return iter(list(KFold(3, shuffle=True, random_state=seed).split(table[0])))

    estimator(tmp_path, cv=folds(0)).fit(*table)
    estimator(tmp_path, cv=folds(0)).fit(*table)
    with pytest.raises(ValueError, match="other rows in its folds"):
        estimator(tmp_path, cv=folds(1)).fit(*table)


def test_classes_and_a_trained_model_can_be_stored(table, tmp_path, n_obtained):
    X, y = table
    labels = np.where(y > 0, "high", "low")
    model = LogisticRegression().fit(X[:80], labels[:80])
    for _ in range(2):
        vi = estimator(tmp_path, model, "projection", prefit=True)
        vi.fit(X[:80], labels[:80], X_eval=X[80:], y_eval=labels[80:])
        n_computed = len(n_obtained())
    assert n_computed == 0
    with pytest.raises(ValueError, match="classes"):
        vi.fit(X[:80], np.char.upper(labels[:80]), X_eval=X[80:], y_eval=np.char.upper(labels[80:]))


class Interrupted(Dropout):
    """Somebody presses Ctrl-C while the model without the third column is at work."""

    is_pressed = True

    def reduce(self, full, data, removed, seed):
        if removed == (2,) and Interrupted.is_pressed:
            raise KeyboardInterrupt
        return super().reduce(full, data, removed, seed)


def test_a_break_says_how_to_go_on_and_going_on_repeats_nothing(
    table, tmp_path, n_obtained, monkeypatch
):
    with pytest.raises(KeyboardInterrupt, match=r"are in result_; .* call fit again"):
        estimator(tmp_path, method=Interrupted()).fit(*table)
    n_obtained()
    monkeypatch.setattr(Interrupted, "is_pressed", False)
    vi = estimator(tmp_path, method=Interrupted()).fit(*table)
    assert sorted(removed for _, removed in n_obtained()) == [(2,), (3,)]
    expected = estimator(None).fit(*table).result_.importance
    np.testing.assert_array_equal(vi.result_.importance, expected)


def test_what_follows_a_fit_is_kept_too(table, tmp_path, n_obtained):
    options = {"method": "projection"}
    vi = estimator(tmp_path, **options).fit(*table)
    vi.interactions(top=2)
    retrained = vi.check(1)
    n_obtained()
    again = estimator(tmp_path, **options).fit(*table)
    again.interactions(top=2)
    pd.testing.assert_frame_equal(again.check(1), retrained)
    assert n_obtained() == []


def test_a_set_in_the_store_is_read_after_the_time_limit(table, tmp_path):
    estimator(tmp_path).fit(*table)
    vi = estimator(tmp_path, time_limit=1e-9).fit(*table)
    assert vi.not_reached_ == []


@pytest.mark.parametrize("method", ["projection", "dropout"])
def test_shapley_values_are_read_and_more_coalitions_use_them(table, tmp_path, n_obtained, method):
    def shapley(n_coalitions, store, **options):
        sv = lw.ShapleyImportance(Ridge(), method, n_coalitions=n_coalitions, store=store)
        return sv.set_params(random_state=0, inference="paired", **options).fit(*table)

    few = shapley(16, tmp_path / "run", solver="kernel").result_
    n_few = len(n_obtained())
    again = shapley(16, tmp_path / "run", solver="kernel", measure="r2").result_
    assert n_obtained() == []
    assert again.coalitions == few.coalitions
    shutil.copytree(tmp_path / "run", tmp_path / "copy")
    exact = shapley(None, tmp_path / "copy", solver="exact").result_
    assert len(n_obtained()) == 16 - n_few
    expected = shapley(None, None, solver="exact").result_
    np.testing.assert_array_equal(exact.shapley_value, expected.shapley_value)


def test_a_break_of_shapley_values_says_how_to_go_on(table, tmp_path, n_obtained, monkeypatch):
    sv = lw.ShapleyImportance(Ridge(), Interrupted(), inference="paired", solver="exact")
    sv.set_params(random_state=0, store=tmp_path)
    with pytest.raises(KeyboardInterrupt, match=r"no result yet; .* call fit again"):
        sv.fit(*table)
    n_before = len(n_obtained())
    monkeypatch.setattr(Interrupted, "is_pressed", False)
    sv.fit(*table)
    assert len(n_obtained()) == 16 - (n_before - 1)  # the one at work is done again


class Failing(Dropout):
    """The models without the second column cannot be obtained."""

    is_failing = True

    def reduce(self, full, data, removed, seed):
        if 1 in removed and Failing.is_failing:
            raise FloatingPointError("singular")
        return super().reduce(full, data, removed, seed)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_error_names_the_set_it_happened_to(table, tmp_path, n_jobs):
    with pytest.raises(FloatingPointError) as raised:
        estimator(tmp_path, method=Failing(), n_jobs=n_jobs).fit(*table)
    assert "without ['b']" in "".join(getattr(raised.value, "__notes__", ["without ['b']"]))
    sv = lw.ShapleyImportance(Ridge(), Failing(), n_jobs=n_jobs, random_state=0)
    with pytest.raises(FloatingPointError):
        sv.fit(*table)


def test_a_recorded_error_leaves_the_other_sets_and_is_tried_again(table, monkeypatch):
    vi = estimator(None, method=Failing(), on_error="record")
    words = r"without 1 of 4 feature sets failed: b \(FloatingPointError: singular\)"
    with pytest.warns(lw.exceptions.HealthWarning, match=words):
        vi.fit(*table)
    assert vi.result_.names == ("a", "c", "d")
    assert vi.not_reached_ == ["b"]
    assert "failed" in set(vi.result_.health()["name"])
    monkeypatch.setattr(Failing, "is_failing", False)
    vi.fit_more()
    assert vi.not_reached_ == []
    assert "failed" not in set(vi.result_.health()["name"])
    expected = estimator(None).fit(*table).result_
    np.testing.assert_array_equal(vi.result_.importance[[0, 3, 1, 2]], expected.importance)


def test_where_every_set_fails_there_is_no_result(table):
    vi = estimator(None, method=Failing(), on_error="record", features=["b"])
    with pytest.raises(RuntimeError, match=r"none of the 1 feature sets .* singular"):
        vi.fit(*table)


@pytest.mark.parametrize(
    ("options", "error"),
    [({"store": 3}, TypeError), ({"store": ""}, ValueError), ({"on_error": "ignore"}, ValueError)],
)
def test_what_is_no_folder_or_no_way_is_refused(table, options, error):
    with pytest.raises(error, match=f"{next(iter(options))} must be"):
        estimator(**{"folder": None, **options}).set_params(**options).fit(*table)


def test_every_parameter_that_may_change_numbers_counts():
    names = set(lw.VariableImportance().get_params()) | set(lw.ShapleyImportance().get_params())
    assert names >= _stored._FREE
