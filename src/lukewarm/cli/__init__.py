"""The command line: arguments to calls, nothing else."""

from lukewarm.cli._main import main

__all__ = ["main"]
