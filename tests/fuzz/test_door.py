"""2,000 odd calls: each succeeds with sound numbers or says which parameter is wrong."""

import os

import numpy as np
import pytest

from fuzz.calls import draw
from fuzz.oracle import complaint

N_SHARDS = 20
CALLS_PER_SHARD = 100
# Another base tries other calls: LUKEWARM_FUZZ_SEED=7 pytest tests/fuzz
BASE = int(os.environ.get("LUKEWARM_FUZZ_SEED", "0"))


@pytest.mark.parametrize("shard", range(N_SHARDS))
def test_every_call_ends_well_or_names_its_fault(shard, tmp_path):
    complaints = []
    for number in range(CALLS_PER_SHARD):
        rng = np.random.default_rng([BASE, shard, number])
        found = complaint(draw(rng, tmp_path))
        if found is not None:
            complaints.append(f"[{BASE}, {shard}, {number}] {found}")
    assert not complaints, "\n".join(["", *complaints])
