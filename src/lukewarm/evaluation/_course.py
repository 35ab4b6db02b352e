"""Where the importance of a feature set is heading, from models of all training rows and of halves.

The learning curve adds what the skill rose by when the rows doubled. The twins say what two models
of half the rows agree on. Skills come from rows, or from sums over cells of rows: `Sides` holds
either.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lukewarm.results import MeasureValue


@dataclass(frozen=True, eq=False)
class Sides:
    """The skill of a model of all training rows, and that of models of half of them.

    Parameters
    ----------
    whole : MeasureValue
    half : MeasureValue, optional
        The mean over the models of both halves; None where there are none.
    """

    whole: MeasureValue
    half: MeasureValue | None

    @property
    def rise(self) -> MeasureValue | None:
        """What the skill rose by when the rows doubled."""
        return None if self.half is None else self.whole - self.half

    def extrapolated(self, rise: MeasureValue | None = None) -> MeasureValue:
        """Return where the skill is heading; as it is without models of halves.

        Parameters
        ----------
        rise : MeasureValue, optional
            What it is expected to rise by, instead of what it rose by.
        """
        return self.whole if self.half is None else self.whole.extrapolated_from(self.half, rise)


@dataclass(frozen=True)
class Course:
    """How the importance of a feature set is extrapolated to more rows.

    Parameters
    ----------
    pace : float, default 1.0
        Of what the importance rose by when the rows doubled, the share that it is expected to rise
        by from here on.
    factor : float, optional
        By which the effects of the twins are multiplied; None where their importance is not taken.
    share : float, default 0.0
        Of the way from the twins to the learning curve that the importance goes.
    """

    pace: float = 1.0
    factor: float | None = None
    share: float = 0.0


def share_of_curve(curve: MeasureValue, twins: MeasureValue) -> float:
    """Return how far the importance lies from that of the twins to that of the learning curve.

    Both are too low by what they cannot know: twins of half the rows by the shape of an effect
    that takes more rows to learn, the curve by what no model has learnt yet. So where the curve is
    above the twins by more than the evaluation rows explain, the importance is there.

    Parameters
    ----------
    curve, twins : MeasureValue
        The importance by either way.

    Examples
    --------
    >>> rows = np.array([0.1, -0.1] * 50)
    >>> twins = MeasureValue(1.0, rows)
    >>> [round(share_of_curve(MeasureValue(each, -rows), twins), 2) for each in (0.9, 1.02, 1.5)]
    [0.0, 0.5, 1.0]
    """
    above = curve.value - twins.value
    if above <= 0:
        return 0.0
    return float(above**2 / (above**2 + (curve - twins).rows_error ** 2))


def pace_of(importance: float, before: float) -> float:
    """Return how much of its last rise an importance that grows with the rows is still to make.

    All of it where models of half the rows had learnt nearly as much: errors that are small fall
    like one over the rows, so the rise from half of them is what is left. Not where these had
    learnt next to nothing: what is found late is found fast, and the rise is all there is. So the
    share is what models of half the rows had learnt of it. None where the importance fell.

    Parameters
    ----------
    importance, before : float
        By models of all training rows, and of half of them.

    Examples
    --------
    >>> [pace_of(1.0, before) for before in (0.9, 0.5, -0.1, 1.1)]
    [0.9, 0.5, 0.0, 0.0]
    """
    return before / importance if 0 < before < importance else 0.0


def course_of(
    full: Sides, reduced: Sides, *, rises: bool, factor: float | None, twins: MeasureValue | None
) -> Course:
    """Return how the importance of a feature set is extrapolated.

    Parameters
    ----------
    full, reduced : Sides
        Skills with all features and without the set.
    rises : bool
        Whether importances are expected to rise with the training rows.
    factor : float, optional
        That of the twins, where they agree.
    twins : MeasureValue, optional
        The importance by the twins, where they agree.
    """
    if full.half is None or reduced.half is None:
        return Course()
    pace = 1.0
    if rises:
        importance = full.whole.value - reduced.whole.value
        pace = pace_of(importance, full.half.value - reduced.half.value)
    if twins is None:
        return Course(pace)
    curve = full.extrapolated() - _heading_without(full, reduced, pace)
    return Course(pace, factor, share_of_curve(curve, twins))


def _heading_without(full: Sides, reduced: Sides, pace: float) -> MeasureValue:
    """Return where the skill without a feature set is heading, its importance at such a pace."""
    if full.rise is None or reduced.rise is None:
        return reduced.whole
    own, shared = pace, 1 - pace
    rise = MeasureValue(
        own * reduced.rise.value + shared * full.rise.value,
        own * reduced.rise.influence + shared * full.rise.influence,
    )
    return reduced.extrapolated(rise)


def skill_without(
    full: Sides, reduced: Sides, course: Course, *, twins: MeasureValue | None
) -> MeasureValue:
    """Return the extrapolated skill without a feature set.

    What the twins and the learning curve differ by counts as one more error.

    Parameters
    ----------
    full, reduced : Sides
        Skills with all features and without the set.
    course : Course
    twins : MeasureValue, optional
        The importance by the twins, where they agree.
    """
    skill = _heading_without(full, reduced, course.pace)
    if twins is None:
        return skill
    heading = full.extrapolated()
    curve = heading - skill
    rest = 1 - course.share
    return MeasureValue(
        heading.value - (rest * twins.value + course.share * curve.value),
        heading.influence - (rest * twins.influence + course.share * curve.influence),
        skill.shift,
        np.append(skill.disagreement, curve.value - twins.value),
    )


def without_twins(skill: MeasureValue) -> MeasureValue:
    """Return a skill beside which others have a disagreement with twins: it has none."""
    return replace(skill, disagreement=np.append(skill.disagreement, 0.0))
