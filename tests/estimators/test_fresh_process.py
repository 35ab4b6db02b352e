"""What only the first fit of a process can show: compiling, and who does it."""

import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

_DATA = """
import numpy as np, lukewarm as lw
x = np.random.default_rng(0).normal(size=(120, 2))
y = x[:, 0] + 0.1 * x[:, 1]
"""
_FOLDS_AT_ONCE = f"""{_DATA}
result = lw.VariableImportance(cv=5, n_jobs=2, max_steps=5, random_state=0).fit(x, y).result_
assert result.importance[0] > 0.1
"""
_TEN_THREADS = f"""{_DATA}
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
barrier = Barrier(10)
def fit(_):
    barrier.wait()
    return lw.VariableImportance(max_steps=3, random_state=0).fit(x, y).result_.importance[0]
with ThreadPoolExecutor(10) as pool:
    assert len(set(pool.map(fit, range(10)))) == 1
"""
_NO_FOLDER = """
from numba.core import caching
def refuse(self): raise PermissionError("read-only file system")
caching._CacheLocator.ensure_cache_path = refuse
from lukewarm.learners.boosting import _compiled, _rng
start_stream, next_state = map(_compiled.compiled_whole, (_rng.start_stream, _rng.next_state))
assert start_stream(1, 0) != next_state(start_stream(1, 0))
"""


def run(*arguments, cache):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache), "PYTHONWARNINGS": "ignore"}
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )


@pytest.fixture(scope="module")
def first_run(tmp_path_factory):
    """A fit of several folds at once, before anything was ever compiled, and the cache it left."""
    cache = tmp_path_factory.mktemp("numba")
    return run("-c", _FOLDS_AT_ONCE, cache=cache), cache


def test_folds_may_be_the_first_fits_of_a_process_and_train_at_once(first_run):
    done, _ = first_run
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("compiling") == 1
    assert "later runs start at once" in done.stderr


def test_ten_threads_may_fit_first_and_nothing_is_announced_where_nothing_is_compiled(first_run):
    done = run("-c", _TEN_THREADS, cache=first_run[1])
    assert done.returncode == 0, done.stderr
    assert "compiling" not in done.stderr


def test_the_command_line_may_fit_folds_at_once(first_run, tmp_path):
    x = np.random.default_rng(0).normal(size=(120, 2))
    table = np.column_stack([x, x[:, 0]])
    np.savetxt(tmp_path / "table.csv", table, delimiter=",", header="a,b,y", comments="")
    done = run(
        *("-c", "from lukewarm.cli import main; main()", "explain", tmp_path / "table.csv"),
        *("--target", "y", "--cv", 5, "--jobs", 2),
        cache=first_run[1],
    )
    assert done.returncode == 0, done.stderr
    assert "p_value" in done.stdout


def test_damaged_files_of_compiled_code_cost_a_compilation_only(first_run, tmp_path):
    cache = tmp_path / "numba"
    shutil.copytree(first_run[1], cache)
    index = next(cache.rglob("_encode.encode_numbers*.nbi"))
    index.write_bytes(index.read_bytes()[:50])
    codes = list(cache.rglob("_apply.add_trees*.nbc"))
    assert codes
    for code in codes:
        # Within the machine code, where unpickling would not notice.
        data = bytearray(code.read_bytes())
        data[len(data) // 2 :] = bytes(len(data) - len(data) // 2)
        code.write_bytes(data)
    damaged = run("-c", _FOLDS_AT_ONCE, cache=cache)
    assert damaged.returncode == 0, damaged.stderr
    assert "is damaged" in damaged.stderr
    assert "compiling" in damaged.stderr
    repaired = run("-c", _FOLDS_AT_ONCE, cache=cache)
    assert repaired.stderr == ""


def test_without_a_writable_folder_code_is_compiled_all_the_same(tmp_path):
    done = run("-c", _NO_FOLDER, cache=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "every process compiles anew; set NUMBA_CACHE_DIR" in done.stderr
