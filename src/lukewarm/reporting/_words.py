"""Methods, names and numbers in words a reader knows."""

from __future__ import annotations

import math
from collections.abc import Iterable

from markupsafe import Markup

from lukewarm._text import printable

# Names are cut to this many characters in sentences and beside bars; the table has them whole.
_LONGEST_NAME = 60
# Joiners hold emoji and letters of some scripts together; a browser does nothing else with them.
_JOINERS = "\u200c\u200d"
# What a column is called that has no name, so that its bar and its row have one.
_NO_NAME = "(no name)"
_MINUS = "\N{MINUS SIGN}"
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


METHODS = {
    "projection": "projection: the full model averaged over what the feature may be, given the "
    "others",
    "early_stopping": "early stopping: the full model trained on without the feature",
    "cross_validated_stopping": "early stopping, the number of steps chosen by cross-validation",
    "kernel_flow": "kernel flow: early stopping in closed form",
    "retrain": "retraining: a new model without the feature",
    "dropout": "dropout: the full model with the feature held at a fixed value",
}
INFERENCES = {
    "learning_curve": "learning curve: error of the evaluation rows, and what twice the training "
    "rows changed",
    "paired": "paired: error of the evaluation rows, for the models as they are",
    "split": "split: the two models are evaluated on different rows",
}


def clean(name: str) -> str:
    """Return a name with the control codes spelled out that a page should not act on."""
    return printable(name, keep=_JOINERS) if name.strip() else _NO_NAME


def short(name: str) -> str:
    """Return a name of at most sixty characters, its beginning and its end.

    `script.js` cuts in the same way: between words where there are some near the cut.

    Examples
    --------
    >>> short("age"), len(short("x" * 300))
    ('age', 60)
    >>> short("mean income of the household in the year before the survey [1,000 euros]")
    'mean income of the household in the year… [1,000 euros]'
    """
    shown = clean(name)
    if len(shown) <= _LONGEST_NAME:
        return shown
    head, tail = shown[: _LONGEST_NAME - 16], shown[-15:]
    end, start = head.rfind(" "), tail.find(" ")
    if end < 30:
        return f"{head}…{tail}"
    return f"{head[:end].rstrip()}… {tail[start + 1 if start < 8 else 0 :]}"


def marked(name: str) -> Markup:
    """Return a name for a sentence: bold, escaped, its direction of writing kept to itself."""
    return Markup("<b><bdi>{}</bdi></b>").format(short(name))


def listed(names: Iterable[str], most: int = 5) -> Markup:
    """Return "a, b and c", or "a, b and 7 more"."""
    marked_names = [marked(name) for name in names]
    # "and 1 more" would be no shorter than the name.
    if len(marked_names) > most + 1:
        marked_names = [*marked_names[:most], Markup("{:,} more").format(len(marked_names) - most)]
    return joined(marked_names)


def joined(parts: list[Markup]) -> Markup:
    """Return "a, b and c"."""
    if len(parts) < 2:
        return Markup("").join(parts)
    return Markup("{} and {}").format(Markup(", ").join(parts[:-1]), parts[-1])


def decimals_for(precision: float) -> int:
    """Return the decimals that show two digits of an error of this size.

    Examples
    --------
    >>> [decimals_for(each) for each in (0.034, 1.1, 250.0)]
    [3, 1, -1]
    """
    if not (math.isfinite(precision) and precision > 0):
        return 3
    return min(1 - math.floor(math.log10(precision)), 12)


def number(value: float, decimals: int) -> str:
    """Return a number with so many decimals, thousands apart and a true minus sign.

    Examples
    --------
    >>> number(-0.001, 2), number(12345.678, -1)
    ('0.00', '12,350')
    """
    if not math.isfinite(value):
        return "not known"
    rounded = round(value, decimals) + 0.0
    return f"{rounded:,.{max(decimals, 0)}f}".replace("-", _MINUS)


def significant(value: float, digits: int = 4) -> str:
    """Return a number by itself, with so many significant digits."""
    if value == 0 or not math.isfinite(value):
        return number(value, 0)
    size = math.floor(math.log10(abs(value)))
    if -5 < size < 9:
        return number(value, digits - 1 - size)
    return f"{number(value / 10.0**size, digits - 1)} × {power(size)}"


def probability(value: float) -> str:
    """Return a p-value as tables show it.

    Examples
    --------
    >>> probability(0.0002), probability(0.0312), probability(1.0)
    ('<0.001', '0.031', '1.000')
    """
    if not math.isfinite(value):
        return "not known"
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def percent(share: float) -> str:
    """Return a level such as 0.95 in words."""
    return f"{100 * share:.6g}\N{NO-BREAK SPACE}%"


def power(exponent: int) -> str:
    """Return a power of ten as it is printed."""
    return f"10{str(exponent).translate(_SUPERSCRIPTS)}"
