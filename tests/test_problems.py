"""The simulators that judge the library know the importances they say they know."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pytest

import lukewarm as lw


def _load(name):
    """Return a script of benchmarks/ as a module; the folder itself stays off the path."""
    path = Path(__file__).parents[1] / "benchmarks" / f"{name}.py"
    spec = spec_from_file_location(f"benchmark_{name}", path)
    module = module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


PROBLEMS = _load("problems").PROBLEMS
N_ROWS = 40_000


@pytest.mark.parametrize("name", PROBLEMS)
def test_best_predictions_lose_what_the_problem_says(name):
    problem = PROBLEMS[name]
    X, y = problem.draw(N_ROWS, np.random.default_rng(1))
    best = problem.best(X)
    for measure, truth in problem.truth.items():
        known = {each: best[each] for each, value in truth.items() if value > 0}
        result = lw.importance_from_predictions(y, best["full"], known, measure)
        expected = np.array([truth[each] for each in known])
        # Truths are given to four digits, some of them from means over four million rows.
        error = 4 * result.standard_error + 1e-3 * expected
        assert (np.abs(result.importance - expected) < error).all(), (measure, result.to_frame())
