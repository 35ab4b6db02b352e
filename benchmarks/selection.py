"""How many of the selected features are worth nothing, and how many of the others are found.

    python benchmarks/selection.py --replicates 100 [--models linear,boosting,auto] [--jobs 1]

Tables of 500 rows with many useless columns are drawn, explained with the library's defaults, and
selected from as ``result.select`` does. The mean share of useless features among those selected
(the false discovery rate) is to stay below what was asked for; power is the share of the others
that were selected. Finished data sets are kept in results/runs/selection.jsonl with all their
p-values, so a stopped run goes on and a longer one begins with a shorter one. One data set takes
one to three seconds of a core. Seeds given by --seed: choose on some, report on others.
"""

import json
import os
import warnings
import zlib
from pathlib import Path
from time import process_time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import click
import numpy as np
import pandas as pd

import lukewarm as lw
from lukewarm.inference import adjust_p_values
from lukewarm.parallel import run_resumable

FOLDER = Path(__file__).parent / "results"
N_ROWS = 500
RATES = (0.05, 0.1, 0.2)
# Slopes of the useful columns; the last of them only counts above zero. A line has its share of
# that in a Gaussian table, and none of it in another column, so the useless columns are useless to
# linear models as well.
SLOPES = (0.5, -0.35, 0.25)
BENT = 0.6


def neighbours(generator, n_columns=12, correlation=0.5):
    """Return columns that are correlated with the one before."""
    X = generator.normal(size=(N_ROWS, n_columns))
    for column in range(1, n_columns):
        X[:, column] = correlation * X[:, column - 1] + np.sqrt(1 - correlation**2) * X[:, column]
    return X


def twins(generator):
    """Return 16 columns, each second one correlated 0.9 with the one before."""
    X = generator.normal(size=(N_ROWS, 16))
    X[:, 1::2] = 0.9 * X[:, ::2] + np.sqrt(1 - 0.9**2) * X[:, 1::2]
    return X


def common_factor(generator):
    """Return 20 columns, each pair of which is correlated 0.5."""
    shared = generator.normal(size=(N_ROWS, 1))
    return np.sqrt(0.5) * (shared + generator.normal(size=(N_ROWS, 20)))


# The columns of a design, and which of them are useful, by place.
DESIGNS = {
    "neighbours": (neighbours, (0, 3, 6, 9)),
    "twins": (twins, (0, 2, 4, 6)),
    "common factor": (common_factor, (0, 5, 10, 15)),
    "nothing useful": (neighbours, ()),
    "two classes": (neighbours, (0, 3, 6)),
}


def draw(design, generator):
    """Return the columns and the target of a design."""
    columns, useful = DESIGNS[design]
    X = columns(generator)
    signal = np.zeros(N_ROWS)
    for place, slope in zip(useful, (*SLOPES, BENT), strict=False):
        signal += slope * (np.maximum(X[:, place], 0) if slope == BENT else X[:, place])
    if design == "two classes":
        return X, np.where(generator.random(N_ROWS) < 1 / (1 + np.exp(-2 * signal)), "yes", "no")
    return X, signal + generator.normal(size=N_ROWS)


def explain(job):
    """Return the p-values of one data set."""
    key = zlib.crc32(job["design"].encode())
    X, y = draw(job["design"], np.random.default_rng([job["seed"], key, job["replicate"]]))
    started = process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        vi = lw.VariableImportance(job["model"], random_state=job["replicate"]).fit(X, y)
    seconds = process_time() - started
    return {"p_values": [float(each) for each in vi.result_.p_value()], "seconds": seconds}


def of_data_set(record):
    """Return what `select` does on one data set, at each rate."""
    useful = list(DESIGNS[record["design"]][1])
    p_values = np.array(record["p_values"])
    is_null = np.ones(len(p_values), dtype=bool)
    is_null[useful] = False
    # What `result.select` goes by.
    adjusted = adjust_p_values(p_values, "bh")
    kept = {key: record[key] for key in ("model", "design", "seconds")}
    for rate in RATES:
        chosen = adjusted <= rate
        yield {
            **kept,
            "fdr_asked": rate,
            "false": (chosen & is_null).sum() / max(chosen.sum(), 1),
            "power": (chosen & ~is_null).sum() / len(useful) if useful else np.nan,
            "flagged": (p_values[is_null] < 0.05).mean(),
        }


def rows_of(cells, keys):
    """Return one row per cell: false discovery rate, power, nulls flagged, with errors."""
    return [
        {
            **dict(zip(keys, key, strict=True)),
            "n_datasets": len(cell),
            "fdr": cell["false"].mean(),
            "fdr_std_error": cell["false"].sem(),
            "power": cell["power"].mean(),
            "nulls_flagged": cell["flagged"].mean(),
            "nulls_flagged_std_error": cell["flagged"].sem(),
            "seconds": cell["seconds"].mean(),
        }
        for key, cell in cells.groupby(keys, sort=False)
    ]


@click.command()
@click.option("--models", default="linear,boosting,auto", show_default=True)
@click.option("--designs", default=",".join(DESIGNS), show_default=True)
@click.option("--replicates", default=40, show_default=True, help="Data sets of each design.")
@click.option("--seed", default=2026, show_default=True)
@click.option("--jobs", default=1, show_default=True)
@click.option(
    "--store", type=click.Path(path_type=Path), default=FOLDER / "runs" / "selection.jsonl"
)
@click.option("--out", type=click.Path(path_type=Path), default=FOLDER / "selection.json")
def main(models, designs, replicates, seed, jobs, store, out):
    work = [
        {"model": model, "design": design, "seed": seed, "replicate": replicate}
        for replicate in range(replicates)
        for model in models.split(",")
        for design in designs.split(",")
    ]
    records = run_resumable(explain, work, store, n_jobs=jobs, description="data sets")
    cells = pd.DataFrame([row for record in records for row in of_data_set(record)])
    by_model = rows_of(cells, ["model", "fdr_asked"])
    by_design = rows_of(cells, ["model", "design", "fdr_asked"])
    for rows in (by_model, by_design):
        print(pd.DataFrame(rows).round(3).to_string(index=False), "\n")
    record = {"seed": seed, "n_rows": N_ROWS, "by_model": by_model, "by_design": by_design}
    # Not a number is no JSON: the power where nothing is useful.
    text = json.dumps(json.loads(pd.Series(record).to_json()), indent=1)
    out.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
