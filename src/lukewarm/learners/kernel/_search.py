"""The choice of kernel, length scale, penalty and landmarks, all by the same validation rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lukewarm.learners.kernel._choice import Choice, Training, best_on, choose_penalty
from lukewarm.learners.kernel._kernel import Kernel
from lukewarm.learners.kernel._path import EigenPath
from lukewarm.learners.kernel._relevance import TUNING_ROWS, Relevance, find_relevance
from lukewarm.learners.kernel._validation_rows import ValidationRows

KERNELS = ("linear", "rbf", "rbf+linear", "laplace", "laplace+linear", "polynomial", "ntk")
# In units of the typical length of a row, a factor of about 1.8 apart.
_LENGTH_SCALES = (0.5, 0.9, 1.6, 2.9, 5.0)
# Hidden layers of the networks that "ntk" stands for. Of four simulated functions (500 rows), one
# layer was best for the three without jumps; six layers had 0.99 to 1.2 times the error of three.
_DEPTHS = (1, 2, 3)
# Kernels are compared on so many rows and landmarks, whatever the table's size.
_SEARCH_ROWS = 2000
_SEARCH_LANDMARKS = 300
# Up to as many rows length scales of single columns are found anew where rows are added.
_FEW_ROWS = 500
# Where doubling begins; up to twice as many, all rows are landmarks.
_FIRST_LANDMARKS = 500
# Landmarks of which this share spans all need no company.
_NEARLY_ALL = 0.9
# Rows that are left to validate where not all can be landmarks; half of them where there are fewer.
_LEFT_TO_VALIDATE = 500
# A last doubling that would come this near to the most is taken to the most at once: judgement.
_NEAR_THE_MOST = 0.6
# Twice the landmarks must lower the loss by this share to be worth eight times the time.
_WORTHWHILE = 0.02
# By which length scales that were found on few rows are divided, again and again while it helps.
_SHARPER = np.sqrt(2)
# Standard errors of the validation rows by which a sharper kernel must be better.
_CLEARLY = 1.0


def choose_kernel(
    training: Training,
    name: str,
    length_scale: float | None,
    penalty: float | None,
    depth: int | None = None,
) -> Choice:
    """Return the best machine with one length scale, on some of the rows and landmarks.

    "auto" looks for the scale with the sum of an RBF kernel and a line, the most general of the
    kernels, and compares the others near that scale.

    Parameters
    ----------
    training : Training
    name : str
        "auto" or one of ``KERNELS``.
    length_scale : float, or None
        In units of the rows' own spread; None compares several.
    penalty : float, or None
        Of the squared norm, beside the mean loss; None compares several.
    depth : int, or None
        Hidden layers of "ntk"; None compares several.
    """
    few = training.first(_SEARCH_ROWS)
    unit = few.unit_scale()
    scales = _LENGTH_SCALES if length_scale is None else (length_scale,)
    if name == "ntk":
        depths = _DEPTHS if depth is None else (depth,)
        tried = [_over_scales(few, name, scales, penalty, each) for each in depths]
        return min(tried, key=lambda each: each.loss)
    best = _over_scales(few, "rbf+linear" if name == "auto" else name, scales, penalty)
    if name != "auto":
        return best
    scale = float(unit / best.kernel.inverse_scales[0])
    others = [("linear", 1.0), ("rbf", scale), ("polynomial", 1.0)]
    others += [("laplace+linear", each) for each in (scale, 4 * scale)]
    for other, its_scale in others:
        kernel = common_kernel(other, its_scale, few)
        choice = choose_penalty(few, kernel, search_landmarks(few), penalty)
        best = min(best, choice, key=lambda each: each.loss)
    return best


def _over_scales(
    few: Training, name: str, scales: tuple[float, ...], penalty: float | None, depth: int = 0
) -> Choice:
    """Return the best of these length scales, found by going downhill from the middle."""
    tried: dict[int, Choice] = {}

    def choice(place: int) -> Choice:
        if place not in tried:
            kernel = common_kernel(name, scales[place], few, depth)
            tried[place] = choose_penalty(few, kernel, search_landmarks(few), penalty)
        return tried[place]

    place = len(scales) // 2
    while True:
        near = [each for each in (place, place - 1, place + 1) if 0 <= each < len(scales)]
        best = min(near, key=lambda each: choice(each).loss)
        if best == place:
            return choice(place)
        place = best


def common_kernel(name: str, length_scale: float, training: Training, depth: int = 0) -> Kernel:
    """Return the kernel of this name with one length scale for all columns.

    Parameters
    ----------
    name : str
        One of ``KERNELS``.
    length_scale : float
        In units of the rows' own spread; 1: the RBF kernel of two typical rows is 1 / e.
    training : Training
    depth : int, default 0
        Hidden layers of "ntk".
    """
    unit = np.full(training.rows.shape[1], training.unit_scale())
    shape, _, linear = name.partition("+")
    if shape == "linear":
        return Kernel("none", np.zeros_like(unit), unit)
    return Kernel(shape, unit / length_scale, unit if linear else np.zeros_like(unit), depth)


def choose(
    training: Training,
    block: np.ndarray,
    *,
    name: str,
    length_scale: float | None,
    penalty: float | None,
    depth: int | None,
    relevance: bool,
    max_landmarks: int,
) -> Choice:
    """Return the machine on all rows, with as many landmarks as are worth their time.

    Parameters
    ----------
    training : Training
    block : ndarray of int of shape (q,)
        Coded columns of the same block share a length scale.
    name : str
        "auto" or one of ``KERNELS``.
    length_scale : float, or None
        In units of the rows' own spread; None compares several.
    penalty : float, or None
        Of the squared norm, beside the mean loss; None compares several.
    depth : int, or None
        Hidden layers of "ntk"; None compares several.
    relevance : bool
        Whether each block may have a length scale of its own.
    max_landmarks : int
    """
    kernel = find_kernel(
        training,
        block,
        name=name,
        length_scale=length_scale,
        penalty=penalty,
        depth=depth,
        relevance=relevance,
    )
    return with_landmarks(training, kernel, penalty, max_landmarks, sharpens=length_scale is None)


def find_kernel(
    training: Training,
    block: np.ndarray,
    *,
    name: str,
    length_scale: float | None,
    penalty: float | None,
    depth: int | None,
    relevance: bool,
) -> Kernel:
    """Return the best kernel on some of the rows; the parameters are those of `choose`."""
    kernel = choose_kernel(training, name, length_scale, penalty, depth).kernel
    if not relevance:
        return kernel
    few = training.first(_SEARCH_ROWS)
    return _tuned_if_better(few, kernel, block, name in ("auto", "rbf+linear"), penalty)


def _tuned_if_better(
    few: Training, common: Kernel, block: np.ndarray, has_line: bool, penalty: float | None
) -> Kernel:
    """Return the kernel with a scale per column where it wins on rows that did not tune it.

    Leaving a row out does not undo what it did to the scales. With few rows, two thirds of them
    tune a kernel for the comparison, and all of them the one that is taken.

    Parameters
    ----------
    few : Training
        Rows on which kernels are compared.
    common : Kernel
        With one length scale.
    block : ndarray of int, shape (q,)
        Which coded columns share a scale.
    has_line : bool
        Whether slopes are searched too.
    penalty : float, optional
        The user's.
    """
    n_rows = len(few.y)
    n_tuning = min(TUNING_ROWS, 2 * n_rows // 3)
    tuned = _tuned(few.first(n_tuning), block, has_line)
    n_landmarks = search_landmarks(few)
    validation = few.held_out or few.validation_rows_from(n_tuning)
    losses = [
        best_on(few.path(kernel, n_landmarks), validation, penalty, n_landmarks).loss
        for kernel in (common, tuned.kernel)
    ]
    if losses[0] <= losses[1]:
        return common
    if n_tuning < TUNING_ROWS:
        # What few rows have overfitted, a few more do not undo; a search anew is cheap there.
        tuned = _tuned(few, block, has_line, tuned if n_rows > _FEW_ROWS else None)
    return tuned.kernel


def _tuned(
    few: Training, block: np.ndarray, has_line: bool, start: Relevance | None = None
) -> Relevance:
    return find_relevance(few.rows, few.y, few.weights, block, has_line=has_line, start=start)


def search_landmarks(few: Training) -> int:
    """Return how many landmarks kernels are compared with; few rows are all landmarks."""
    n_rows = len(few.y)
    return _SEARCH_LANDMARKS if n_rows > 2 * _SEARCH_LANDMARKS else n_rows


def with_landmarks(
    training: Training,
    kernel: Kernel,
    penalty: float | None,
    max_landmarks: int,
    *,
    sharpens: bool,
) -> Choice:
    """Return the machine once twice the landmarks no longer help.

    Two numbers of landmarks are compared on the same rows, landmarks of neither; all rows as
    landmarks are exact, and every row may validate them. A kernel that more rows made sharper is
    held back by the landmarks; with twice as many it is made sharper still.

    Parameters
    ----------
    training : Training
    kernel : Kernel
    penalty : float, or None
        Of the squared norm, beside the mean loss; None compares several.
    max_landmarks : int
    sharpens : bool
        Whether length scales may become shorter than the kernel's.
    """
    n_rows = len(training.y)
    counts = landmark_counts(n_rows, max_landmarks)
    path, reached = training.path(kernel, counts[0]), counts[0]
    if sharpens and kernel.shape in ("rbf", "laplace"):
        path = _sharpened(training, path, reached, penalty)
    is_sharper = path.basis.kernel is not kernel
    for count in counts[1:]:
        if path.basis.rank <= _NEARLY_ALL * reached:
            break
        if reached == counts[0] and not _more_may_help(training, path, reached, penalty):
            break
        validation = training.validation_rows(count if count < n_rows else reached)
        kernel = path.basis.kernel
        larger = training.path(_sharper(kernel) if is_sharper else kernel, count)
        losses = [best_on(each, validation, penalty, count).loss for each in (path, larger)]
        if losses[1] < losses[0]:
            path, reached = larger, count
        # Sharper kernels help whether or not landmarks do, and each doubling brings less.
        needed = 2 * _WORTHWHILE if is_sharper else _WORTHWHILE
        if losses[1] > (1 - needed) * losses[0]:
            break
    return best_on(path, training.validation_rows(reached), penalty, reached)


def _sharpened(
    training: Training, path: EigenPath, n_landmarks: int, penalty: float | None
) -> EigenPath:
    """Return the path with shorter length scales, as long as all training rows say they help.

    Few rows see a jump or a fine wave from afar only, and their length scales are long. A machine
    that kept them would learn no more from many rows than from few. And the likelihood is that of a
    smooth function: it asks for longer scales beside a jump than its prediction does.
    """
    validation = training.validation_rows(n_landmarks)
    losses = _row_losses(path, validation, penalty, n_landmarks)
    while True:
        sharper = training.path(_sharper(path.basis.kernel), n_landmarks)
        other_losses = _row_losses(sharper, validation, penalty, n_landmarks)
        gain = losses - other_losses
        if gain.mean() <= _CLEARLY * gain.std() / np.sqrt(len(gain)):
            return path
        path, losses = sharper, other_losses


def _sharper(kernel: Kernel) -> Kernel:
    return replace(kernel, inverse_scales=_SHARPER * kernel.inverse_scales)


def _row_losses(
    path: EigenPath, validation: ValidationRows, penalty: float | None, n_landmarks: int
) -> np.ndarray:
    chosen = best_on(path, validation, penalty, n_landmarks).penalty
    return validation.row_losses(path, np.array([chosen]))[:, 0]


def _more_may_help(
    training: Training, path: EigenPath, reached: int, penalty: float | None
) -> bool:
    """Return whether these landmarks help so clearly over half of them that twice may help too.

    Every doubling brings less than the one before, and half of them cost an eighth of twice.
    """
    validation = training.validation_rows(reached)
    half = training.path(kernel=path.basis.kernel, n_landmarks=reached // 2)
    losses = [best_on(each, validation, penalty, reached).loss for each in (half, path)]
    return losses[1] < (1 - _WORTHWHILE / 2) * losses[0]


def landmark_counts(n_rows: int, max_landmarks: int) -> list[int]:
    """Return the numbers of landmarks to try, each twice the one before.

    Either all rows are landmarks, or enough are left to validate.

    Examples
    --------
    >>> landmark_counts(900, 2000), landmark_counts(1900, 2000), landmark_counts(10**5, 2000)
    ([900], [500, 1000, 1900], [500, 1000, 2000])
    """
    if n_rows <= min(2 * _FIRST_LANDMARKS, max_landmarks):
        return [n_rows]
    left = min(n_rows // 2, _LEFT_TO_VALIDATE)
    most = n_rows if n_rows <= max_landmarks else min(max_landmarks, n_rows - left)
    counts = [min(_FIRST_LANDMARKS, most)]
    while counts[-1] < most:
        count = 2 * counts[-1]
        counts.append(most if count > _NEAR_THE_MOST * most else count)
    return counts
