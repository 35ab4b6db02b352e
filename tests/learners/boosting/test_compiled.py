import subprocess
import sys
from pathlib import Path

import numpy as np

from lukewarm.learners.boosting import _compiled, _kept_code, _rng
from lukewarm.learners.boosting._grow import grow_trees


def test_kept_code_is_out_of_date_when_any_compiled_file_changes():
    # numba stamps one file; were this attribute gone, the guard would be, too.
    folder = Path(_kept_code.__file__).parent
    assert grow_trees._cache._cache_file._source_stamp == _kept_code.stamp_of_sources(folder)


def test_the_stamp_of_a_folder_follows_its_compiled_files_only(tmp_path):
    stamps = []
    for name, text in [("a.py", "@compiled"), ("b.py", "plain"), ("a.py", "@compiled anew")]:
        (tmp_path / name).write_text(text)
        stamps.append(_kept_code.stamp_of_sources.__wrapped__(tmp_path))
    assert stamps[0] == stamps[1] != stamps[2]


def test_a_folder_that_takes_no_more_files_is_no_reason_to_fail(monkeypatch, caplog):
    @_compiled.compiled
    def double(number):
        return 2 * number

    def refuse(*_):
        raise OSError("no space left on device")

    monkeypatch.setattr(double._cache._cache_file, "save", refuse)
    assert double(3) == 6
    assert "cannot be kept" in caplog.text


def test_importing_the_learners_room_loads_no_compiler():
    code = "import sys, lukewarm, lukewarm.learners; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_random_numbers_are_uniform_and_streams_differ():
    start_stream, next_state, uniform = map(
        _compiled.compiled_whole, (_rng.start_stream, _rng.next_state, _rng.uniform)
    )
    state = start_stream(1, 0)
    numbers = np.empty(20_000)
    for i in range(len(numbers)):
        numbers[i] = uniform(np.uint64(state))
        state = np.uint64(next_state(np.uint64(state)))
    assert 0 < numbers.min() < numbers.max() < 1
    # The mean of 20 000 uniform numbers has standard deviation 0.002.
    assert abs(numbers.mean() - 0.5) < 0.009
    assert len({start_stream(seed, step) for seed in range(30) for step in range(30)}) == 900
