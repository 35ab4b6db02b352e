"""The grammar: a seed becomes one call through the public door, mostly a malformed one."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.tree import DecisionTreeRegressor

import lukewarm as lw
from fuzz.files import command_line, stored
from fuzz.fitted import fitted, fresh
from fuzz.oracle import Call
from fuzz.values import (
    N_ROWS,
    ODD,
    TABLES,
    TARGETS,
    WEIGHTS,
    anything,
    is_count,
    is_flag,
    is_number,
    is_one_of,
    matrix,
    target,
)
from lukewarm.measures import NegMSE
from lukewarm.reduction import Dropout
from lukewarm.shapley import SOLVERS

mpl.use("agg")

Domain = Callable[[Any], bool | None]


def _or_odd(domain: Domain, value: Any) -> bool | None:
    """Return whether the domain holds the value; values that cannot be compared are outside."""
    try:
        return domain(value)
    except (TypeError, ValueError):
        return False


# Parameter: (whether a value is allowed, or None where that is not for this table to say; values
# that are worth trying beyond the odd ones).
_SHARED: dict[str, tuple[Domain, dict[str, Callable[[], Any]]]] = {
    "model": (
        anything,
        {
            "'bosting'": lambda: "bosting",
            "LinearRegression": LinearRegression,
            "LinearRegression class": lambda: LinearRegression,
            "LogisticRegression": LogisticRegression,
            "fitted tree": lambda: DecisionTreeRegressor().fit([[0], [1]], [0, 1]),
            "a bad setting": lambda: DecisionTreeRegressor(max_depth=-3),
        },
    ),
    "method": (
        anything,
        {
            "'dropuot'": lambda: "dropuot",
            "'dropout'": lambda: "dropout",
            "'retrain'": lambda: "retrain",
            "'kernel_flow'": lambda: "kernel_flow",
            "'lazy'": lambda: "lazy",
            "'early_stopping'": lambda: "early_stopping",
            "'projection'": lambda: "projection",
            "Dropout()": Dropout,
            "Dropout": lambda: Dropout,
        },
    ),
    "measure": (
        anything,
        {
            "'r2'": lambda: "r2",
            "'rsme'": lambda: "rsme",
            "'brier'": lambda: "brier",
            "'f1'": lambda: "f1",
            "'max_error'": lambda: "max_error",
            "'jaccard'": lambda: "jaccard",
            "'auc'": lambda: "auc",
            "['r2', 'neg_mae']": lambda: ["r2", "neg_mae"],
            "['r2', 'r2']": lambda: ["r2", "r2"],
            "['r2', 3]": lambda: ["r2", 3],
            "'pinball(0.9)'": lambda: "pinball(0.9)",
            "'pinball(2)'": lambda: "pinball(2)",
            "'huber(nan)'": lambda: "huber(nan)",
            "'huber('": lambda: "huber(",
            "'tweedie_deviance(1.5)'": lambda: "tweedie_deviance(1.5)",
            "'gamma_deviance'": lambda: "gamma_deviance",
            "NegMSE": lambda: NegMSE,
        },
    ),
    "features": (
        anything,
        {
            "['x2', 'x0']": lambda: ["x2", "x0"],
            "[('x0', 'x1')]": lambda: [("x0", "x1")],
            "['x0', ['x0']]": lambda: ["x0", ["x0"]],
            "[3]": lambda: [3],
            "[-1]": lambda: [-1],
            "[True]": lambda: [True],
            "{'x0', 'x1'}": lambda: {"x0", "x1"},
            "slice": lambda: slice(0, 2),
            "mask": lambda: np.array([True, False, True]),
        },
    ),
    "groups": (
        anything,
        {
            "{'a': ['x0', 'x1']}": lambda: {"a": ["x0", "x1"]},
            "{'a': ['x0'], 'b': ['x0']}": lambda: {"a": ["x0"], "b": ["x0"]},
            "{'a': 'x0', 1: 'x1'}": lambda: {"a": "x0", 1: "x1"},
            "{'x1': ['x0']}": lambda: {"x1": ["x0"]},
            "{'a': [[0]]}": lambda: {"a": [[0]]},
            "{'a': {'b': 0}}": lambda: {"a": {"b": 0}},
            "{'correlation': 0.5}": lambda: {"correlation": 0.5},
        },
    ),
    "inference": (
        is_one_of("auto", "learning_curve", "paired", "split"),
        {"'split'": lambda: "split", "'paired'": lambda: "paired"},
    ),
    "cv": (anything, {"3": lambda: 3, "49": lambda: 49, "'3'": lambda: "3"}),
    "train_fraction": (is_number(0, 1), {"0.9": lambda: 0.9, "0.999": lambda: 0.999}),
    "fill": (
        anything,
        {
            "'zero'": lambda: "zero",
            "'conditional'": lambda: "conditional",
            "'median'": lambda: "median",
            "{'x0': 1.0}": lambda: {"x0": 1.0},
            "{'x0': 'a'}": lambda: {"x0": "a"},
            "{'x0': None}": lambda: {"x0": None},
            "{'x0': [1]}": lambda: {"x0": [1]},
            "{7: 1.0}": lambda: {7: 1.0},
        },
    ),
    "stopping": (
        lambda value: (
            isinstance(value, lw.stopping.Patience)
            or is_one_of("hold_out", "cross_validation")(value)
        ),
        {
            "'cross_validation'": lambda: "cross_validation",
            "Patience(2)": lambda: lw.stopping.Patience(2),
            "Patience": lambda: lw.stopping.Patience,
        },
    ),
    "patience": (is_count(1, none=True), {"3": lambda: 3}),
    "min_delta": (is_number(-5e-324, np.inf), {"0.01": lambda: 0.01}),
    "max_steps": (is_count(1, none=True), {"5": lambda: 5}),
    "symmetric": (lambda value: value is None or is_flag(value), {"'no'": lambda: "no"}),
    "task": (
        is_one_of("auto", "regression", "classification"),
        {"'regression'": lambda: "regression", "'classification'": lambda: "classification"},
    ),
    "prefit": (anything, {"'yes'": lambda: "yes"}),
    "level": (is_number(0, 1), {"0.9": lambda: 0.9, "95": lambda: 95}),
    "random_state": (
        anything,
        {
            "RandomState": lambda: np.random.RandomState(0),
            "Generator": lambda: np.random.default_rng(0),
            "SeedSequence": lambda: np.random.SeedSequence(0),
        },
    ),
    "n_jobs": (anything, {"2": lambda: 2, "-2": lambda: -2, "'2'": lambda: "2"}),
    "verbose": (lambda value: value is None or is_flag(value), {}),
}
_OF_VARIABLE = {
    "time_limit": (anything, {"3.5": lambda: 3.5, "1e-9": lambda: 1e-9}),
    "on_error": (is_one_of("raise", "record"), {"'record'": lambda: "record"}),
}
_OF_SHAPLEY = {
    "solver": (
        is_one_of("auto", "exact", "regression_adjusted", "kernel", "permutation", "marginal"),
        {"'kernel'": lambda: "kernel", "'permutation'": lambda: "permutation"},
    ),
    "n_coalitions": (is_count(1, none=True), {"4": lambda: 4, "6": lambda: 6}),
    "tolerance": (anything, {"0.3": lambda: 0.3}),
}


def draw(rng: np.random.Generator, folder: Path) -> Call:
    """Return the call that the generator's state stands for; files are written to `folder`."""
    kinds: list[tuple[float, Callable[[np.random.Generator, Path], Call]]] = [
        (0.20, _parameters),
        (0.10, _shapley_parameters),
        (0.20, _rows),
        (0.05, _evaluation_rows),
        (0.12, _predictions),
        (0.13, _methods),
        (0.06, _plots),
        (0.04, _functions),
        (0.07, stored),
        (0.07, command_line),
    ]
    weights = np.array([weight for weight, _ in kinds])
    chosen = rng.choice(len(kinds), p=weights / weights.sum())
    return kinds[chosen][1](rng, folder)


def _value(
    rng: np.random.Generator, own: dict[str, Callable[[], Any]], odd: float = 0.6
) -> tuple[str, Any]:
    pool = ODD if not own or rng.random() < odd else own
    text = list(pool)[rng.integers(len(pool))]
    return text, pool[text]()


def _changed(
    rng: np.random.Generator, table: dict[str, tuple[Domain, dict[str, Callable[[], Any]]]]
) -> tuple[dict[str, Any], str, bool | None]:
    """Return one to three odd settings, their text, and whether they must be refused."""
    n_changed = int(rng.choice([1, 2, 3], p=[0.75, 0.2, 0.05]))
    names = rng.choice(list(table), size=n_changed, replace=False)
    return _drawn(rng, {str(name): table[str(name)] for name in names})


def _drawn(rng: np.random.Generator, chosen: dict[str, Any]) -> Any:
    """Return a value for every setting chosen, their text, and whether they must be refused."""
    settings, texts, refused = {}, [], None
    for name, (domain, own) in chosen.items():
        text, value = _value(rng, own)
        settings[name] = value
        texts.append(f"{name}={text}")
        if _or_odd(domain, value) is False:
            refused = True
    return settings, ", ".join(texts), refused


def _parameters(rng: np.random.Generator, folder: Path) -> Call:
    return _estimator_call(rng, lw.VariableImportance, _SHARED | _OF_VARIABLE)


def _shapley_parameters(rng: np.random.Generator, folder: Path) -> Call:
    return _estimator_call(rng, lw.ShapleyImportance, _SHARED | _OF_SHAPLEY)


def _estimator_call(rng: np.random.Generator, kind: type, table: dict[str, Any]) -> Call:
    settings, text, refused = _changed(rng, table)
    X = matrix(rng)
    y = target(rng, X)
    options = {"model": "boosting", "max_steps": 3, "random_state": 0, **settings}

    def run() -> Any:
        return [each.to_frame() for each in kind(**options).fit(X, y).results_.values()]

    return Call(f"{kind.__name__}({text}).fit", run, tuple(settings), refused)


def _rows(rng: np.random.Generator, folder: Path) -> Call:
    """Return a fit of an odd table, target or weights, or of two of them."""
    X = matrix(rng)
    y = target(rng, X)
    which = rng.choice(["X", "y", "sample_weight", "X y", "X sample_weight", "y sample_weight"])
    given: dict[str, Any] = {"X": X, "y": y, "sample_weight": None}
    texts, outcomes, names = [], [], []
    for part in str(which).split():
        pool: dict[str, Any] = {"X": TABLES, "y": TARGETS, "sample_weight": WEIGHTS}[part]
        text = list(pool)[rng.integers(len(pool))]
        make, refused = pool[text]
        given[part] = make({"X": X, "y": y, "sample_weight": N_ROWS}[part])
        texts.append(f"{part}: {text}")
        outcomes.append(refused)
        names += [part]
    if "X" in names:
        # A message may name the column instead.
        names += ["x1", "y"]
    if "y" in names or "sample_weight" in names:
        names += ["measure", "y", "sample_weight"]
    kind = lw.VariableImportance if rng.random() < 0.8 else lw.ShapleyImportance
    own = {"model": "boosting", "max_steps": 3, "random_state": 0}
    if rng.random() < 0.2:
        own["cv"] = 3
        names.append("cv")
    if rng.random() < 0.2:
        own["inference"] = "split"
    if rng.random() < 0.2:
        own["measure"] = str(rng.choice(["r2", "neg_mae", "accuracy", "auc", "neg_log_loss"]))
        names.append("measure")
    settings = ", ".join(f"{name}={value!r}" for name, value in own.items())

    def run() -> Any:
        fitted = kind(**own).fit(given["X"], given["y"], given["sample_weight"])
        return [each.to_frame() for each in fitted.results_.values()]

    refused = True if True in outcomes else (False if set(outcomes) == {False} else None)
    if "measure" in own or "cv" in own or len(outcomes) > 1:
        refused = True if refused else None
    return Call(f"{kind.__name__}({settings}).fit({'; '.join(texts)})", run, tuple(names), refused)


def _evaluation_rows(rng: np.random.Generator, folder: Path) -> Call:
    X = matrix(rng)
    y = target(rng, X)
    given = {"X": X, "y": y, "X_eval": X[:20], "y_eval": y[:20]}
    kind = rng.choice(["X_eval", "y_eval", "both", "names", "alone", "weights"])
    names, refused, text = ["X_eval", "y_eval"], None, str(kind)
    if kind in ("X_eval", "both"):
        pick = list(TABLES)[rng.integers(len(TABLES))]
        given["X_eval"] = TABLES[pick][0](X[:24])
        given["y_eval"] = y[:24]
        text += f": X_eval {pick}"
        names.append("X")
    if kind in ("y_eval", "both"):
        pick = list(TARGETS)[rng.integers(len(TARGETS))]
        given["X_eval"] = X[:24] if kind == "y_eval" else given["X_eval"]
        given["y_eval"] = TARGETS[pick][0](y[:24])
        text += f": y_eval {pick}"
        names.append("y")
    if kind == "names":
        given["X"] = pd.DataFrame(X, columns=["a", "b", "c"])
        given["X_eval"] = pd.DataFrame(X[:20], columns=["a", "b", "d"])
        refused = True
    weights = None
    if kind == "weights":
        pick = list(WEIGHTS)[rng.integers(len(WEIGHTS))]
        make, refused = WEIGHTS[pick]
        weights = make(20)
        text += f": sample_weight_eval {pick}"
        names.append("sample_weight_eval")
    if kind == "alone":
        missing = str(rng.choice(["X_eval", "y_eval"]))
        given[missing] = None
        text, refused = f"without {missing}", True

    def run() -> Any:
        fitted = lw.VariableImportance("boosting", max_steps=3, random_state=0).fit(
            given["X"],
            given["y"],
            X_eval=given["X_eval"],
            y_eval=given["y_eval"],
            sample_weight_eval=weights,
        )
        return fitted.result_.to_frame()

    return Call(f"fit with evaluation rows, {text}", run, tuple(names), refused)


def _predictions(rng: np.random.Generator, folder: Path) -> Call:
    X = matrix(rng)
    y = target(rng, X)
    given: dict[str, Any] = {
        "y": y,
        "full": y + 0.1 * X[:, 1],
        "reduced": {"a": 0 * y, "b": X[:, 1]},
    }
    own: dict[str, tuple[Domain, dict[str, Callable[[], Any]]]] = {
        "measure": (anything, {"'auc'": lambda: "auc", "'r2'": lambda: "r2"}),
        "level": (is_number(0, 1), {}),
        "inference": (is_one_of("paired", "split"), {"'split'": lambda: "split"}),
        "folds": (
            anything,
            {
                "two": lambda: np.arange(N_ROWS) % 2,
                "each row": lambda: np.arange(N_ROWS),
                "text": lambda: ["a", "b"] * (N_ROWS // 2),
                "mixed": lambda: ["a", 1] * (N_ROWS // 2),
                "with nan": lambda: np.where(np.arange(N_ROWS) == 3, np.nan, 1.0),
                "lists": lambda: [[1], [2, 3]] * (N_ROWS // 2),
            },
        ),
        "weights": (
            anything,
            {name: (lambda make=make: make(N_ROWS)) for name, (make, _) in WEIGHTS.items()},
        ),
        "random_state": (anything, {}),
        "reduced": (
            anything,
            {
                "empty frame": lambda: pd.DataFrame(index=range(N_ROWS)),
                "matrix": lambda: np.ones((2, N_ROWS)),
                "matrix, rows first": lambda: np.ones((N_ROWS, 2)),
                "frame": lambda: pd.DataFrame({"a": y, "b": y + 1}),
                "frame, repeated names": lambda: pd.DataFrame(
                    np.ones((N_ROWS, 2)), columns=["a", "a"]
                ),
                "names alike": lambda: {1: y, "1": y},
                "short": lambda: {"a": y[:-1]},
                "nan": lambda: {"a": y * np.nan},
                "text": lambda: {"a": "prediction"},
                "1e200": lambda: {"a": y * 1e200},
                "control": lambda: {"\x1b[2J": y},
            },
        ),
        "full": (
            anything,
            {name: (lambda make=make: make(y)) for name, (make, _) in TARGETS.items()},
        ),
        "y": (
            anything,
            {name: (lambda make=make: make(y)) for name, (make, _) in TARGETS.items()},
        ),
    }
    settings, text, refused = _changed(rng, own)
    given |= settings
    if rng.random() < 0.15 and "measure" not in settings and "y" not in settings:
        probability = 1 / (1 + np.exp(-X[:, 0]))
        given |= {"y": y > 0, "measure": str(rng.choice(["auc", "deviance", "accuracy"]))}
        given |= {} if "full" in settings else {"full": probability}
        given |= {} if "reduced" in settings else {"reduced": {"a": probability * 0.5}}
        text += f", classes by {given['measure']}"

    def run() -> Any:
        return lw.importance_from_predictions(**given).to_frame(adjust="holm")

    predicted = ("y", "full", "reduced", "measure")
    names = (*settings, *predicted) if set(predicted) & set(settings) else (*settings,)
    return Call(f"importance_from_predictions({text})", run, names, refused)


def _methods(rng: np.random.Generator, folder: Path) -> Call:
    variable, shapley = fitted()
    result = variable.result_ if rng.random() < 0.6 else shapley.result_
    contrast = variable.result_.contrast({"x0": 1, "x1": -1})
    level = {"0.5": lambda: 0.5, "95": lambda: 95}
    optional_level = (lambda each: each is None or is_number(0, 1)(each), level)
    finite = (is_number(-np.inf, np.inf), {})
    name = (is_one_of("x0", "x1", "x2"), {"'x1'": lambda: "x1", "'x9'": lambda: "x9"})
    adjust = (
        anything,
        {
            "'holm'": lambda: "holm",
            "('bh', 'by')": lambda: ("bh", "by"),
            "'bonferroni'": lambda: "bonferroni",
            "['holm', 3]": lambda: ["holm", 3],
        },
    )
    frame = {
        "level": optional_level,
        "delta": finite,
        "adjust": adjust,
        "sort": (is_flag, {}),
        "top": (lambda each: each is None or is_count(1)(each), {"2": lambda: 2, "0": lambda: 0}),
        "relative": (is_flag, {}),
    }
    merge = (
        anything,
        {
            "a result": lambda: variable.result_,
            "[result, result]": lambda: [variable.result_] * 2,
            "[result, shapley]": lambda: [variable.result_, shapley.result_],
            "['result']": lambda: ["result"],
            "[result]": lambda: [variable.result_],
        },
    )
    kept = (
        anything,
        {
            "['x0']": lambda: ["x0"],
            "[0, 0]": lambda: [0, 0],
            "['x0', 0]": lambda: ["x0", 0],
            "[5]": lambda: [5],
            "[0.5]": lambda: [0.5],
            "['x0', 'x9']": lambda: ["x0", "x9"],
        },
    )
    table: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
        "result.interval": (
            result.interval,
            {"level": optional_level, "reach_zero": (is_flag, {})},
        ),
        "result.simultaneous_interval": (
            variable.result_.simultaneous_interval,
            {"level": optional_level, "random_state": (anything, {}), "reach_zero": (is_flag, {})},
        ),
        "result.p_value": (result.p_value, {"delta": finite}),
        "result.to_frame": (result.to_frame, frame),
        "result.difference": (variable.result_.difference, {"first": name, "second": name}),
        "contrast.interval": (contrast.interval, {"level": optional_level}),
        "contrast.p_value": (contrast.p_value, {"value": finite}),
        "ImportanceResult.merge": (_merged, {"results": merge}),
        "shapley.value_of": (
            lambda kept: shapley.result_.value_of(kept).value,
            {"kept": kept},
        ),
        "variable.check": (fresh()[0].check, {"n": (is_count(1), {"2": lambda: 2})}),
        "shapley.fit_more": (
            lambda n_coalitions: fresh()[1].fit_more(n_coalitions).result_.to_frame(),
            {"n_coalitions": (anything, {"0": lambda: 0, "1": lambda: 1})},
        ),
    }
    text = list(table)[rng.integers(len(table))]
    function, parameters = table[text]
    settings, shown, refused = _changed_some(rng, parameters)
    if text == "result.difference":
        settings = {"first": "x0", "second": "x1", **settings}

    def run() -> Any:
        outcome = function(**settings)
        return list(outcome) if isinstance(outcome, tuple) else outcome

    return Call(f"{type(result).__name__}: {text}({shown})", run, tuple(settings), refused)


def _merged(results: Any) -> Any:
    return lw.ImportanceResult.merge(results).to_frame()


def _changed_some(rng: np.random.Generator, table: dict[str, Any]) -> Any:
    names = rng.permutation(list(table))[: rng.integers(1, 3)]
    return _drawn(rng, {str(name): table[name] for name in names})


def _plots(rng: np.random.Generator, folder: Path) -> Call:
    variable, shapley = fitted()
    importance, values = variable.result_, shapley.result_
    level = (lambda each: each is None or is_number(0, 1)(each), {"0.5": lambda: 0.5})
    few = (is_count(1), {"2": lambda: 2})
    axes = (anything, {"a figure": plt.figure, "new": lambda: plt.subplots()[1]})
    results: dict[str, Callable[[], Any]] = {
        "importance": lambda: importance,
        "shapley": lambda: values,
        "estimator": lambda: variable,
        "frame": importance.to_frame,
    }
    several = {
        "[importance]": lambda: [importance],
        "[importance] * 2": lambda: [importance] * 2,
        "{'a': importance}": lambda: {"a": importance},
        "{'a': 1}": lambda: {"a": 1},
        "{1: importance}": lambda: {1: importance},
        "a result": lambda: importance,
        "[importance, shapley]": lambda: [importance, values],
    }
    truth = {
        "{'x0': 1}": lambda: {"x0": 1.0},
        "whole": lambda: dict.fromkeys(importance.names, 0.5),
        "nan": lambda: dict.fromkeys(importance.names, np.nan),
        "text": lambda: dict.fromkeys(importance.names, "a"),
    }
    names = {"['x1']": lambda: ["x1"], "'x1'": lambda: "x1", "['x1', 'x1']": lambda: ["x1", "x1"]}
    table: dict[str, tuple[Callable[..., Any], dict[str, Any], dict[str, Any]]] = {
        "plot_importance": (
            lw.plot_importance,
            {"result": importance},
            {"result": (anything, results), "level": level, "max_features": few, "ax": axes},
        ),
        "plot_shapley": (
            lw.plot_shapley,
            {"result": values},
            {
                "result": (anything, results),
                "importance": (anything, results),
                "level": level,
                "max_features": few,
                "ax": axes,
            },
        ),
        "plot_comparison": (
            lw.plot_comparison,
            {"results": [importance]},
            {"results": (anything, several), "truth": (anything, truth), "ax": axes},
        ),
        "plot_trace": (
            lw.plot_trace,
            {"result": importance},
            {"result": (anything, results), "features": (anything, names), "ax": axes},
        ),
        "plot_convergence": (
            lw.plot_convergence,
            {"result": values},
            {"result": (anything, results), "ax": axes},
        ),
        "variable.plot": (
            variable.plot,
            {},
            {"level": level, "max_features": few, "ax": axes},
        ),
    }
    text = list(table)[rng.integers(len(table))]
    function, base, parameters = table[text]
    settings, shown, refused = _changed_some(rng, parameters)

    def run() -> None:
        try:
            function(**{**base, **settings})
        finally:
            plt.close("all")

    accepted = (*settings, "solver") if text == "plot_convergence" else (*settings,)
    return Call(f"{text}({shown})", run, accepted, refused)


def _functions(rng: np.random.Generator, folder: Path) -> Call:
    """Return a call of a smaller public function: simulators, games, stopping rules."""
    seed = (anything, {})
    rows = (is_count(1), {"30": lambda: 30})
    noise = (is_number(-5e-324, 1e100), {"0.5": lambda: 0.5})
    simulate = {"n_samples": rows, "noise_std": noise, "random_state": seed}
    game = {
        "value": (anything, {"len": lambda: len, "nan": lambda: lambda kept: float("nan")}),
        "n_players": (anything, {"3": lambda: 3, "99": lambda: 99}),
    }
    sample = {
        **game,
        "n_coalitions": (is_count(1, none=True), {"6": lambda: 6}),
        "sampler": (is_one_of(*SOLVERS), {"'kernel'": lambda: "kernel"}),
        "random_state": seed,
    }
    coin = {"value": len, "n_players": 3}
    table: dict[str, tuple[Callable[..., Any], dict[str, Any], dict[str, Any]]] = {
        "make_correlated_linear": (
            lambda **own: lw.datasets.make_correlated_linear(**own).X,
            {"n_samples": 30},
            {**simulate, "correlation": (anything, {"0.5": lambda: 0.5})},
        ),
        "shapley.exact": (lw.shapley.exact, coin, game),
        "shapley.estimate": (
            lambda **own: lw.shapley.estimate(**own).values,
            {**coin, "n_coalitions": 6},
            sample,
        ),
        "Patience": (
            lw.stopping.Patience,
            {"patience": 3},
            {"patience": (is_count(1), {}), "min_delta": noise},
        ),
    }
    text = list(table)[rng.integers(len(table))]
    function, base, parameters = table[text]
    settings, shown, refused = _changed_some(rng, parameters)
    run = partial(function, **{**base, **settings})
    # What the user's own function raises is the user's: abs of a coalition.
    return Call(f"{text}({shown})", run, (*settings, "players", "abs"), refused)
