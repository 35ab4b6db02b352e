"""What the user's table becomes: feature names and sets, splits of the rows, removal of columns."""

from lukewarm.data._column_doubts import column_doubts
from lukewarm.data._columns import as_levels, as_pandas, as_quantity, first_if_repeated, like_column
from lukewarm.data._features import FeatureIndex, as_feature_sets, check_disjoint
from lukewarm.data._grouping import as_groups, correlation_groups
from lukewarm.data._parquet_rows import ParquetRows, RowSample
from lukewarm.data._removal import Fill, Removal, filled
from lukewarm.data._row_cache import RowCache
from lukewarm.data._row_doubts import row_doubts
from lukewarm.data._rows import Rows, joined
from lukewarm.data._splits import RowSplit, halve_rows, part_rows, split_folds, split_rows
from lukewarm.data._table import (
    MINIMUM_ROWS,
    as_given,
    as_table,
    as_target,
    as_targets,
    column_names,
    output_names,
    target_name,
    with_labels,
)
from lukewarm.data._table_files import read_table, separator_hint
from lukewarm.data._text_doubts import text_doubts
from lukewarm.data._units import RowUnits, as_codes

__all__ = [
    "MINIMUM_ROWS",
    "FeatureIndex",
    "Fill",
    "ParquetRows",
    "Removal",
    "RowCache",
    "RowSample",
    "RowSplit",
    "RowUnits",
    "Rows",
    "as_codes",
    "as_feature_sets",
    "as_given",
    "as_groups",
    "as_levels",
    "as_pandas",
    "as_quantity",
    "as_table",
    "as_target",
    "as_targets",
    "check_disjoint",
    "column_doubts",
    "column_names",
    "correlation_groups",
    "filled",
    "first_if_repeated",
    "halve_rows",
    "joined",
    "like_column",
    "output_names",
    "part_rows",
    "read_table",
    "row_doubts",
    "separator_hint",
    "split_folds",
    "split_rows",
    "target_name",
    "text_doubts",
    "with_labels",
]
