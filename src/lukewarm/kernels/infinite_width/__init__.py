"""Kernels of networks in the limit of infinite width: NNGP and NTK."""
