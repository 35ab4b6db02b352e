"""Fits that are killed, or share a store, end with the numbers of one that was left alone.

``python tests/faults/kills.py 100`` is the long form.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import lukewarm as lw

PROGRAM = Path(__file__).with_name("kills.py")

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be forked here")


def told_by(*arguments):
    paths = os.pathsep.join([str(Path(lw.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, str(PROGRAM), *arguments],
        check=True,
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0"},
    )
    return json.loads(done.stdout)


def test_a_fit_that_is_killed_at_random_moments_ends_with_the_same_numbers():
    told = told_by("5")
    assert told["errors"] == []
    assert told["n_kills"] == 5
    assert told["n_wrong"] == 0
    # No more is done again than was at work: two threads.
    assert told["most_repeated_per_kill"] <= 2


def test_two_fits_that_share_a_store_do_no_job_twice():
    told = told_by("0", "--shared")
    assert told == {"are_the_same": True, "n_repeated": 0, "errors": []}
