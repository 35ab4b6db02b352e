"""Which features matter, and how sure are you? Importance by warm start and early stopping."""

from lukewarm._version import __version__

__all__ = ["__version__"]
