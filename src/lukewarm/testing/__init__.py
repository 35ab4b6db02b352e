"""Contracts as checks that anyone can run on a class of their own; no test framework is needed."""

from lukewarm.testing._check_learner import check_learner

__all__ = ["check_learner"]
