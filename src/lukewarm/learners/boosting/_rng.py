"""Random numbers that depend only on a seed and a step, so that training can be cut anywhere."""

from __future__ import annotations

import numpy as np

from lukewarm.learners.boosting._compiled import compiled_part

# The constants of SplitMix64.
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
# The 53 bits that a float holds.
_TO_UNIT = 2.0**-53


@compiled_part
def mix(state):
    """Return the output function of SplitMix64 (Steele, Lea and Flood 2014)."""
    z = (state ^ (state >> np.uint64(30))) * _MIX_1
    z = (z ^ (z >> np.uint64(27))) * _MIX_2
    return z ^ (z >> np.uint64(31))


@compiled_part
def start_stream(seed, step):
    """Return the state of the stream that belongs to one step of one seed."""
    return mix(mix(np.uint64(seed) + _GOLDEN) + np.uint64(step) * _GOLDEN)


@compiled_part
def next_state(state):
    """Return the state after `state`."""
    return state + _GOLDEN


@compiled_part
def uniform(state):
    """Return the uniform number in (0, 1) at `state`."""
    return (np.float64(mix(state) >> np.uint64(11)) + 0.5) * _TO_UNIT
