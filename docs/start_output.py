"""Write docs/start_output.txt: what the first example of the README and of the site prints.

python docs/start_output.py
"""

from pathlib import Path

from sklearn.datasets import load_diabetes

import lukewarm as lw
from lukewarm._files import write_text

SHOWN = ["feature", "importance", "ci_low", "ci_high", "p_value", "shift"]


def main() -> None:
    """Fit the example and write its table."""
    X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    vi = lw.VariableImportance(measure="r2", random_state=0).fit(X, y)
    frame = vi.result_.to_frame(sort=True)[SHOWN]
    formats = dict.fromkeys(SHOWN[1:], "{:.3f}".format) | {"p_value": "{:.1e}".format}
    table = frame.to_string(index=False, formatters=formats)
    write_text(Path(__file__).with_suffix(".txt"), table + "\n")


if __name__ == "__main__":
    main()
