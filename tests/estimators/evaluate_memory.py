"""The most memory that an evaluation on a Parquet file takes: ``python evaluate_memory.py FILE``.

A program of its own, since a process never gives back what it took at its worst. Prints the number
of rows and bytes.
"""

import sys
import warnings
from pathlib import Path

from sklearn.linear_model import LinearRegression

import lukewarm as lw


def measured(path):
    """Return the rows judged, and the most bytes the process ever held."""
    rows = lw.ParquetRows(path, target="y", batch_rows=4096)
    sample = rows.sample(500, random_state=0)
    vi = lw.VariableImportance(LinearRegression(), "projection", inference="paired")
    vi.set_params(features=["x0"], random_state=0).fit(sample.X, sample.y)
    result = vi.evaluate(rows, without=sample.numbers)
    # Not that of `getrusage`, which a process inherits from the one that started it.
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return result.n_rows, 1024 * int(status.partition("VmHWM:")[2].split()[0])


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        print(*measured(sys.argv[1]))
