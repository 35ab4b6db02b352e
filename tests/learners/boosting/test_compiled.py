import subprocess
import sys
from pathlib import Path

import numba as nb
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


def test_a_signature_is_compiled_when_first_met_and_takes_all_layouts():
    def signature(number):
        return nb.void(_compiled.read_only(number, 1, "A"), nb.float64[::1])

    @_compiled.compiled_for(float64=signature(nb.float64), float32=signature(nb.float32))
    def double(numbers, doubled):
        for place in range(len(numbers)):
            doubled[place] = 2 * numbers[place]

    numbers, doubled = np.arange(6.0), np.empty(3)
    double(numbers[::2], doubled)
    assert doubled.tolist() == [0.0, 4.0, 8.0]
    numbers.flags.writeable = False
    double(numbers[:3], doubled)
    assert doubled.tolist() == [0.0, 2.0, 4.0]
    # Two layouts, one of them only to read, and one compilation.
    assert [len(ready.overloads) for ready in double._ready.values()] == [1]
    double(np.float32([3, 4, 5]), doubled)
    assert doubled.tolist() == [6.0, 8.0, 10.0]
    assert len(double._ready) == 2


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
