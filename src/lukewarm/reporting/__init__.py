"""One page to hand over: a result as self-contained HTML, made from records only.

The room is called `reporting` because `lukewarm.report` is the function.
"""

from lukewarm.reporting._comparison import report_comparison
from lukewarm.reporting._page import report
from lukewarm.reporting._subjects import Correlated, Details, Subject

__all__ = ["Correlated", "Details", "Subject", "report", "report_comparison"]
