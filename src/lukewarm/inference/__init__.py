"""Standard errors, intervals and tests from per-row influence values.

Pure functions over arrays: nothing here knows a model, a measure or a data set.
"""

from lukewarm.inference._wald import p_value, standard_error, wald_interval

__all__ = ["p_value", "standard_error", "wald_interval"]
