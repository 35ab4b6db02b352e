"""Boosters of other libraries: new trees on top of a margin, segment by segment.

Nothing is imported here, so that an engine loads only when its own module is.
"""
