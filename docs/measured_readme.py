"""Measured blocks on the first example and the README's figure; see measured.py."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from measured_tables import DOCS, results

from lukewarm.inference import adjust_p_values


def readme_permutation() -> str:
    """Return what permutation importance says where the truth is known, for the README."""
    found = {row["correlation"]: row for row in results("peers")}
    half, copy = found[0.5], found[1.0]
    assert copy["permutation ranks X1 first"] == 1
    return (
        f"On the data of the figure with correlation 0.5, permutation importance gives X1 "
        f"{half['permutation']:.2g} where the truth is {half['truth']:.3g} (early stopping: "
        f"{half['early_stopping']:.3g}). When X1 is a copy of X2, and so worth nothing, it still "
        f"ranks X1 first (`python benchmarks/peers.py`, boosted trees, means over ten data sets)."
    )


def readme_reading() -> str:
    """Return what the output of the first example says, from docs/start_output.txt."""
    lines = (DOCS / "start_output.txt").read_text(encoding="utf-8").splitlines()
    heads, *cells = [line.split() for line in lines]
    rows = [dict(zip(heads, line, strict=True)) for line in cells]
    adjusted = adjust_p_values(np.array([float(row["p_value"]) for row in rows]), "holm")
    first, *others = [row for row, p in zip(rows, adjusted, strict=True) if p < 0.05]
    points, low, high = (100 * float(first[key]) for key in ("importance", "ci_low", "ci_high"))
    sentences = [
        f"`{first['feature']}` matters most: without it the model explains {points:.2g} percentage "
        f"points less of the variance (95 % interval {low:.2g} to {high:.2g})."
    ]
    if others:
        names = _listed(others)
        sentences.append(
            f"{names} {'matters' if len(others) == 1 else 'matter'} too by the p-value, also after "
            '`to_frame(adjust="holm")`.'
        )
    vague = [row for row in (first, *others) if float(row["ci_low"]) <= 0]
    if vague:
        whose, verb = (
            ("its interval", "reaches") if len(vague) == 1 else ("their intervals", "reach")
        )
        sentences.append(
            f"How much {_listed(vague)} {'is' if len(vague) == 1 else 'are'} worth is uncertain: "
            f"{whose} {verb} zero."
        )
    n_left = len(rows) - 1 - len(others)
    if n_left:
        sentences.append(f"The other {n_left} cannot be told from zero.")
    return " ".join(sentences)


def _listed(rows: list[dict[str, str]]) -> str:
    *most, last = [f"`{row['feature']}`" for row in rows]
    return f"{', '.join(most)} and {last}" if most else last


def start_output() -> str:
    """Return what the first example prints."""
    return f"```text\n{(DOCS / 'start_output.txt').read_text(encoding='utf-8')}```"


BLOCKS: tuple[Callable[[], str], ...] = (
    readme_permutation,
    readme_reading,
    start_output,
)
