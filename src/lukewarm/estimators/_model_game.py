"""The game that models play: a coalition of features is worth the skill of its model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lukewarm._typing import FeatureSet, Vector
from lukewarm.results import MeasureValue
from lukewarm.shapley import Coalition


@dataclass(frozen=True, eq=False)
class FittedCoalition:
    """What one model without some features showed.

    Parameters
    ----------
    skills : tuple of MeasureValue
        One per measure.
    n_steps : int
        Steps of further training kept, over all folds.
    seconds : float
    """

    skills: tuple[MeasureValue, ...]
    n_steps: int
    seconds: float

    def kept_by(self, keep: Callable[[np.ndarray], np.ndarray]) -> FittedCoalition:
        """Return the record with its influence values where `keep` puts them."""
        skills = (replace(each, influence=keep(each.influence)) for each in self.skills)
        return replace(self, skills=tuple(skills))


Run = Callable[[Sequence[FeatureSet]], list[FittedCoalition]]


class ModelGame:
    """Models without features, each obtained once and kept.

    Parameters
    ----------
    players : sequence of FeatureSet
        The columns of each player; disjoint. Columns that belong to no player are always kept.
    run : callable from a list of removed columns to a list of FittedCoalition
        Carries out a batch, one after the other or side by side.
    """

    def __init__(self, players: Sequence[FeatureSet], run: Run) -> None:
        self.players = tuple(players)
        self.fitted: dict[Coalition, FittedCoalition] = {}
        self._run = run

    @property
    def n_players(self) -> int:
        """Number of players."""
        return len(self.players)

    def fit(self, coalitions: Sequence[Coalition]) -> list[FittedCoalition]:
        """Return the record of each coalition; those not yet known are fitted as one batch."""
        missing = [each for each in dict.fromkeys(coalitions) if each not in self.fitted]
        if missing:
            results = self._run([self.removed(coalition) for coalition in missing])
            self.fitted.update(zip(missing, results, strict=True))
        return [self.fitted[coalition] for coalition in coalitions]

    def removed(self, coalition: Coalition) -> FeatureSet:
        """Return the columns that the model of this coalition does without."""
        kept = set(coalition)
        return tuple(
            sorted(
                column
                for player, columns in enumerate(self.players)
                if player not in kept
                for column in columns
            )
        )

    def of_measure(self, number: int) -> MeasuredGame:
        """Return the game of one of the measures."""
        return MeasuredGame(self, number)


@dataclass(frozen=True, eq=False)
class MeasuredGame:
    """A game of models, seen through one measure."""

    models: ModelGame
    number: int

    @property
    def n_players(self) -> int:
        """Number of players."""
        return self.models.n_players

    def values(self, coalitions: Sequence[Coalition]) -> Vector:
        """Return the skill of each coalition."""
        return np.array(
            [fitted.skills[self.number].value for fitted in self.models.fit(coalitions)]
        )
