"""Rows of a Parquet dataset, which may be larger than memory: read a block at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from lukewarm._optional import require
from lukewarm._random import as_generator
from lukewarm._typing import RandomState
from lukewarm._validation import check_count, shown

# Of 100 columns, 50 MB: small beside the memory of a worker, large beside the cost of a call.
_BATCH_ROWS = 65_536
# Of each column that is read at the same time.
_BUFFER_BYTES = 65_536


class RowSample(NamedTuple):
    """Rows drawn from a dataset.

    Parameters
    ----------
    X : DataFrame
    y : Series
    numbers : ndarray of int
        Where they stand in the dataset, rising.
    """

    X: pd.DataFrame
    y: pd.Series
    numbers: np.ndarray


class ParquetRows:
    """The rows of a Parquet file, or of all such files in a folder, in the order of their names.

    A block is a row group of a file. Workers read blocks one by one, each by itself, and a block
    batch by batch, so memory holds one batch for each worker, however large files and blocks are.

    Parameters
    ----------
    path : path
        A file, or a folder whose files end in ".parquet".
    target : str
        The column that is predicted.
    drop : sequence of str
        Columns that are no features.
    batch_rows : int, default 65,536
        Rows worked on at once.

    Examples
    --------
    >>> import tempfile
    >>> frame = pd.DataFrame({"a": range(100), "y": range(100)})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     frame.to_parquet(f"{folder}/one.parquet", row_group_size=40)
    ...     rows = ParquetRows(folder, target="y")
    ...     sample = rows.sample(5, random_state=0)
    >>> rows.n_rows, rows.n_blocks, len(sample.X)
    (100, 3, 5)
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        target: str,
        *,
        drop: Sequence[str] = (),
        batch_rows: int = _BATCH_ROWS,
    ) -> None:
        self.path = Path(path).expanduser().resolve()  # workers may run in another directory
        self.target = target
        self.drop = tuple(drop)
        self.batch_rows = check_count("batch_rows", batch_rows)
        parquet = require("pyarrow.parquet", "parquet")
        files = sorted(self.path.glob("*.parquet")) if self.path.is_dir() else [self.path]
        if not files or not all(file.is_file() for file in files):
            raise ValueError(f"there is no Parquet file at {str(self.path)!r}.")
        names: list[str] | None = None
        self._blocks: list[tuple[Path, int]] = []
        sizes = []
        for file in files:
            metadata = parquet.read_metadata(file)
            columns_of_file = metadata.schema.to_arrow_schema().names
            if names is not None and columns_of_file != names:
                raise ValueError(
                    f"{str(file)!r} has other columns than {str(files[0])!r}; the files of a "
                    "dataset must have the same, in the same order."
                )
            names = columns_of_file
            for group in range(metadata.num_row_groups):
                self._blocks.append((file, group))
                sizes.append(metadata.row_group(group).num_rows)
        assert names is not None
        lacking = [name for name in (target, *self.drop) if name not in names]
        if lacking:
            raise ValueError(
                f"{str(self.path)!r} has no columns {shown(lacking)}; it has {shown(names)}."
            )
        self.features = tuple(name for name in names if name not in (target, *self.drop))
        self._starts = np.concatenate([[0], np.cumsum(sizes, dtype=int)])

    @property
    def n_rows(self) -> int:
        """Rows of the dataset."""
        return int(self._starts[-1])

    @property
    def n_blocks(self) -> int:
        """Blocks that can be read one by one."""
        return len(self._blocks)

    def start_of(self, block: int) -> int:
        """Return where in the dataset a block begins; the one after the last at its end."""
        return int(self._starts[block])

    def batches(self, block: int, *, without: np.ndarray | None = None) -> Iterator[RowSample]:
        """Yield the rows of a block, some ten thousand at a time, without those named.

        Parameters
        ----------
        block : int
            Number of the row group.
        without : ndarray of int, optional
            Numbers of rows of the dataset to leave out.
        """
        first = self.start_of(block)
        for frame in self._frames(block):
            places = np.arange(len(frame))
            if without is not None:
                places = places[~np.isin(first + places, without)]
            if len(places):
                yield self._parted(frame.iloc[places].reset_index(drop=True), first + places)
            first += len(frame)

    def sample(self, n_rows: int, random_state: RandomState = None) -> RowSample:
        """Return rows drawn at random, each as likely as any other, to learn from.

        The dataset is read once. Columns of text have category dtype, with the levels of all rows
        and not only of those drawn.

        Parameters
        ----------
        n_rows : int
        random_state : None, int or Generator
        """
        check_count("n_rows", n_rows)
        if n_rows > self.n_rows:
            raise ValueError(
                f"n_rows must be at most the {self.n_rows:,} rows there are; got {n_rows:,}."
            )
        generator = as_generator(random_state)
        numbers = np.sort(generator.choice(self.n_rows, n_rows, replace=False, shuffle=False))
        parts, levels = [], {name: set[Any]() for name in self._text_columns}
        for block in range(self.n_blocks):
            first = self.start_of(block)
            for frame in self._frames(block):
                for name, seen_levels in levels.items():
                    seen_levels.update(frame[name].dropna().unique())
                inside = numbers[(numbers >= first) & (numbers < first + len(frame))]
                parts.append(frame.iloc[inside - first])
                first += len(frame)
        drawn = pd.concat(parts, ignore_index=True)
        for name, seen_levels in levels.items():
            drawn[name] = pd.Categorical(drawn[name].astype(object), sorted(seen_levels))
        return self._parted(drawn, numbers)

    @property
    def fingerprint(self) -> list[Any]:
        """What tells this dataset from another, without reading it: files, sizes and dates."""
        files = dict.fromkeys(file for file, _ in self._blocks)
        told = [[file.name, file.stat().st_size, file.stat().st_mtime_ns] for file in files]
        return [told, self.target, list(self.drop), self.batch_rows]

    @cached_property
    def _text_columns(self) -> tuple[str, ...]:
        parquet = require("pyarrow.parquet", "parquet")
        schema = parquet.read_schema(self._blocks[0][0])
        kinds = {name: str(schema.field(name).type) for name in self.features}
        return tuple(
            name
            for name, kind in kinds.items()
            if kind.startswith(("string", "large_string", "dictionary"))
        )

    def _frames(self, block: int) -> Iterator[pd.DataFrame]:
        parquet = require("pyarrow.parquet", "parquet")
        file, group = self._blocks[block]
        columns = [*self.features, self.target]
        # Without a buffer a whole row group is read before its first batch.
        with parquet.ParquetFile(file, buffer_size=_BUFFER_BYTES, pre_buffer=False) as opened:
            for batch in opened.iter_batches(self.batch_rows, row_groups=[group], columns=columns):
                frame = batch.to_pandas()
                for name in self._text_columns:
                    if isinstance(frame[name].dtype, pd.CategoricalDtype):
                        frame[name] = frame[name].astype(object)
                yield frame[columns]

    def _parted(self, frame: pd.DataFrame, numbers: np.ndarray) -> RowSample:
        return RowSample(frame[list(self.features)], frame[self.target], numbers)
