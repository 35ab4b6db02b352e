"""Every warning of the library, and its one exception, in one place.

What a call gets wrong is a ValueError or a TypeError; doubt about a number is a warning of its own
class, so that it can be looked for, silenced or turned into an error by itself.
"""

__all__ = [
    "ClaimedElsewhere",
    "HealthWarning",
    "ImportanceWarning",
    "KernelWarning",
    "NearZeroWarning",
    "PrecisionWarning",
    "RowOrderWarning",
    "SeenRowsWarning",
    "StoreWarning",
    "TangentWarning",
    "TaskWarning",
    "UnderfitWarning",
    "UnknownLossWarning",
    "UntrainedWarning",
]


class ClaimedElsewhere(Exception):  # noqa: N818, a state of affairs rather than an error
    """Another process is at work on a job of a shared store; fits wait for it by themselves."""


class ImportanceWarning(UserWarning):
    """A doubt about the statistics of a result, never about the code.

    Examples
    --------
    >>> import warnings
    >>> import lukewarm as lw
    >>> warnings.simplefilter("ignore", lw.exceptions.NearZeroWarning)  # this one doubt
    >>> warnings.simplefilter("ignore", lw.exceptions.ImportanceWarning)  # all of them
    """


class HealthWarning(ImportanceWarning):
    """What a fit found that its reader should know; ``result_.health()`` lists all of it."""


class NearZeroWarning(HealthWarning):
    """A paired test finds an importance so near zero that its p-value cannot be relied on."""


class PrecisionWarning(ImportanceWarning):
    """The evaluation rows are too few for the precision asked for, however many coalitions."""


class RowOrderWarning(ImportanceWarning):
    """A target has the labels of the rows of X in another order; rows are taken by position."""


class SeenRowsWarning(ImportanceWarning):
    """A trained model is evaluated on rows it may have been trained on."""


class TaskWarning(ImportanceWarning):
    """A target of few whole numbers is taken for a quantity, though it may hold class codes."""


class UnderfitWarning(HealthWarning):
    """The full model still learnt much when its rows doubled, or leaves much in its residuals."""


class UnknownLossWarning(ImportanceWarning):
    """A model is stopped by another loss than the one it is trained on."""


class UntrainedWarning(HealthWarning):
    """The full model is no better than before its first step."""


class KernelWarning(UserWarning):
    """A doubt about a number of `lukewarm.kernels`: accuracy not reached, or too large a step."""


class StoreWarning(UserWarning):
    """A folder of finished jobs holds damaged files, or cannot be written to."""


class TangentWarning(UserWarning):
    """Something about the module that the tangent kernel leaves out."""
