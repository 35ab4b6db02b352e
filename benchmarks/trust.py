"""Do intervals cover, and do tests keep their level, on data nobody tuned them for?

python benchmarks/trust.py --sizes 500,2000 --replicates 100 --jobs 2

Every problem of `problems.py` is drawn many times, explained with the library's defaults (or the
model and method named), and judged against its exact importances. Finished data sets are kept in
results/runs/trust.jsonl, so a stopped run goes on; results/trust.json holds one row per problem,
size and model, with Monte-Carlo errors. Seeds given by --seed: choose on some, report on others.

results/trust_records.jsonl.xz holds the data sets behind the newest tables. As long as no estimate
has changed since, unpack it to results/runs/trust.jsonl to add data sets of the same seed:

    mkdir -p results/runs && xz -dc results/trust_records.jsonl.xz > results/runs/trust.jsonl
"""

import os
import warnings

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import pandas as pd
from judging import command, drawn, fit_seconds
from problems import PROBLEMS

import lukewarm as lw


def ideal_interval(problem, X, y, measure, name, n_evaluated):
    """Return the Wald interval around the true functions on as many rows; None for a null."""
    if problem.truth[measure][name] == 0:
        return [None, None]
    best = problem.best(X[:n_evaluated])
    result = lw.importance_from_predictions(
        y[:n_evaluated], best["full"], {name: best[name]}, measure
    )
    return [float(end[0]) for end in result.interval()]


def explain(job):
    """Return estimates and truths of one data set."""
    problem = PROBLEMS[job["problem"]]
    X, y = drawn(problem, job)
    matrix, X = X, pd.DataFrame(X, columns=[f"x{column}" for column in range(X.shape[1])])
    for column in problem.levels:
        X[f"x{column}"] = ("level " + X[f"x{column}"].astype(int).astype(str)).astype("category")
    measures = list(problem.truth)
    names = list(problem.truth[measures[0]])
    sets = {"features": names}
    if problem.groups:
        columns = [tuple(f"x{column}" for column in problem.groups[name]) for name in names]
        sets = {"features": columns}
    vi = lw.VariableImportance(
        job["model"],
        job["method"],
        measures,
        task=problem.task,
        inference=job["inference"],
        random_state=job["replicate"],
        **sets,
    )
    seconds = fit_seconds(vi, X, y)
    rows = []
    for measure in measures:
        result = vi.results_[measure]
        low, high = result.interval(reach_zero=True)
        truth = [problem.truth[measure][name] for name in names]
        columns = (names, truth, result.importance, result.standard_error, low, high)
        for name, *numbers in zip(*columns, result.p_value(), result.shift, strict=True):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ideal = ideal_interval(problem, matrix, y, measure, name, len(result.influence.T))
            rows.append([measure, name, *(float(number) for number in numbers), *ideal])
    skill = vi.result_.full.value - vi.result_.full.shift
    doubts = vi.result_.health()
    return {
        "rows": rows,
        "seconds": seconds,
        "skill": float(skill),
        "underfit": bool((doubts["name"] == "underfit").any()),
    }


def summary(records):
    """Return one row per problem, size, model and measure."""
    rows = [
        {**{key: record[key] for key in ("problem", "n", "model", "method", "inference")},
         "replicate": record["replicate"], "seconds": record["seconds"],
         "underfit": record["underfit"], "skill": record["skill"],
         **dict(zip(("measure", "feature", "truth", "estimate", "error", "low", "high", "p",
                     "shift", "ideal_low", "ideal_high"), row, strict=True))}
        for record in records
        for row in record["rows"]
    ]  # fmt: skip
    frame = pd.DataFrame(rows)
    frame["covers"] = (frame.low <= frame.truth) & (frame.truth <= frame.high)
    ideal_low, ideal_high = (frame[end].astype(float) for end in ("ideal_low", "ideal_high"))
    frame["ideal_covers"] = (ideal_low <= frame.truth) & (frame.truth <= ideal_high)
    frame["width_ratio"] = (frame.high - frame.low) / (ideal_high - ideal_low)
    frame["flagged"] = frame.p < 0.05
    frame["far"] = (frame.estimate - frame.truth).abs() > 3 * frame.error.clip(lower=1e-300)
    table = []
    keys = ["problem", "n", "model", "method", "inference", "measure"]
    for key, cell in frame.groupby(keys, sort=False):
        matters, nulls = cell[cell.truth > 0], cell[cell.truth == 0]
        by_feature = matters.groupby("feature")
        covers = by_feature.covers.mean()
        bias = by_feature.estimate.mean() / by_feature.truth.first() - 1
        n_sets = cell.replicate.nunique()
        row = dict(zip(keys, key, strict=True))
        row |= {
            "data_sets": n_sets,
            "coverage": matters.covers.mean(),
            "coverage_error": matters.groupby("replicate").covers.mean().sem(),
            "worst_feature": covers.min(),
            "too_high": (matters.low > matters.truth).mean(),
            "n_useful": len(matters),
            "n_useless": len(nulls),
            "power": matters.flagged.mean(),
            "least_power": by_feature.flagged.mean().min(),
            "largest_bias": bias.iloc[bias.abs().argmax()],
            "width": ((matters.high - matters.low) / matters.truth).median(),
            "width_ratio": matters.width_ratio.median(),
            "ideal_coverage": matters.ideal_covers.mean(),
            "nulls_flagged": nulls.flagged.mean() if len(nulls) else None,
            "flagged_error": nulls.groupby("replicate").flagged.mean().sem()
            if len(nulls)
            else None,
            "nulls_covered": nulls.covers.mean() if len(nulls) else None,
            "nulls_above": (nulls.low > 0).mean() if len(nulls) else None,
            "nulls_far": (nulls.far & (nulls.estimate != 0)).mean() if len(nulls) else None,
            "skill": cell.groupby("replicate").skill.first().mean(),
            "underfit": cell.groupby("replicate").underfit.first().mean(),
            "seconds": cell.groupby("replicate").seconds.first().mean(),
        }
        table.append(row)
    return pd.DataFrame(table)


main = command(
    explain,
    summary,
    problems=PROBLEMS,
    sizes="500,2000,5000,20000",
    replicates=100,
    store="trust.jsonl",
    out="trust.json",
)


if __name__ == "__main__":
    main()
