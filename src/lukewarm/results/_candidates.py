"""Models that were tried for the full model, what they lost and what they cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Candidate:
    """A model that was tried.

    Parameters
    ----------
    name : str
    loss : float
        On the stopping rows.
    seconds : float
    n_rows : int
        Rows it was trained on; fewer than the others' in a race that comes first.
    fold : int, default 0
        Of the full model it was tried for.
    """

    name: str
    loss: float
    seconds: float
    n_rows: int
    fold: int = 0


def candidates_line(candidates: Sequence[Candidate]) -> str:
    """Return the candidates in one line, the best first; empty when there are none.

    Losses are means over the folds that tried a candidate. One that lost a race on fewer rows is
    shown by its loss there.

    Examples
    --------
    >>> tried = [Candidate("trees", 0.41, 0.2, 300), Candidate("kernel machine", 0.36, 1.1, 300)]
    >>> candidates_line(tried)
    'Tried (loss on the stopping rows): kernel machine 0.36, trees 0.41; 1.3 s.'
    """
    if not candidates:
        return ""
    # The last of a name within a fold is the one on most rows.
    last = {(each.fold, each.name): each.loss for each in candidates}
    losses: dict[str, list[float]] = {}
    for (_, name), loss in last.items():
        losses.setdefault(name, []).append(loss)
    means = sorted((float(np.mean(each)), name) for name, each in losses.items())
    listed = ", ".join(f"{name} {loss:.4g}" for loss, name in means)
    seconds = sum(each.seconds for each in candidates)
    return f"Tried (loss on the stopping rows): {listed}; {seconds:.2g} s."
