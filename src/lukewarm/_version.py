"""The version, kept apart so that the build need not import the package."""

__version__ = "0.2.0"
