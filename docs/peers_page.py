"""Write docs/peers.md from what benchmarks/peers.py and benchmarks/readme_figure.py measured.

python docs/peers_page.py
"""

import json
from pathlib import Path

from lukewarm._files import write_text

DOCS = Path(__file__).parent
RESULTS = DOCS.parent / "benchmarks" / "results"

PAGE = """# Other tools on data with a known answer

<!-- Made by docs/peers_page.py; do not edit. -->

The paper's linear data, y = 1.5 X1 + 1.2 X2 + X3 + noise with 5,000 rows, X1 and X2 correlated. The
truth is the mean squared error that the best prediction gains without the feature.

## As the correlation grows

The importance of X1, by boosted trees, means over ten data sets (`python benchmarks/peers.py`).
At correlation 1, X1 is a copy of X2 and can be spared.

{by_correlation}

## Three tools side by side

Correlation 0.8, histogram boosting of scikit-learn, one data set, shap {shap_version}
(`python benchmarks/readme_figure.py`, seed {seed}). Mean |SHAP| is in units of the target; compare
the order, not the size.

{side_by_side}

![The same numbers as shares](figures/readme.png)
"""


def table(header: list[str], rows: list[list[str]]) -> str:
    """Return a table in Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def main() -> None:
    """Write the page."""
    peers = json.loads((RESULTS / "peers.json").read_text(encoding="utf-8"))
    methods = ["truth", "permutation", "dropout", "early_stopping", "retrain"]
    by_correlation = table(
        ["correlation", *methods],
        [[f"{row['correlation']:g}", *(f"{row[name]:.2f}" for name in methods)] for row in peers],
    )
    record = json.loads((RESULTS / "readme_figure.json").read_text(encoding="utf-8"))
    columns = ["truth", "permutation", "shap", "lukewarm", "low", "high"]
    values = zip(*(record[column] for column in columns), strict=True)
    side_by_side = table(
        ["feature", "truth", "permutation", "mean SHAP", "lukewarm", "95 % interval"],
        [
            [name, *(f"{value:.3f}" for value in row[:4]), f"{row[4]:.3f} to {row[5]:.3f}"]
            for name, row in zip(record["features"], values, strict=True)
        ],
    )
    side_by_side = side_by_side.replace("mean SHAP", r"mean \|SHAP\|").replace("-0.000", "0.000")
    page = PAGE.format(
        by_correlation=by_correlation,
        side_by_side=side_by_side,
        shap_version=record["shap_version"],
        seed=record["seed"],
    )
    write_text(DOCS / "peers.md", page)


if __name__ == "__main__":
    main()
