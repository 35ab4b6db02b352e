import gc
import weakref

import numpy as np
import pandas as pd

from lukewarm.data import filled
from lukewarm.learners.boosting._borders import Borders
from lukewarm.learners.boosting._dataset import BinnedDataset


def test_rows_that_nobody_needs_go_at_once(generator):
    X = generator.normal(size=(50, 3))
    rows = BinnedDataset.encode(Borders.learn(X, 16), X)
    without = rows.without((1,), (0.0, 0.0, 0.0))
    np.testing.assert_array_equal(without.varies, rows.varies)
    known = weakref.ref(rows)
    gc.disable()  # which would find circles, some time
    try:
        del rows
        assert known() is not None  # what is computed once for all sets stays with it
        del without
        assert known() is None
    finally:
        gc.enable()


def test_values_of_a_fill_have_the_codes_of_the_filled_column(generator):
    frame = pd.DataFrame(
        {
            "double": generator.normal(size=60),
            "single": generator.normal(size=60).astype(np.float32),
            "count": generator.integers(0, 9, size=60),
        }
    )
    rows = BinnedDataset.encode(Borders.learn(frame, 16), frame)
    drawn = {0: generator.normal(size=60), 1: generator.normal(size=60)}
    drawn[2] = generator.uniform(0, 9, size=60)
    drawn[0][::7] = np.nan
    found = rows.filled_codes(frame, [drawn, {**drawn, 0: np.broadcast_to(0.5, 60)}])
    for column, values in drawn.items():
        expected = BinnedDataset.encode(rows.borders, filled(frame, {column: values})).codes[column]
        assert len(np.unique(expected)) > 4
        np.testing.assert_array_equal(found[column][0], expected)
    assert len(np.unique(found[0][1])) == 1
