"""Results of a benchmark whose parts are run one at a time, all in one file."""

import json


def earlier_results(path):
    """Return the results of earlier runs, empty where there are none."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def write_results(path, results):
    """Write the results of all parts."""
    path.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
