"""Running an experiment by its name."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from lukewarm._files import locked_folder, replacing_report, write_text
from lukewarm._validation import check_choice, check_count, check_n_jobs
from lukewarm.experiments._architecture_stability import ArchitectureStability
from lukewarm.experiments._base import SCALES, Experiment
from lukewarm.experiments._bounds import Bounds
from lukewarm.experiments._correlation import Correlation
from lukewarm.experiments._coverage import Coverage
from lukewarm.experiments._exact_case import ExactCase
from lukewarm.experiments._gas_turbine import GasTurbine
from lukewarm.experiments._high_dimension import HighDimension
from lukewarm.experiments._models import installed_models
from lukewarm.experiments._regular_trees import RegularTreesExperiment
from lukewarm.experiments._shapley_logistic import ShapleyLogistic
from lukewarm.experiments._symmetric import Symmetric
from lukewarm.experiments._tangent_stability import TangentStability
from lukewarm.parallel import read_records, run_resumable
from lukewarm.plotting import save_figure

_KNOWN: dict[str, Experiment] = {
    experiment.description.name: experiment
    for experiment in (
        Bounds(),
        TangentStability(),
        Correlation(),
        HighDimension(),
        ShapleyLogistic(),
        Coverage(),
        GasTurbine(),
        Symmetric(),
        ExactCase(),
        RegularTreesExperiment(),
        ArchitectureStability(),
    )
}
EXPERIMENTS = tuple(_KNOWN)


@dataclass(frozen=True, eq=False)
class Reproduction:
    """What an experiment left behind: its table, and the files it wrote."""

    table: pd.DataFrame
    records: Path
    table_file: Path
    figure_file: Path


def run(
    name: str,
    *,
    scale: str = "quick",
    models: Sequence[str] | None = None,
    n_replicates: int | None = None,
    n_jobs: int | None = None,
    out: str | os.PathLike[str] = "lukewarm-paper",
    seed: int = 0,
    verbose: bool | None = None,
) -> Reproduction:
    """Return the reproduction of one experiment of the paper.

    Parameters
    ----------
    name : str
        One of ``lukewarm.experiments.EXPERIMENTS``.
    scale : "quick" or "paper"
        "paper" has the paper's sizes.
    models : sequence of str, optional
        The models to run; by default our boosted trees, and the network where torch is installed.
    n_replicates : int, optional
    n_jobs : int, optional
        Replicates at a time.
    out : path, default "lukewarm-paper"
        Folder for the records, the table and the figure. A run that was interrupted goes on from
        the records it finds there.
    seed : int, default 0
    verbose : bool, optional
    """
    experiment = _KNOWN[check_choice("name", name, _KNOWN)]
    check_choice("scale", scale, SCALES)
    chosen = installed_models(experiment.models) if models is None else list(models)
    for model in chosen:
        check_choice("model", model, experiment.models)
    if n_replicates is not None:
        check_count("n_replicates", n_replicates)
    check_n_jobs(n_jobs)
    jobs = experiment.jobs(scale, chosen, n_replicates, check_count("seed", seed, minimum=0))
    with locked_folder(out) as folder:
        records_file = folder / f"{name}-{scale}.jsonl"
        records = run_resumable(
            experiment.run,
            jobs,
            records_file,
            n_jobs=n_jobs,
            verbose=verbose,
            description=name,
        )
        return _write(experiment, records, records_file)


def redraw(name: str, records: str | os.PathLike[str]) -> Reproduction:
    """Return the table and figure made anew from a file of records."""
    experiment = _KNOWN[check_choice("name", name, _KNOWN)]
    kept = read_records(records)
    with locked_folder(Path(records).parent):
        return _write(experiment, kept, Path(records))


def describe() -> pd.DataFrame:
    """Return one row per experiment: its section, what it shows, its cost in minutes."""
    return pd.DataFrame(
        {
            "name": each.description.name,
            "section": each.description.section,
            "models": ", ".join(each.models),
            "quick (min)": each.description.minutes["quick"],
            "paper, trees (min)": each.description.minutes["paper"],
            "shows": each.description.shows,
        }
        for each in _KNOWN.values()
    )


def _write(
    experiment: Experiment, records: Sequence[dict[str, Any]], records_file: Path
) -> Reproduction:
    table = experiment.table(records)
    table_file, figure_file = records_file.with_suffix(".json"), records_file.with_suffix(".png")
    with replacing_report(records_file.parent, records_file.stem) as staged:
        text = json.dumps(table.to_dict(orient="records"), indent=1) + "\n"
        write_text(staged / table_file.name, text)
        save_figure(experiment.figure(records), staged / figure_file.name)
    return Reproduction(table, records_file, table_file, figure_file)
