"""Do intervals of Shapley values cover, and do worthless features stay at zero?

python benchmarks/trust_shapley.py --sizes 500,2000 --replicates 30 --jobs 2

As trust.py, for `ShapleyImportance` and the problems of `shapley_problems.py`. Finished data sets
are kept in results/runs/trust_shapley.jsonl, so a stopped run goes on; the table goes to
results/shapley_trust.json.
"""

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np
import pandas as pd
import trust
from judging import command, drawn, fit_seconds
from shapley_problems import PROBLEMS

import lukewarm as lw


def explain(job):
    """Return estimates and truths of one data set."""
    problem = PROBLEMS[job["problem"]]
    X, y = drawn(problem, job)
    sv = lw.ShapleyImportance(
        job["model"],
        job["method"],
        problem.measure,
        inference=job["inference"],
        random_state=job["replicate"],
    )
    seconds = fit_seconds(sv, X, y)
    result = sv.result_
    low, high = result.interval()
    # A true Shapley value is not negative: what lies wholly below zero reaches it.
    high = np.maximum(high, 0.0)
    columns = (problem.truth, result.shapley_value, result.standard_error, low, high)
    rows = [
        [problem.measure, name, *(float(number) for number in numbers)]
        for name, *numbers in zip(
            result.names, *columns, result.p_value(), result.shift, strict=True
        )
    ]
    full = result.value_of(result.names)
    return {
        "rows": rows,
        "parts": [result.sampling_error.tolist(), result.data_error.tolist()],
        "seconds": seconds,
        "n_fits": result.n_fits,
        "skill": float(full.value - full.shift),
        "underfit": bool((result.health()["name"] == "underfit").any()),
    }


def summary(records):
    """Return the table of trust.py, with the mean number of models that were fitted."""
    # No interval around the true functions is made here for a comparison of widths.
    records = [
        {**record, "rows": [[*row, None, None] for row in record["rows"]]} for record in records
    ]
    table = trust.summary(records).drop(columns=["width_ratio", "ideal_coverage"])
    fits = pd.DataFrame(records).groupby(["problem", "n"]).n_fits.mean()
    table["n_fits"] = [fits[row.problem, row.n] for row in table.itertuples()]
    return table


main = command(
    explain,
    summary,
    problems=PROBLEMS,
    sizes="500,2000",
    replicates=30,
    store="trust_shapley.jsonl",
    out="shapley_trust.json",
)


if __name__ == "__main__":
    main()
