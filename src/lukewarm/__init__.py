"""Which features matter, and how sure are you? Importance by warm start and early stopping."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lukewarm._version import __version__

if TYPE_CHECKING:
    # A type checker takes `x as x` for a name that is offered to users.
    from lukewarm import datasets as datasets
    from lukewarm import exceptions as exceptions
    from lukewarm import inference as inference
    from lukewarm import learners as learners
    from lukewarm import measures as measures
    from lukewarm import reduction as reduction
    from lukewarm import shapley as shapley
    from lukewarm import stopping as stopping
    from lukewarm import testing as testing
    from lukewarm.data import ParquetRows
    from lukewarm.estimators import InteractionImportance, ShapleyImportance, VariableImportance
    from lukewarm.estimators._selector import ImportanceSelector
    from lukewarm.evaluation import importance_from_predictions
    from lukewarm.exceptions import (
        HealthWarning,
        ImportanceWarning,
        NearZeroWarning,
        PrecisionWarning,
        TaskWarning,
    )
    from lukewarm.plotting import (
        plot_comparison,
        plot_convergence,
        plot_effects,
        plot_elimination,
        plot_forest,
        plot_importance,
        plot_importance_against_shapley,
        plot_interaction_network,
        plot_interactions,
        plot_learning_curve,
        plot_segments,
        plot_shapley,
        plot_trace,
        plot_waterfall,
    )
    from lukewarm.reporting import report, report_comparison
    from lukewarm.results import (
        ImportanceResult,
        MeasureValue,
        Remark,
        ShapleyResult,
        TrainingTrace,
    )

__all__ = [
    "HealthWarning",
    "ImportanceResult",
    "ImportanceSelector",
    "ImportanceWarning",
    "InteractionImportance",
    "MeasureValue",
    "NearZeroWarning",
    "ParquetRows",
    "PrecisionWarning",
    "Remark",
    "ShapleyImportance",
    "ShapleyResult",
    "TaskWarning",
    "TrainingTrace",
    "VariableImportance",
    "__version__",
    "datasets",
    "exceptions",
    "importance_from_predictions",
    "plot_comparison",
    "plot_convergence",
    "plot_effects",
    "plot_elimination",
    "plot_forest",
    "plot_importance",
    "plot_importance_against_shapley",
    "plot_interaction_network",
    "plot_interactions",
    "plot_learning_curve",
    "plot_segments",
    "plot_shapley",
    "plot_trace",
    "plot_waterfall",
    "report",
    "report_comparison",
    "shapley",
]

# Public names load their rooms when first used, so that the import itself takes no time.
_ROOM_OF = {
    "HealthWarning": "exceptions",
    "ImportanceResult": "results",
    "ImportanceSelector": "estimators._selector",
    "ImportanceWarning": "exceptions",
    "InteractionImportance": "estimators",
    "MeasureValue": "results",
    "NearZeroWarning": "exceptions",
    "ParquetRows": "data",
    "PrecisionWarning": "exceptions",
    "Remark": "results",
    "ShapleyImportance": "estimators",
    "ShapleyResult": "results",
    "TaskWarning": "exceptions",
    "TrainingTrace": "results",
    "VariableImportance": "estimators",
    "importance_from_predictions": "evaluation",
    "plot_comparison": "plotting",
    "plot_convergence": "plotting",
    "plot_effects": "plotting",
    "plot_elimination": "plotting",
    "plot_forest": "plotting",
    "plot_importance": "plotting",
    "plot_importance_against_shapley": "plotting",
    "plot_interaction_network": "plotting",
    "plot_interactions": "plotting",
    "plot_learning_curve": "plotting",
    "plot_segments": "plotting",
    "plot_shapley": "plotting",
    "plot_trace": "plotting",
    "plot_waterfall": "plotting",
    "report": "reporting",
    "report_comparison": "reporting",
}
_ROOMS = (
    "datasets",
    "exceptions",
    "inference",
    "learners",
    "measures",
    "reduction",
    "shapley",
    "stopping",
    "testing",
)


# Type checkers would take any name for one that this gives.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name in _ROOM_OF:
            return getattr(import_module(f"lukewarm.{_ROOM_OF[name]}"), name)
        if name in _ROOMS:
            return import_module(f"lukewarm.{name}")
        raise AttributeError(f"module 'lukewarm' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_ROOMS})
