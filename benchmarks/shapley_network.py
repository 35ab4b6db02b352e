"""Shapley values of the paper's network by kernel flow: minutes, where the paper took hours.

    OMP_NUM_THREADS=1 python -P benchmarks/shapley_network.py [--width 2048] [--coalitions 160]

The paper's logistic data and settings (two hidden layers, SGD, batches of 32, learning rate 0.1).
Errors are root mean squares over the ten features, to the population's values and to those of
the same game with all its 1,022 coalitions fitted. The paper's scheme (fifty marginal
contributions per feature) is played on that table, so that it costs no fits here.
"""

from __future__ import annotations

import argparse
import json
import warnings
from pathlib import Path
from time import perf_counter

import numpy as np
import torch
from lukewarm.experiments._logistic_truth import true_logistic_shapley

import lukewarm as lw
from lukewarm.learners import Network
from lukewarm.reduction import KernelFlow
from lukewarm.shapley._coalitions import all_membership, as_coalition
from lukewarm.shapley._exact import shapley_of_table
from lukewarm.shapley._sampling import marginal_draws

RESULTS = Path(__file__).parent / "results"
DRAWS_PER_FEATURE = 50
N_SCHEMES = 20


def rmse(first, second):
    return float(np.sqrt(np.mean(np.square(first - second))))


def table_of(result):
    values = dict(zip(result.coalitions, result.values, strict=True))
    return {as_coalition(row): values[as_coalition(row)] for row in all_membership(len(result))}


def paper_scheme(table, n_features, seed):
    rounds = marginal_draws(n_features, np.random.default_rng(seed))
    totals = np.zeros(n_features)
    for _ in range(DRAWS_PER_FEATURE):
        unit = next(rounds)
        for player, (before, after) in enumerate(zip(unit[::2], unit[1::2], strict=True)):
            totals[player] += table[after] - table[before]
    return totals / DRAWS_PER_FEATURE


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--width", type=int, default=2048)
    parser.add_argument("--coalitions", type=int, default=160)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore", lw.ImportanceWarning)
    data = lw.datasets.make_logistic(random_state=0)
    truth, n_features = true_logistic_shapley(), data.X.shape[1]
    network = Network(
        (options.width, options.width), weight_scale=0.99**0.5, bias_scale=0.1, optimizer="sgd",
        learning_rate=0.1, batch_size=32,
    )  # fmt: skip
    estimator = lw.ShapleyImportance(
        network,
        KernelFlow(conditional_imputation=False),  # the paper's start
        n_coalitions=options.coalitions,
        patience=3,
        min_delta=1e-3,
        max_steps=800,
        n_jobs=options.jobs,
        random_state=0,
        inference="paired",
    )
    started = perf_counter()
    sampled = estimator.fit(data.X, data.y).result_
    seconds = perf_counter() - started
    print(f"{options.coalitions} coalitions in {seconds:.0f} s with the full fit", flush=True)
    everything = estimator.fit_more(2**n_features - 2 - sampled.n_fits).result_
    seconds_of_all = perf_counter() - started
    table = table_of(everything)
    exact = shapley_of_table(np.array(list(table.values())))
    schemes = [paper_scheme(table, n_features, seed) for seed in range(N_SCHEMES)]
    outcome = {
        "width": options.width,
        "seconds": seconds,
        "n_fits": sampled.n_fits,
        "seconds_of_all_coalitions": seconds_of_all,
        "error_to_the_game": {
            "ours": rmse(sampled.shapley_value, exact),
            "paper_scheme": float(np.sqrt(np.mean([rmse(each, exact) ** 2 for each in schemes]))),
        },
        "error_to_truth": {
            "ours": rmse(sampled.shapley_value, truth),
            "all_coalitions": rmse(exact, truth),
            "paper_scheme": float(np.sqrt(np.mean([rmse(each, truth) ** 2 for each in schemes]))),
        },
        "values": sampled.shapley_value.tolist(),
        "standard_errors": sampled.standard_error.tolist(),
        "truth": truth.tolist(),
    }
    print(json.dumps(outcome, indent=1))
    (RESULTS / "shapley_network.json").write_text(json.dumps(outcome, indent=1) + "\n")


if __name__ == "__main__":
    main()
