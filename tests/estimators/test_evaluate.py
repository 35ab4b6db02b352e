"""Importances on a Parquet dataset, block by block."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

import lukewarm as lw
from lukewarm.estimators import _blocks

pytest.importorskip("pyarrow")

N_ROWS, N_LEARNT = 700, 300
NUMBERS = ["importance", "std_error", "ci_low", "ci_high", "shift"]


@pytest.fixture(scope="module")
def frame():
    generator = np.random.default_rng(0)
    X = pd.DataFrame(generator.normal(size=(N_ROWS, 3)), columns=["a", "b", "c"])
    X["city"] = generator.choice(["Ulm", "Bern", "Oslo"], N_ROWS)
    X["y"] = X["a"] + X["b"] ** 2 + (X["city"] == "Ulm") + generator.normal(size=N_ROWS)
    return X


@pytest.fixture(scope="module")
def folder(frame, tmp_path_factory):
    folder = tmp_path_factory.mktemp("rows")
    for number, part in enumerate(np.array_split(np.arange(N_ROWS), 2)):
        frame.iloc[part].to_parquet(folder / f"{number}.parquet", row_group_size=150)
    return folder


def fitted_and_expected(estimator, rows, frame, drop=()):
    """A fit on a sample, and the importances on all other rows as if they fitted into memory."""
    sample = rows.sample(N_LEARNT, random_state=0)
    others = np.setdiff1d(np.arange(N_ROWS), sample.numbers)
    X, y = frame.drop(columns=["y", *drop]).iloc[others], frame["y"].iloc[others]
    vi = estimator.fit(sample.X, sample.y, X_eval=X, y_eval=y)
    return vi, sample.numbers


def test_a_sample_is_of_the_rows_it_names_and_knows_all_levels(frame, folder):
    rows = lw.ParquetRows(folder, target="y", batch_rows=64)
    assert (rows.n_rows, rows.n_blocks) == (N_ROWS, 6)
    X, y, numbers = rows.sample(40, random_state=1)
    pd.testing.assert_series_equal(y, frame["y"].iloc[numbers].reset_index(drop=True))
    assert X["a"].tolist() == frame["a"].iloc[numbers].tolist()
    assert X["city"].astype(str).tolist() == frame["city"].iloc[numbers].tolist()
    assert list(X["city"].cat.categories) == ["Bern", "Oslo", "Ulm"]


@pytest.mark.parametrize("batch_rows", [70, 10_000])
@pytest.mark.parametrize(
    ("inference", "measure"), [("paired", "neg_mse"), ("learning_curve", "r2")]
)
def test_block_by_block_they_are_those_of_the_rows_in_memory(
    frame, folder, inference, measure, batch_rows
):
    rows = lw.ParquetRows(folder, target="y", batch_rows=batch_rows)
    estimator = lw.VariableImportance(
        "boosting", inference=inference, measure=measure, random_state=0
    )
    vi, learnt = fitted_and_expected(estimator, rows, frame)
    found = vi.evaluate(rows, without=learnt)
    assert vi.result_.importance[0] > 5 * vi.result_.standard_error[0]  # a matters
    # Cells of one row: the same sums in another order.
    assert found.n_rows == N_ROWS - N_LEARNT == len(found.full.influence)
    # The product test raises low ends. Of cells it counts a degree of freedom, so their scores are
    # compared instead.
    found_frame, expected = (
        replace(each, worth=None).to_frame()[NUMBERS] for each in (found, vi.result_)
    )
    np.testing.assert_allclose(found_frame, expected, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(found.worth, vi.result_.worth, rtol=1e-7)
    scores = [[each.value for each in result.scores] for result in (found, vi.result_)]
    np.testing.assert_allclose(scores[0], scores[1], rtol=1e-7, atol=1e-12)
    # Student's law with 399 degrees of freedom instead of the normal one.
    np.testing.assert_allclose(found.p_value(), vi.result_.p_value(), rtol=0.3, atol=1e-3)


@pytest.mark.parametrize("inference", ["paired", "learning_curve"])
def test_classes_are_judged_by_deviance(frame, folder, tmp_path, inference):
    table = frame.assign(y=np.where(frame["y"] > 1, "high", "low")).drop(columns="city")
    table.to_parquet(tmp_path / "rows.parquet", row_group_size=300)
    rows = lw.ParquetRows(tmp_path / "rows.parquet", target="y")
    estimator = lw.VariableImportance(LogisticRegression(), inference=inference, random_state=0)
    vi, learnt = fitted_and_expected(estimator, rows, table)
    assert vi.result_.measure == "deviance"
    if inference == "learning_curve":
        (course, *_) = vi.predictions_.courses(lw.measures.as_measure("deviance"))
        assert course.factor is not None
    found = vi.evaluate(rows, without=learnt)
    np.testing.assert_allclose(
        found.to_frame()[NUMBERS], vi.result_.to_frame()[NUMBERS], rtol=1e-7, atol=1e-9
    )


def test_cells_of_many_rows_have_the_same_estimates_and_nearly_the_same_errors(
    frame, folder, monkeypatch
):
    monkeypatch.setattr(_blocks, "_N_CELLS", 70)
    rows = lw.ParquetRows(folder, target="y", drop=["city"])
    estimator = lw.VariableImportance(LinearRegression(), inference="paired", random_state=0)
    vi, learnt = fitted_and_expected(estimator, rows, frame, drop=["city"])
    found = vi.evaluate(rows, without=learnt)
    assert 60 <= len(found.full.influence) <= 80
    np.testing.assert_allclose(found.importance, vi.result_.importance, rtol=1e-9)
    # A standard error from 70 cells is known to one over the root of 140.
    ratio = found.standard_error / vi.result_.standard_error
    assert np.all(np.abs(ratio - 1) < 4 / np.sqrt(140))
    assert "400 rows in" in repr(found)


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_workers_change_no_number_and_blocks_are_kept(frame, folder, tmp_path, backend):
    rows = lw.ParquetRows(folder, target="y")
    plain = lw.VariableImportance("boosting", inference="paired", random_state=0)
    vi, learnt = fitted_and_expected(plain, rows, frame)
    expected = vi.evaluate(rows, without=learnt)
    kept, _ = fitted_and_expected(
        lw.VariableImportance(
            "boosting", inference="paired", random_state=0, store=tmp_path / "run"
        ),
        rows,
        frame,
    )
    n_before = len(kept._prepared.store)
    with joblib.parallel_config(backend, n_jobs=2):
        found = kept.evaluate(rows, without=learnt)
    assert found.influence.tobytes() == expected.influence.tobytes()
    assert len(kept._prepared.store) == n_before + rows.n_blocks
    again = kept.evaluate(rows, without=learnt)
    assert again.influence.tobytes() == expected.influence.tobytes()


def test_a_result_on_blocks_is_saved_and_loaded(frame, folder, tmp_path):
    rows = lw.ParquetRows(folder, target="y", drop=["city"])
    estimator = lw.VariableImportance(LinearRegression(), inference="paired", random_state=0)
    vi, learnt = fitted_and_expected(estimator, rows, frame, drop=["city"])
    found = vi.evaluate(rows, without=learnt)
    again = lw.ImportanceResult.load(found.save(tmp_path / "result"))
    assert again.n_rows == found.n_rows
    pd.testing.assert_frame_equal(again.to_frame(), found.to_frame())


class TestWhatIsRefused:
    def fitted(self, rows, **options):
        settings = {"inference": "paired", "random_state": 0, **options}
        sample = rows.sample(N_LEARNT, random_state=0)
        return lw.VariableImportance(LinearRegression(), **settings).fit(sample.X, sample.y)

    @pytest.fixture
    def rows(self, folder):
        return lw.ParquetRows(folder, target="y", drop=["city"])

    def test_several_folds(self, rows):
        with pytest.raises(ValueError, match="one for each of 3 folds"):
            self.fitted(rows, cv=3).evaluate(rows)

    def test_a_measure_that_no_sums_give(self, rows):
        with pytest.raises(ValueError, match="'rmse' does not follow from sums"):
            self.fitted(rows, measure="rmse").evaluate(rows)

    def test_a_target_with_gaps(self, rows, frame, tmp_path):
        vi = self.fitted(rows)
        frame.assign(y=frame["y"].where(frame.index != 17)).to_parquet(tmp_path / "gaps.parquet")
        with pytest.raises(ValueError, match="row 17 has none"):
            vi.evaluate(lw.ParquetRows(tmp_path / "gaps.parquet", target="y", drop=["city"]))

    def test_a_level_the_fit_did_not_know(self, folder, frame, tmp_path):
        frame.replace({"city": {"Ulm": "Rome"}}).to_parquet(tmp_path / "rows.parquet")
        sample = lw.ParquetRows(folder, target="y").sample(N_LEARNT, random_state=0)
        vi = lw.VariableImportance("boosting", inference="paired", features=["a"], random_state=0)
        vi.fit(sample.X, sample.y)
        with pytest.raises(ValueError, match="column 'city' holds the level 'Rome'"):
            vi.evaluate(lw.ParquetRows(tmp_path / "rows.parquet", target="y"))

    @pytest.mark.parametrize(
        ("options", "words"),
        [({"target": "z"}, "has no columns"), ({"target": "y", "drop": ["q"]}, "no columns")],
    )
    def test_columns_that_are_not_there(self, folder, options, words):
        with pytest.raises(ValueError, match=words):
            lw.ParquetRows(folder, **options)

    def test_a_folder_without_files(self, tmp_path):
        with pytest.raises(ValueError, match="no Parquet file"):
            lw.ParquetRows(tmp_path, target="y")


def most_memory(path):
    """The rows that were judged, and the most bytes that took."""
    paths = os.pathsep.join([str(Path(lw.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("evaluate_memory.py")), str(path)],
        check=True,
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1"},
    )
    return tuple(int(each) for each in done.stdout.split())


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="nobody tells the memory here")
def test_memory_follows_the_batch_and_not_the_file(tmp_path):
    generator = np.random.default_rng(0)
    names = [f"x{column}" for column in range(20)]
    told = {}
    # Both beyond the pages of a column, of which a reader holds one: 1 MB in most files.
    for n_rows in (150_000, 600_000):
        X = pd.DataFrame(generator.normal(size=(n_rows, 20)), columns=names)
        # One row group, which readers take in as a whole unless told otherwise.
        path = tmp_path / f"{n_rows}.parquet"
        X.assign(y=X["x0"] + X["x1"]).to_parquet(path, row_group_size=n_rows)
        found, most = most_memory(path)
        assert found == n_rows - 500
        told[path.stat().st_size] = most
    (small, most_of_small), (large, most_of_large) = told.items()
    assert large - small > 70e6
    # Two runs of one file differ by some megabytes.
    assert most_of_large - most_of_small < 0.3 * (large - small)


@pytest.mark.parametrize("batch_rows", [64, 100])
def test_cells_are_as_many_however_small_the_batches(frame, folder, monkeypatch, batch_rows):
    monkeypatch.setattr(_blocks, "_N_CELLS", 10)
    few, many = (
        lw.ParquetRows(folder, target="y", drop=["city"], batch_rows=each)
        for each in (10_000, batch_rows)
    )
    estimator = lw.VariableImportance(LinearRegression(), inference="paired", random_state=0)
    vi, learnt = fitted_and_expected(estimator, few, frame, drop=["city"])
    expected, found = (vi.evaluate(each, without=learnt) for each in (few, many))
    assert len(found.full.influence) == len(expected.full.influence) < 20
    # The same sums in another order.
    np.testing.assert_allclose(found.influence, expected.influence, rtol=1e-9, atol=1e-12)
