import mmap
import pickle
import threading

import numpy as np
import pytest

from lukewarm.store import DiskArrays, _disk_arrays


def is_mapped(array):
    base = array
    while isinstance(base, np.ndarray):
        base = base.base
    return isinstance(base.obj if isinstance(base, memoryview) else base, mmap.mmap)


@pytest.fixture
def arrays(tmp_path):
    return DiskArrays(tmp_path)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, bool])
def test_a_kept_array_is_equal_and_on_the_disk(arrays, dtype):
    array = np.arange(6000).reshape(2000, 3).astype(dtype)
    kept = arrays.keep(array)
    assert is_mapped(kept)
    assert not is_mapped(array)
    assert kept.dtype == array.dtype
    np.testing.assert_array_equal(kept, array)


def test_arrays_do_not_overlap_across_blocks(arrays, monkeypatch):
    monkeypatch.setattr(_disk_arrays, "_LARGEST_BLOCK", 2**20)
    kept = [arrays.keep(np.full(30_000, float(number))) for number in range(12)]  # 2.9 MB
    assert all((each == number).all() for number, each in enumerate(kept))
    assert all(each.ctypes.data % 64 == 0 for each in kept)


def test_an_array_larger_than_a_block_has_one_of_its_own(arrays, monkeypatch):
    monkeypatch.setattr(_disk_arrays, "_LARGEST_BLOCK", 2**20)
    kept = arrays.keep(np.ones(400_000))
    assert is_mapped(kept)
    assert kept.sum() == 400_000


def test_threads_may_keep_at_once(arrays):
    kept = {}

    def work(number):
        kept[number] = [arrays.keep(np.full(500, float(number))) for _ in range(50)]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((each == number).all() for number in kept for each in kept[number])


def test_files_have_no_name(arrays, tmp_path):
    arrays.keep(np.ones(1000))
    assert list(tmp_path.iterdir()) == []


def test_arrays_stay_in_memory_where_the_disk_takes_none(tmp_path):
    arrays = DiskArrays(tmp_path / "missing")
    array = np.ones(1000)
    assert arrays.keep(array) is array
    empty = arrays.empty((10, 100), np.float32)
    assert empty.shape == (10, 100)
    assert not is_mapped(empty)


def test_small_arrays_stay_in_memory(arrays):
    array = np.ones(10)
    assert arrays.keep(array) is array


def test_they_can_be_sent_to_another_process_with_what_holds_them(arrays):
    kept = arrays.keep(np.arange(1000.0))
    again, array = pickle.loads(pickle.dumps((arrays, kept)))
    np.testing.assert_array_equal(array, kept)
    assert is_mapped(again.keep(array))
