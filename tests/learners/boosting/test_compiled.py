import logging
import subprocess
import sys
from types import SimpleNamespace

import numpy as np

from lukewarm.learners.boosting import _compiled, _warm_up
from lukewarm.learners.boosting._grow import grow_trees
from lukewarm.learners.boosting._rng import next_state, start_stream, uniform


def test_kept_code_is_out_of_date_when_any_compiled_file_changes():
    # numba stamps one file; were this attribute gone, the guard would be, too.
    assert grow_trees._cache._cache_file._source_stamp == _compiled._stamp_of_sources()


def test_long_compilation_is_announced(monkeypatch, caplog):
    calls = []
    monkeypatch.setattr(_warm_up, "_SECONDS_BEFORE_A_WORD", 0.0)
    monkeypatch.setattr(_warm_up, "Timer", lambda *given: instant_timer(calls, *given))
    monkeypatch.setattr(_warm_up, "compile_registered", lambda: None)
    monkeypatch.setattr(_warm_up, "_grow_one_tree", lambda: calls.append("compiled"))
    with caplog.at_level(logging.WARNING):
        _warm_up.compile_once.__wrapped__()
    assert calls == ["started", "compiled", "cancelled"]
    assert "compiling" in caplog.text


def instant_timer(calls, _seconds, function, arguments):
    def start():
        calls.append("started")
        function(*arguments)

    return SimpleNamespace(start=start, cancel=lambda: calls.append("cancelled"))


def test_importing_the_learners_room_loads_no_compiler():
    code = "import sys, lukewarm, lukewarm.learners; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_random_numbers_are_uniform_and_streams_differ():
    state = start_stream(1, 0)
    numbers = np.empty(20_000)
    for i in range(len(numbers)):
        numbers[i] = uniform(np.uint64(state))
        state = np.uint64(next_state(np.uint64(state)))
    assert 0 < numbers.min() < numbers.max() < 1
    # The mean of 20 000 uniform numbers has standard deviation 0.002.
    assert abs(numbers.mean() - 0.5) < 0.009
    assert len({start_stream(seed, step) for seed in range(30) for step in range(30)}) == 900
