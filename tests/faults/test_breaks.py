"""Fits broken off by Ctrl-C keep what is finished, say how to go on, and go on."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import lukewarm as lw

PROGRAM = Path(__file__).with_name("broken_off.py")


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="there are no process groups here")
@pytest.mark.parametrize(
    ("name", "module"), [("loky", "joblib"), ("dask", "distributed"), ("ray", "ray")]
)
def test_a_fit_that_is_broken_off_goes_on_where_it_was(name, module, tmp_path):
    pytest.importorskip(module)
    paths = os.pathsep.join([str(Path(lw.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    # Ray's workers give way to all other work by default.
    settings = {"PYTHONPATH": paths, "OMP_NUM_THREADS": "1", "RAY_worker_niceness": "0"}
    done = subprocess.run(
        [sys.executable, str(PROGRAM), name, str(tmp_path / "store")],
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        timeout=300,
        env={**os.environ, **settings},
        start_new_session=True,
    )
    told = json.loads(next(line for line in done.stdout.splitlines() if line.startswith("{")))
    assert "are in result_" in told["message"]
    assert "call fit again, with the same store, to go on" in told["message"]
    assert 0 < told["n_sets"] < 30
    # Thirty columns, the full model, and what it is checked by; each was written once.
    assert told["n_written"] == told["n_finished"] == 32
    assert told["is_same"]
