"""The README's examples, each block in a process of its own, two jobs at a time."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
PYTHON = [block for block in BLOCKS if "import lukewarm" in block]
COMMANDS = re.findall(r"^lukewarm .*?(?=\s+#|$)", README, re.MULTILINE)
MAIN = "from lukewarm.cli import main; main()"
TWO_JOBS = (r"(?m)(Importance\(.*?)\)(?=\.fit|$)", r"\1, n_jobs=2)")


def run(*arguments, folder):
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=False, cwd=folder
    )


@pytest.mark.parametrize("code", PYTHON)
def test_the_python_examples_run(code, tmp_path):
    asked, n_estimators = re.subn(*TWO_JOBS, code)
    assert n_estimators
    done = run("-c", f"import matplotlib; matplotlib.use('Agg')\n{asked}", folder=tmp_path)
    assert done.returncode == 0, done.stderr


def example_of(code, start):
    """Return the lines of a block that make one estimator the first of its process."""
    lines = [line for line in code.splitlines() if line.startswith(("import", "from", "X, y"))]
    return "\n".join([*lines, next(line for line in code.splitlines() if start in line)])


def test_an_example_may_be_the_first_fit_of_its_process(tmp_path):
    done = run("-c", re.sub(*TWO_JOBS, example_of(PYTHON[0], "groups=")), folder=tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("command", [each for each in COMMANDS if "explain" in each])
def test_the_commands_run(command, tmp_path):
    generator = np.random.default_rng(0)
    table = pd.DataFrame(generator.normal(size=(200, 3)), columns=["size", "age", "rooms"])
    table["price"] = table["size"] + 0.5 * table["age"] + generator.normal(scale=0.3, size=200)
    table.to_csv(tmp_path / "data.csv", index=False)
    arguments = shlex.split(command)[1:]
    done = run("-c", MAIN, *arguments, "--jobs", "2", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^\s*size\s", done.stdout, re.MULTILINE)
    if "--out" in arguments:
        assert (tmp_path / "report" / "neg_mse.csv").is_file()


def test_the_commands_that_reproduce_name_experiments():
    named = [each.split()[2] for each in COMMANDS if "reproduce" in each]
    assert named
    done = run("-c", MAIN, "reproduce", "--list", folder=Path.cwd())
    assert all(name in done.stdout for name in named)
