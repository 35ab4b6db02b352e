"""
Shapley values of any game
==========================

``lukewarm.shapley`` knows no features. Here it shares out the cost of a runway: aircraft that need
a longer one pay for the metres the others do not need (Littlechild and Owen, 1973).
"""

import matplotlib.pyplot as plt
import numpy as np

import lukewarm as lw

needs = {"glider": 300, "Cessna": 450, "ATR 72": 1300, "A320": 2100, "A380": 3000}
lengths = np.array(list(needs.values()))


def cost(aircraft):
    """The runway that a set of aircraft needs, in metres."""
    return max((lengths[one] for one in aircraft), default=0)


shares = np.asarray(lw.shapley.exact(cost, len(needs)))

# %%
# The answer is known: each stretch is paid for in equal parts by all who use it.
steps = np.diff(lengths, prepend=0) / np.arange(len(lengths), 0, -1)
assert np.allclose(shares, steps.cumsum())

fig, ax = plt.subplots(figsize=(6, 2.6), layout="constrained")
ax.barh(list(needs), lengths, color="lightgrey", label="needs")
ax.barh(list(needs), shares, color="tab:blue", label="pays for")
ax.set_xlabel("metres of runway")
ax.legend(frameon=False)

# %%
# With many players not every coalition can be asked. ``estimate`` samples them and knows its error.
sampled = lw.shapley.estimate(cost, len(needs), n_coalitions=20, random_state=0)
np.round(np.asarray(sampled)), np.round(sampled.standard_error)
