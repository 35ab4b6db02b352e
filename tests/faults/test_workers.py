import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import lukewarm as lw

PROGRAM = Path(__file__).with_name("killed_workers.py")


@pytest.mark.parametrize(("name", "module"), [("dask", "distributed"), ("ray", "ray")])
def test_jobs_of_workers_that_are_killed_are_run_again(name, module):
    pytest.importorskip(module)
    paths = os.pathsep.join([str(Path(lw.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, str(PROGRAM), name],
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1"},
    )
    # Ray prints lines of its own.
    total, n_killed = re.search(r"^(\S+) (\d+)$", done.stdout, re.MULTILINE).groups()
    assert float(total) == sum(range(12))
    assert int(n_killed) >= 1
