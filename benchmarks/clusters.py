"""Do errors hold where rows belong together: 50 patients with 20 visits each?

    python benchmarks/clusters.py --replicates 100 [--models linear,boosting] [--jobs 1]

Half of the noise is the patient's own, and three of the five columns are the same in all visits of
a patient. Every table is explained twice, with ``groups=`` and without, and judged against the
exact importances: how often 95 % intervals cover those of the useful columns, and how often useless
columns are called important at 5 %. Finished data sets are kept in results/runs/clusters.jsonl, so
a stopped run goes on.
"""

import json
import os
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import click
import numpy as np
import pandas as pd
from judging import FOLDER, fit_seconds

import lukewarm as lw
from lukewarm.parallel import run_resumable

N_PATIENTS, N_VISITS = 50, 20
# Of a patient: dose, weight (which goes with the dose) and site. Of a visit: pulse and room.
# y = dose + pulse / 2 + noise, and the importance of a slope in a Gaussian table is its square
# times the variance that the other columns leave.
CORRELATION = 0.5
TRUTH = {"dose": 1 - CORRELATION**2, "weight": 0.0, "site": 0.0, "pulse": 0.25, "room": 0.0}
OF_PATIENTS = ("dose", "weight", "site")


def draw(generator):
    """Return a table, its target, and the patient of each row."""
    patient = np.repeat(np.arange(N_PATIENTS), N_VISITS)
    dose, rest, site, own_noise = generator.normal(size=(4, N_PATIENTS))[:, patient]
    pulse, room, noise = generator.normal(size=(3, len(patient)))
    weight = CORRELATION * dose + np.sqrt(1 - CORRELATION**2) * rest
    X = pd.DataFrame(dict(zip(TRUTH, (dose, weight, site, pulse, room), strict=True)))
    return X, dose + pulse / 2 + own_noise + noise, patient


def explain(job):
    """Return intervals and p-values of one table."""
    X, y, patient = draw(np.random.default_rng([job["seed"], job["replicate"]]))
    vi = lw.VariableImportance(job["model"], random_state=job["replicate"])
    groups = patient if job["errors"] == "patients" else None
    seconds = fit_seconds(vi, X, y, groups=groups)
    frame = vi.result_.to_frame()[["feature", "importance", "ci_low", "ci_high", "p_value"]]
    return {"rows": frame.to_dict("records"), "seconds": seconds}


@click.command()
@click.option("--models", default="linear,boosting", show_default=True)
@click.option("--replicates", default=100, show_default=True)
@click.option("--seed", default=2026, show_default=True)
@click.option("--jobs", default=1, show_default=True)
@click.option(
    "--store", type=click.Path(path_type=Path), default=FOLDER / "runs" / "clusters.jsonl"
)
@click.option("--out", type=click.Path(path_type=Path), default=FOLDER / "clusters.json")
def main(models, replicates, seed, jobs, store, out):
    work = [
        {"model": model, "errors": errors, "seed": seed, "replicate": replicate}
        for replicate in range(replicates)
        for model in models.split(",")
        for errors in ("patients", "rows")
    ]
    records = run_resumable(explain, work, store, n_jobs=jobs, description="tables")
    kept = ("model", "errors", "replicate", "seconds")
    frame = pd.DataFrame(
        [{**{key: each[key] for key in kept}, **row} for each in records for row in each["rows"]]
    )
    frame["truth"] = frame["feature"].map(TRUTH)
    frame["covers"] = (frame["ci_low"] <= frame["truth"]) & (frame["truth"] <= frame["ci_high"])
    frame["flagged"] = frame["p_value"] < 0.05
    frame["of"] = np.where(frame["feature"].isin(OF_PATIENTS), "patients", "visits")
    rows = []
    for key, cell in frame.groupby(["model", "errors", "of"], sort=False):
        matters, nulls = cell[cell["truth"] > 0], cell[cell["truth"] == 0]
        flagged = nulls.groupby("replicate")["flagged"].mean()
        rows.append(
            {
                **dict(zip(("model", "errors_of", "columns_of"), key, strict=True)),
                "n_datasets": cell["replicate"].nunique(),
                "coverage": float(matters["covers"].mean()),
                "coverage_std_error": float(matters["covers"].sem()),
                "power": float(matters["flagged"].mean()),
                "nulls_flagged": float(flagged.mean()),
                "nulls_flagged_std_error": float(flagged.sem()),
                "seconds": float(cell["seconds"].mean()),
            }
        )
    print(pd.DataFrame(rows).round(3).to_string(index=False))
    out.write_text(json.dumps({"seed": seed, "rows": rows}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
