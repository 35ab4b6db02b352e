"""Kernels of networks in the limit of infinite width: NNGP and NTK.

Users find them in `lukewarm.kernels`; kernel machines stand on them as well.
"""

from lukewarm.infinite_width._networks import nngp, ntk

__all__ = ["nngp", "ntk"]
