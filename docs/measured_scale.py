"""Tables of the page on long runs, from benchmarks/results/parallel.json and scale.json."""

from __future__ import annotations

from measured_tables import results, table


def _bytes(n_bytes: float) -> str:
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if n_bytes >= size:
            return f"{n_bytes / size:.3g} {unit}"
    return f"{n_bytes / 1e3:.3g} kB"


def scale_plan() -> str:
    """Return what the plan takes, part by part."""
    found = results("scale")
    one, plan = found["measured"], found["plan"]
    n_rows, n_columns = one["n_learnt"], one["n_columns"]
    return table(
        ("part", "measured on one core", "in the plan"),
        [
            (
                "read a block",
                f"{1e9 * one['read_seconds_per_cell']:.0f} ns per number, "
                f"{one['file_bytes_per_cell']:.1f} bytes",
                f"{plan['n_blocks']:,} blocks, {_bytes(plan['dataset_bytes'])}",
            ),
            (
                "draw the sample",
                f"{1e9 * one['sample_seconds_per_cell']:.0f} ns per number",
                f"{plan['sampling_core_hours']:.0f} core hours",
            ),
            (
                "learn",
                f"{one['full_model_seconds']:.0f} s per full model of {n_rows:,} x {n_columns:,}, "
                f"{one['reduce_seconds_per_set']:.2g} s per model without a column",
                f"{60 * plan['learning_hours']:.0f} minutes on one machine",
            ),
            (
                "send models",
                f"{_bytes(one['shared_bytes_per_set'])} per column, "
                f"{_bytes(one['shared_bytes'])} shared",
                f"{_bytes(plan['models_bytes'])} to each machine, "
                f"{plan['sending_models_seconds']:.0f} s",
            ),
            (
                "predict",
                f"{1e6 * one['predict_seconds_per_row_and_set']:.1f} microseconds per row, column "
                "and model",
                f"{plan['seconds_per_block']:,.0f} s per block, "
                f"{plan['core_hours']:,.0f} core hours",
            ),
            (
                "the whole evaluation",
                f"block times vary by {100 * one['spread_of_block_seconds']:.0f} %",
                f"{plan['evaluation_hours']:.1f} hours, workers busy "
                f"{100 * plan['busy_share']:.0f} % of them, {plan['n_blocks_repeated']} blocks "
                "repeated after failures",
            ),
            ("results", "", f"{_bytes(plan['results_bytes'])} of sums come back"),
        ],
    )


def parallel_memory() -> str:
    """Return the memory of many feature sets with a store and without."""
    found = results("parallel")["memory"]
    return table(
        ("", "feature sets", "evaluation rows", "memory of the fit"),
        [
            (name, f"{each['n_sets']:,}", f"{each['n_rows']:,}", _bytes(each["bytes"]))
            for name, each in found.items()
        ],
    )


def parallel_time() -> str:
    """Return what the machinery of each back end costs."""
    found = results("parallel")
    load = found["time"]["load"]
    rows = [
        (
            f"`{name}`",
            f"{each['speed_up_waiting']:.2f}",
            f"{each['speed_up_working']:.2f}",
            f"{1e3 * each['overhead_seconds_per_job']:.1f} ms",
        )
        for name, each in found["time"]["backends"].items()
    ]
    head = ("back end", "speed-up, jobs that wait", "jobs that compute", "per empty job")
    return (
        f"Two workers against one, {found['time']['n_jobs']} jobs of "
        f"{found['time']['job_seconds']:g} s, on a machine of two "
        f"cores with a load of {load:.1f} before:\njobs that wait show the machinery alone, jobs "
        f"that compute the want of cores as well. Keeping a job of\n"
        f"{found['store']['job_seconds']:g} s in a store adds "
        f"{100 * found['store']['overhead']:.1f} % of processor time.\n\n{table(head, rows)}"
    )


BLOCKS = (scale_plan, parallel_memory, parallel_time)
