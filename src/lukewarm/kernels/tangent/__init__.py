"""The empirical tangent kernel of a network of finite width, by layers or by its Jacobian.

Its modules import torch; the room itself does not.
"""
