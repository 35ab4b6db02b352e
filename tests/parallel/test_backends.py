import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
from joblib.externals.loky.backend import queues
from sklearn.linear_model import Ridge
from threadpoolctl import ThreadpoolController

import lukewarm as lw
from lukewarm.parallel import _run, blas_for, run_jobs
from lukewarm.parallel._shared import SharedFunction, call_shared
from parallel import on_cluster

LOCAL = ["threading", "loky", "multiprocessing"]


def backend(name):
    return joblib.parallel_config(name, n_jobs=2)


@pytest.mark.parametrize("name", LOCAL)
def test_every_back_end_gives_the_same_numbers_to_the_bit(name):
    expected = on_cluster.measured(n_jobs=1)
    with backend(name):
        found = on_cluster.measured()
    assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("name", ["dask", "ray"])
def test_clusters_give_the_same_numbers_to_the_bit(name, tmp_path):
    pytest.importorskip({"dask": "distributed"}.get(name, name))
    program, path = Path(on_cluster.__file__), tmp_path / "found.npy"
    paths = os.pathsep.join([str(Path(lw.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    subprocess.run(
        [sys.executable, str(program), name, str(path)],
        check=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": paths},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    assert np.load(path).tobytes() == on_cluster.measured(n_jobs=1).tobytes()


@pytest.fixture(scope="module")
def table():
    return on_cluster.table()


def test_a_store_is_written_by_the_workers_and_read_by_the_next(table, tmp_path):
    with backend("loky"):
        first = lw.VariableImportance(Ridge(), "dropout", store=tmp_path).fit(*table)
    assert len(list((tmp_path / "journal").iterdir())) >= 2  # the parent's, and a worker's
    again = lw.VariableImportance(Ridge(), "dropout", store=tmp_path).fit(*table)
    pd.testing.assert_frame_equal(first.result_.to_frame(), again.result_.to_frame())


@pytest.fixture
def sent(monkeypatch):
    """The bytes of every message to a worker of loky."""
    sizes = []
    original = queues.dumps

    def counted(obj, **options):
        data = original(obj, **options)
        sizes.append(len(data))
        return data

    monkeypatch.setattr(queues, "dumps", counted)
    return sizes


def test_a_job_sends_less_than_ten_kilobytes(table, sent):
    X = pd.concat([table[0]] * 50, ignore_index=True)
    y = pd.concat([table[1]] * 50, ignore_index=True)
    with backend("loky"):
        lw.VariableImportance(Ridge(), "dropout", inference="paired").fit(X, y)
    assert X.to_numpy().nbytes > 100_000  # what would have been sent with every job
    assert len(sent) >= 6  # six jobs: the full model and five sets
    assert max(sent) < 10_000


def test_a_job_sends_no_more_where_what_is_shared_has_many_arrays(sent):
    trees = [np.full(3, float(number)) for number in range(5000)]
    with backend("loky"):
        found = run_jobs(lambda job: float(trees[job][0]), [0, 4999])
    assert found == [0.0, 4999.0]
    assert max(sent) < 10_000


def test_a_function_is_unpacked_once_and_its_arrays_can_be_written_to():
    values = np.arange(5.0)
    shared = SharedFunction.of(lambda job: (values, values.flags.writeable, values[job]))
    first, second = (call_shared(shared.data, shared.token, job) for job in (1, 2))
    assert first[0] is second[0]
    assert np.shares_memory(first[0], shared.data)
    assert first[1:] == (True, 1.0)
    frozen = SharedFunction.of(lambda job: values.flags.writeable)
    frozen.data.flags.writeable = False
    assert call_shared(frozen.data, frozen.token, 0)


def test_arrays_lie_on_whole_words_wherever_a_message_was_received():
    values = np.arange(5.0)
    shared = SharedFunction.of(lambda job: values)
    received = np.zeros(len(shared.data) + 32, dtype=np.uint8)
    start = -received.ctypes.data % 16 + 3
    data = received[start : start + len(shared.data)]
    data[:] = shared.data
    found = call_shared(data, shared.token, 0)
    assert found.flags.aligned
    np.testing.assert_array_equal(found, values)


def test_arrays_keep_their_order_in_memory():
    values = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    shared = SharedFunction.of(lambda job: values)
    found = call_shared(shared.data, shared.token, 0)
    assert found.flags.f_contiguous
    np.testing.assert_array_equal(found, values)


def killed_once(folder):
    """A job that kills its worker the first time it is met."""

    def job(number):
        mark = os.path.join(folder, f"{number}")
        if number == 2 and not os.path.exists(mark):
            with open(mark, "w", encoding="utf-8"):
                pass
            os.kill(os.getpid(), signal.SIGKILL)
        return number**2

    return job


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no such signal here")
def test_the_jobs_of_a_worker_that_was_killed_are_run_again(tmp_path):
    with backend("loky"):
        assert run_jobs(killed_once(str(tmp_path)), range(5)) == [0, 1, 4, 9, 16]
    assert (tmp_path / "2").exists()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no such signal here")
def test_jobs_that_kill_every_worker_end_with_a_word_on_memory(monkeypatch):
    monkeypatch.setattr(_run, "_MOST_BREAKS", 2)
    kill = os.kill
    words = r"killed 2 times .* 2 jobs to go, 2 at a time, .* has [\d.]+ GB, .* fewer n_jobs"
    with backend("loky"), pytest.raises(MemoryError, match=words):
        run_jobs(lambda _: kill(os.getpid(), signal.SIGKILL), range(2))


@pytest.mark.parametrize("name", ["FutureCancelledError", "FuturesCancelledError"])
def test_jobs_are_sent_again_where_a_cluster_has_lost_what_they_share(name):
    lost = type(name, (BaseException,), {})  # that of Dask
    asked = []

    def job(number):
        asked.append(number)
        if asked == [0, 1]:
            raise lost
        return number

    assert run_jobs(job, range(3)) == [0, 1, 2]
    assert asked == [0, 1, 1, 2]


def test_a_job_of_another_process_is_asked_for_again():
    from lukewarm.exceptions import ClaimedElsewhere

    asked = []

    def job(number):
        asked.append(number)
        if number == 0 and len(asked) < 4:
            raise ClaimedElsewhere
        return number

    assert run_jobs(job, range(3)) == [0, 1, 2]
    assert asked == [0, 1, 2, 0]


def test_an_error_in_a_worker_reaches_the_caller():
    with backend("loky"), pytest.raises(ZeroDivisionError):
        run_jobs(lambda number: 1 / number, range(3))


def blas_threads():
    return {each["num_threads"] for each in ThreadpoolController().select(user_api="blas").info()}


def test_blas_is_held_while_any_thread_is_inside():
    before = blas_threads()
    first, second = blas_for(10), blas_for(10)
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert blas_threads() == {1}
    second.__exit__(None, None, None)
    assert blas_threads() == before


@pytest.mark.skipif(blas_threads() == {1}, reason="BLAS has one thread anyway")
def test_jobs_in_threads_leave_blas_one_thread_each():
    before = blas_threads()
    # A limit that this thread has set may keep others from setting one of their own.
    with blas_for(10):
        pass
    with backend("threading"):
        inside = run_jobs(lambda _: blas_threads(), range(4), n_jobs=2)
    assert inside == [{1}] * 4
    assert blas_threads() == before


@pytest.mark.skipif(blas_threads() == {1}, reason="BLAS has one thread anyway")
def test_another_thread_can_lift_the_limit_of_blas():
    before = blas_threads()
    held = blas_for(10)
    held.__enter__()
    assert blas_threads() == {1}
    leaving = threading.Thread(target=lambda: held.__exit__(None, None, None))
    leaving.start()
    leaving.join()
    assert blas_threads() == before
