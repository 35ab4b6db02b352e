"""Draw docs/figures/choosing.png: from the question to the call.

python docs/choosing_figure.py
"""

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch

FIGURE = Path(__file__).parent / "figures" / "choosing.png"
# A question, and the call that a yes leads to; a no leads one row down.
DECISIONS = (
    ("Is the question about\none single prediction?", "SHAP, partial dependence"),
    ("Must the shares of correlated\nfeatures add up?", "ShapleyImportance(model)"),
    ("Is the model trained,\nand to be kept as it is?", "VariableImportance(model, prefit=True)"),
    ("Do you have a model\nof your own?", "VariableImportance(model)"),
    ("Are there many rows,\nor is there little time?", 'VariableImportance("boosting")'),
)
OTHERWISE = "VariableImportance()"
WITH_GROUPS = "Columns that say the same: add groups=... to any of them."
QUESTION, CALL = (0.0, 2.3), (3.0, 3.4)  # left edge and width of the two columns of boxes


def box(ax: Axes, column: tuple[float, float], y: float, text: str, colour: str) -> None:
    """Write text in a box."""
    left, width = column
    style = {"boxstyle": "round,pad=0,rounding_size=0.08", "edgecolor": "#777777"}
    ax.add_patch(FancyBboxPatch((left, y - 0.3), width, 0.6, facecolor=colour, **style))
    family = "monospace" if "(" in text else "sans-serif"
    ax.text(left + width / 2, y, text, ha="center", va="center", fontsize=9, family=family)


def arrow(ax: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Draw an arrow."""
    ax.annotate("", end, start, arrowprops={"arrowstyle": "-|>", "color": "#777777"})


def main() -> None:
    """Draw the decisions from the top down."""
    fig, ax = plt.subplots(figsize=(8.4, 5.6))
    ax.set(xlim=(-0.1, 6.5), ylim=(-0.9, len(DECISIONS) + 0.4))
    ax.axis("off")
    middle = QUESTION[0] + QUESTION[1] / 2
    right = QUESTION[0] + QUESTION[1]
    for row, (question, call) in enumerate(DECISIONS):
        y = len(DECISIONS) - row
        box(ax, QUESTION, y, question, "#f4f1ea")
        box(ax, CALL, y, call, "#dbe9f6")
        arrow(ax, (right, y), (CALL[0], y))
        ax.text((right + CALL[0]) / 2, y + 0.08, "yes", fontsize=9, ha="center")
        arrow(ax, (middle, y - 0.3), (middle, y - 0.7))
        ax.text(middle + 0.08, y - 0.5, "no", fontsize=9, va="center")
    box(ax, QUESTION, 0, OTHERWISE, "#dbe9f6")
    ax.text(QUESTION[0], -0.75, WITH_GROUPS, fontsize=9.5, style="italic")
    fig.savefig(FIGURE, dpi=110, bbox_inches="tight", metadata={"Software": None})


if __name__ == "__main__":
    main()
