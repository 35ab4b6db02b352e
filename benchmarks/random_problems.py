"""Do intervals cover and tests keep their level on problems that were drawn at random?

    python benchmarks/random_problems.py --sizes 500,2000 --replicates 100 [--classes] [--jobs 2]

Every data set comes from a problem of its own. Two to six roots (correlated or not; normal, uniform
or Student's t with 5 degrees) have three to eight leaves: noise, lines, curves, functions of two
roots, each with noise of its own, or counts. The best prediction is a sum of random functions of
some roots and leaves, and of some pairs of them; the noise is normal, heavy-tailed or uneven and
leaves an R2 of 0.3 to 0.95. Nothing depends on a leaf but y, so its values given all other columns
can be drawn, and its importance is known: half the mean squared difference of the best prediction
at two such draws; for classes, by averages over many. Roots are not judged.

Finished data sets are kept in results/runs/random_problems.jsonl, so a stopped run goes on;
results/random_problems.json holds a row per task, measure, size and model.
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
from scipy import special

import lukewarm as lw
from lukewarm.parallel import run_resumable

KINDS = ("noise", "line", "curve", "pair", "count")
SHARES_OF_KINDS = (0.2, 0.25, 0.25, 0.2, 0.1)
# Draws behind each truth: a squared difference of two is known to a percent or so.
N_TRUTH, N_TRUTH_CLASSES, N_AVERAGED = 200_000, 30_000, 64


def curve(generator):
    """Return a random function of one column."""
    scale, place = generator.uniform(1.2, 3.0), generator.normal(scale=0.5)
    functions = (
        lambda x: x,
        lambda x: (x - place) ** 2 / 1.5,
        lambda x: np.sin(scale * x + place),
        lambda x: (x > place).astype(float),
        lambda x: np.abs(x - place),
        lambda x: np.exp(0.5 * np.clip(x, -4, 4)),
        lambda x: np.tanh(2 * (x - place)),
    )
    return functions[generator.integers(len(functions))]


def surface(generator):
    """Return a random function of two columns."""
    place = generator.normal(scale=0.5)
    functions = (
        lambda x, z: x * z,
        lambda x, z: x * (z > place),
        np.maximum,
        lambda x, z: np.sin(x * z),
        np.hypot,
    )
    return functions[generator.integers(len(functions))]


class Leaf:
    """A column that depends on two roots and has noise of its own."""

    def __init__(self, generator, n_roots):
        self.kind = generator.choice(KINDS, p=SHARES_OF_KINDS)
        self.roots = generator.permutation(n_roots)[:2]
        self.curve, self.surface = curve(generator), surface(generator)
        self.noise, self.slopes = generator.uniform(0.3, 1.0), generator.normal(size=2)

    def draw(self, roots, generator):
        """Return the column, given the roots (n, n_roots)."""
        x, z = roots[:, self.roots[0]], roots[:, self.roots[-1]]
        noise = generator.normal(size=len(x))
        if self.kind == "noise":
            return noise
        if self.kind == "count":
            is_large = generator.random(len(x)) < special.expit(self.slopes[0] * x)
            return 2.0 * is_large + (generator.random(len(x)) < 0.5)
        means = {
            "line": lambda: self.slopes[0] * x + self.slopes[1] * z,
            "curve": lambda: self.curve(x),
            "pair": lambda: self.surface(x, z),
        }
        return means[self.kind]() + self.noise * noise


class RandomProblem:
    """A law of rows, the best prediction, and the importances of the leaves."""

    def __init__(self, *key):
        generator = np.random.default_rng(key)
        self.n_roots, n_leaves = generator.integers(2, 7), generator.integers(3, 9)
        mixing = generator.choice([0.0, 0.6]) * generator.normal(size=(self.n_roots,) * 2)
        mixing += np.eye(self.n_roots)
        self.mixing = mixing / np.linalg.norm(mixing, axis=1, keepdims=True)
        self.law = generator.choice(["normal", "normal", "student", "uniform"])
        self.leaves = [Leaf(generator, self.n_roots) for _ in range(n_leaves)]
        n_useful = generator.integers(1, max(2, n_leaves // 2 + 1))
        useful = self.n_roots + generator.permutation(n_leaves)[:n_useful]
        roots = generator.permutation(self.n_roots)[: generator.integers(1, self.n_roots + 1)]
        used = [*useful, *(root for root in roots if generator.random() < 0.8)]
        self.terms = [(_size(generator), (column,), curve(generator)) for column in used]
        for _ in range(generator.integers(0, 3) if len(used) > 1 else 0):
            pair = tuple(generator.permutation(used)[:2])
            self.terms.append((_size(generator), pair, surface(generator)))
        share = generator.uniform(0.3, 0.95)
        spread = np.std(self.best(self.columns(20_000, generator)[0]))
        self.noise = spread * np.sqrt((1 - share) / share)
        self.noise_law = generator.choice(["normal", "normal", "student", "uneven"])

    def columns(self, n_rows, generator):
        """Return the columns (n, p), and the roots among them."""
        shape = (n_rows, self.n_roots)
        laws = {
            "normal": lambda: generator.normal(size=shape),
            "student": lambda: generator.standard_t(5, size=shape) / np.sqrt(5 / 3),
            "uniform": lambda: generator.uniform(-np.sqrt(3), np.sqrt(3), size=shape),
        }
        roots = laws[self.law]() @ self.mixing.T
        return np.column_stack(
            [roots, *(each.draw(roots, generator) for each in self.leaves)]
        ), roots

    def best(self, X):
        """Return the best prediction, or the index that decides the class."""
        return sum(
            size * function(*(X[:, column] for column in columns))
            for size, columns, function in self.terms
        )

    def draw(self, n_rows, generator, *, is_classes):
        """Return columns and target."""
        X, _ = self.columns(n_rows, generator)
        noise = generator.normal(size=n_rows)
        if is_classes:
            return X, (self.best(X) + self.noise * noise > self.threshold).astype(int)
        if self.noise_law == "student":
            noise = generator.standard_t(5, size=n_rows) / np.sqrt(5 / 3)
        if self.noise_law == "uneven":
            noise *= 0.5 + np.abs(X[:, 0])
            noise /= np.sqrt(np.mean(np.square(0.5 + np.abs(X[:, 0]))))
        return X, self.best(X) + self.noise * noise

    @property
    def threshold(self):
        """Above which the second class is the likelier one."""
        return float(np.median(self.best(self.columns(20_000, np.random.default_rng(0))[0])))

    def truth(self):
        """Return the importance of each leaf in squared error, by column."""
        generator = np.random.default_rng(1)
        X, roots = self.columns(N_TRUTH, generator)
        best = self.best(X)
        found = {}
        for column in self._leaf_columns:
            other = self._redrawn(X, roots, column, generator)
            found[column] = float(np.mean(np.square(self.best(other) - best)) / 2)
        return {"neg_mse": found}

    def truth_of_classes(self):
        """Return the importances of each leaf in log-loss, AUC and accuracy."""
        generator = np.random.default_rng(1)
        X, roots = self.columns(N_TRUTH_CLASSES, generator)
        threshold = self.threshold
        chance = special.ndtr((self.best(X) - threshold) / self.noise)
        found = {"neg_log_loss": {}, "auc": {}, "accuracy": {}}
        for column in self._leaf_columns:
            without = np.mean(
                [
                    special.ndtr(
                        (self.best(self._redrawn(X, roots, column, generator)) - threshold)
                        / self.noise
                    )
                    for _ in range(N_AVERAGED if self._uses(column) else 0)
                ]
                or [chance],
                axis=0,
            )
            for measure, skill in (
                ("neg_log_loss", _log_skill), ("auc", _auc), ("accuracy", _accuracy)
            ):  # fmt: skip
                # Averages over few draws are off by a little; what is not used is worth nothing.
                gain = skill(chance, chance) - skill(without, chance)
                found[measure][column] = max(float(gain), 0.0) if self._uses(column) else 0.0
        return found

    @property
    def _leaf_columns(self):
        return range(self.n_roots, self.n_roots + len(self.leaves))

    def _uses(self, column):
        return any(column in columns for _, columns, _ in self.terms)

    def _redrawn(self, X, roots, column, generator):
        other = X.copy()
        other[:, column] = self.leaves[column - self.n_roots].draw(roots, generator)
        return other


def _size(generator):
    return generator.uniform(0.5, 1.5) * generator.choice([-1, 1])


def _log_skill(prediction, chance):
    prediction = np.clip(prediction, 1e-12, 1 - 1e-12)
    return np.mean(chance * np.log(prediction) + (1 - chance) * np.log(1 - prediction))


def _auc(prediction, chance):
    order = np.argsort(prediction, kind="stable")
    cases, controls = chance[order], 1 - chance[order]
    below = np.cumsum(controls) - controls / 2
    return np.sum(cases * below) / (cases.sum() * controls.sum())


def _accuracy(prediction, chance):
    return np.mean(np.where(prediction > 0.5, chance, 1 - chance))


def explain(job):
    """Return estimates and truths of one data set."""
    is_classes = job["task"] == "classes"
    problem = RandomProblem(job["seed"], job["replicate"])
    truth = problem.truth_of_classes() if is_classes else problem.truth()
    generator = np.random.default_rng([job["seed"], job["replicate"], job["n"]])
    X, y = problem.draw(job["n"], generator, is_classes=is_classes)
    table = pd.DataFrame(X, columns=[f"x{column}" for column in range(X.shape[1])])
    columns = list(next(iter(truth.values())))
    task = "classification" if is_classes else "regression"
    vi = lw.VariableImportance(
        job["model"],
        measure=list(truth),
        task=task,
        features=[f"x{column}" for column in columns],
        random_state=job["replicate"],
    )
    seconds = fit_seconds(vi, table, y)
    rows = []
    for measure, values in truth.items():
        result = vi.results_[measure]
        low, high = result.interval(reach_zero=True)
        numbers = zip(values.values(), result.importance, low, high, result.p_value(), strict=True)
        for column, each in zip(columns, numbers, strict=True):
            kind = str(problem.leaves[column - problem.n_roots].kind)
            rows.append([measure, f"x{column}", kind, *(float(number) for number in each)])
    doubts = vi.result_.health()["name"]
    return {"rows": rows, "seconds": seconds, "underfit": bool((doubts == "underfit").any())}


def summary(records):
    """Return a row for every task, measure, size and model."""
    keys = ["task", "n", "model"]
    rows = [
        {**{key: record[key] for key in (*keys, "replicate", "seconds", "underfit")},
         **dict(zip(("measure", "feature", "kind", "truth", "estimate", "low", "high", "p"), row,
                    strict=True))}
        for record in records
        for row in record["rows"]
    ]  # fmt: skip
    frame = pd.DataFrame(rows)
    frame["too_low"], frame["too_high"] = frame.high < frame.truth, frame.low > frame.truth
    frame["covers"], frame["flagged"] = ~(frame.too_low | frame.too_high), frame.p < 0.05
    table = []
    for key, cell in frame.groupby([*keys, "measure"], sort=False):
        matters, nulls = cell[cell.truth > 0], cell[cell.truth == 0]
        by_set = cell.groupby("replicate")
        table.append(
            dict(zip([*keys, "measure"], key, strict=True))
            | {
                "data_sets": cell.replicate.nunique(),
                "n_useful": len(matters),
                "n_useless": len(nulls),
                "coverage": matters.covers.mean(),
                "coverage_error": matters.groupby("replicate").covers.mean().sem(),
                "too_low": matters.too_low.mean(),
                "too_high": matters.too_high.mean(),
                "bias": (matters.estimate / matters.truth - 1).median(),
                "power": matters.flagged.mean(),
                "nulls_flagged": nulls.flagged.mean(),
                "flagged_error": nulls.groupby("replicate").flagged.mean().sem(),
                "underfit": by_set.underfit.first().mean(),
                "seconds": by_set.seconds.first().mean(),
            }
        )
    return pd.DataFrame(table)


@click.command()
@click.option("--sizes", default="500,2000", show_default=True)
@click.option("--model", default="auto", show_default=True)
@click.option("--classes", is_flag=True, help="Two classes instead of a number.")
@click.option("--replicates", default=100, show_default=True)
@click.option("--seed", default=0, show_default=True)
@click.option("--jobs", default=1, show_default=True)
@click.option(
    "--store", type=click.Path(path_type=Path), default=FOLDER / "runs" / "random_problems.jsonl"
)
@click.option("--out", type=click.Path(path_type=Path), default=FOLDER / "random_problems.json")
def main(sizes, model, classes, replicates, seed, jobs, store, out):
    task = "classes" if classes else "numbers"
    work = [
        {"task": task, "n": int(n), "model": model, "seed": seed, "replicate": replicate}
        for n in sizes.split(",")
        for replicate in range(replicates)
    ]
    table = summary(run_resumable(explain, work, store, n_jobs=jobs, description="data sets"))
    print(table.round(3).to_string(index=False))
    known = json.loads(out.read_text())["rows"] if out.exists() else []
    rows = json.loads(table.assign(seed=seed).to_json(orient="records"))
    keys = ("task", "n", "model", "measure")
    fresh = {tuple(row[key] for key in keys) for row in rows}
    others = [row for row in known if tuple(row[key] for key in keys) not in fresh]
    out.write_text(json.dumps({"rows": [*others, *rows]}))


if __name__ == "__main__":
    main()
