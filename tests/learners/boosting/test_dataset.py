import gc
import weakref

import numpy as np

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
