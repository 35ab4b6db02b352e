"""Use of an installed lukewarm, from an environment that has nothing else; see `make release`.

python -I tests/installed.py
"""

import csv
import random
import subprocess
import sys
import tempfile
from pathlib import Path


def run(*command: str, folder: Path) -> str:
    """Return what a command prints; its complaints come with the error."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def main() -> None:
    """Import the package, explain a table, and write its report."""
    import lukewarm as lw

    place = Path(lw.__file__).parent
    assert Path(sys.prefix) in place.parents, f"{place} is not what was installed"
    assert (place / "py.typed").is_file()
    script = str(Path(sys.executable).with_name("lukewarm"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        draw = random.Random(0).gauss
        with open(folder / "data.csv", "w", newline="", encoding="utf-8") as file:
            rows = csv.writer(file)
            rows.writerow(["size", "age", "price"])
            for _ in range(200):
                size, age = draw(0, 1), draw(0, 1)
                rows.writerow([size, age, 2 * size + age * age + draw(0, 1)])
        assert lw.__version__ in run(script, "--version", folder=folder)
        assert lw.__version__ in run(sys.executable, "-m", "lukewarm", "--version", folder=folder)
        asked = ["explain", "data.csv", "--target", "price", "--model", "boosting", "--report"]
        said = run(script, *asked, folder=folder)
        assert "The report is data-report.html" in said, said
        page = (folder / "data-report.html").read_text(encoding="utf-8")
        assert "matters most" in page
    print(f"lukewarm {lw.__version__} works from {place}")


if __name__ == "__main__":
    main()
