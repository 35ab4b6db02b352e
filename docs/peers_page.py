"""Write docs/peers.md from the results of its three benchmarks.

python docs/peers_page.py
"""

from measured_tables import DOCS, results, table

from lukewarm._files import write_text

PAGE = """# Other tools on data with a known answer

<!-- Made by docs/peers_page.py; do not edit. -->

The paper's linear data, y = 1.5 X1 + 1.2 X2 + X3 + noise with 5,000 rows, X1 and X2 correlated. The
truth is the mean squared error that the best prediction gains without the feature.

## As the correlation grows

The importance of X1, by boosted trees, means over ten data sets (`python benchmarks/peers.py`).
At correlation 1, X1 is a copy of X2 and can be spared.

{by_correlation}

## The same data by each tool

Correlation 0.8, histogram boosting of scikit-learn, one data set
(`python benchmarks/tools_side_by_side.py`, seed {seed}). Tools up to LOCO explain a model that was
trained on three quarters of the rows, with the rest; LOFO, vimpy and lukewarm train on all rows.

{tools}

What the columns show:

- Permutation importance, SAGE and mean |SHAP| rank X1 first. They describe the model, which uses X1
  most. Mean |SHAP| is in units of the target; compare its order, not its size.
- Conditional importance (CFI) orders the features as the truth does. Under squared error its
  expectation is twice the importance.
- LOCO, LOFO and vimpy train again without each feature and aim at the truth, as lukewarm does.
- All find that X4, X5 and X6 are worth nothing, on this data set.

Versions: {versions}.

## Three tools, with intervals

The numbers of the figure on the front page, from another call of SHAP and lukewarm on the same data
(`python benchmarks/readme_figure.py`, shap {shap_version}, seed {seed}).

{side_by_side}

![The same numbers as shares](figures/readme.png)
"""

# What each tool estimates, in the words of its documentation.
ESTIMATES = {
    "permutation importance": "increase in error when the column is shuffled",
    "mean |SHAP|": "mean size of the feature's share in predictions",
    "SAGE": "Shapley share of the model's skill, marginal draws",
    "fippy, CFI": "increase in error, conditional draws",
    "hidimstat, CFI": "increase in error, conditional draws",
    "hidimstat, LOCO": "increase in error, model retrained",
    "LOFO": "increase in error, model retrained, 4 folds",
    "vimpy": "loss of R² times variance, models retrained, 5 folds",
    "lukewarm": "increase in error without the feature",
}


def _cells(values: list[float]) -> list[str]:
    return [f"{value:.2f}".replace("-0.00", "0.00") for value in values]


def page() -> str:
    """Return the text of the page."""
    peers = results("peers")
    methods = ["truth", "permutation", "dropout", "early_stopping", "retrain"]
    by_correlation = table(
        ["correlation", *methods],
        [[f"{row['correlation']:g}", *(f"{row[name]:.2f}" for name in methods)] for row in peers],
    )
    record = results("readme_figure")
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
    found = results("tools_side_by_side")
    tools = table(
        ["tool", "what it estimates", *found["features"], "seconds"],
        [
            ["**truth**", "increase in error of the best prediction", *_cells(found["truth"]), ""],
            *(
                [
                    row["tool"].replace("|", r"\|"),
                    ESTIMATES[row["tool"]],
                    *_cells(row["values"]),
                    f"{row['seconds']:.1f}",
                ]
                for row in found["rows"]
            ),
        ],
    )
    return PAGE.format(
        tools=tools,
        versions=", ".join(f"{name} {number}" for name, number in found["versions"].items()),
        by_correlation=by_correlation,
        side_by_side=side_by_side,
        shap_version=record["shap_version"],
        seed=record["seed"],
    )


if __name__ == "__main__":
    write_text(DOCS / "peers.md", page())
