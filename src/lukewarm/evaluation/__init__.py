"""From predictions to importances: which rows evaluate which model."""

from lukewarm.evaluation._cells import CellSums
from lukewarm.evaluation._checks import check_measure, check_parts, encode_classes
from lukewarm.evaluation._evidence import PredictionEvidence, join_predictions
from lukewarm.evaluation._importance import importance_from_predictions
from lukewarm.evaluation._predictions import EvaluationPredictions
from lukewarm.evaluation._product import (
    ProductTerms,
    ScoredRows,
    clustered_score,
    own_squares,
    product_terms,
    score_of_outputs,
    without_rounding,
)
from lukewarm.evaluation._remainder import Remainder
from lukewarm.evaluation._rows import INFERENCES, EvaluationPlan, skill_on_parts
from lukewarm.evaluation._twins import TwinTerms

__all__ = [
    "INFERENCES",
    "CellSums",
    "EvaluationPlan",
    "EvaluationPredictions",
    "PredictionEvidence",
    "ProductTerms",
    "Remainder",
    "ScoredRows",
    "TwinTerms",
    "check_measure",
    "check_parts",
    "clustered_score",
    "encode_classes",
    "importance_from_predictions",
    "join_predictions",
    "own_squares",
    "product_terms",
    "score_of_outputs",
    "skill_on_parts",
    "without_rounding",
]
