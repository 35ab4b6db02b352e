"""What a learner tells about itself."""

from __future__ import annotations

from dataclasses import dataclass

from lukewarm._validation import check_choice, check_count, check_number

_READS = ("matrix", "named", "given")


@dataclass(frozen=True)
class LearnerTraits:
    """What a learner tells about itself before it is trained.

    Parameters
    ----------
    patience, max_steps : int, defaults 10 and 1000
        Of the stopping rule, where the user sets none.
    can_warm_start : bool, default True
        Whether a copy can be trained further. False for a model that is fitted in one go: its one
        step is the whole fit, so it needs no rows to choose a step by.
    can_train : bool, default True
        Whether a model like it can be trained at all. False for one that only predicts.
    learning_rate_factor : float, default 1
        How many times as large the learning rate is after a warm start.
    accepts_missing, accepts_categories : bool, default False
        Whether X may hold nan, and frames with category columns.
    most_levels : int, optional
        How many levels of a column are told apart; None for all.
    reads : {"matrix", "named", "given"}, default "matrix"
        The form of X where the user's table is a frame: floats (a frame only where there are
        category columns), a frame of floats and categories under the user's names, or the user's
        own names and dtypes.
    is_staged : bool, default False
        Ability: earlier steps can be seen, by `rewind` and `staged_predict`.
    has_learning_rate : bool, default False
        Ability: `scale_learning_rate`.
    imputes : bool, default False
        Ability: `impute_conditionally`.
    is_local : bool, default False
        Whether predictions follow the nearest training rows, as those of a forest do. What a
        projection has to correct then is averaged among neighbours, too.
    trains_quickly : bool, default False
        Whether it is trained about as fast as it predicts, as boosters of other libraries are. A
        projection then spends less on guesses and corrections.
    chooses_model : bool, default False
        Ability: `choose`. Such a learner has no steps of its own: it is trained by `choose`, and
        `advance` raises a TypeError before that.
    """

    # Judgement, for learners that say nothing of their steps.
    patience: int = 10
    max_steps: int = 1000
    can_warm_start: bool = True
    can_train: bool = True
    learning_rate_factor: float = 1.0
    accepts_missing: bool = False
    accepts_categories: bool = False
    most_levels: int | None = None
    reads: str = "matrix"
    is_staged: bool = False
    has_learning_rate: bool = False
    imputes: bool = False
    is_local: bool = False
    trains_quickly: bool = False
    chooses_model: bool = False

    def __post_init__(self) -> None:
        check_count("patience", self.patience)
        check_count("max_steps", self.max_steps)
        check_number("learning_rate_factor", self.learning_rate_factor, above=0)
        check_choice("reads", self.reads, _READS)
