"""What people, and worse, pass for a parameter, a table or a target."""

import datetime
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse

ODD: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "True": lambda: True,
    "False": lambda: False,
    "0": lambda: 0,
    "1": lambda: 1,
    "2": lambda: 2,
    "-1": lambda: -1,
    "10**30": lambda: 10**30,
    "0.0": lambda: 0.0,
    "0.5": lambda: 0.5,
    "1.0": lambda: 1.0,
    "1.5": lambda: 1.5,
    "-0.5": lambda: -0.5,
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "-inf": lambda: float("-inf"),
    "1e308": lambda: 1e308,
    "5e-324": lambda: 5e-324,
    "''": lambda: "",
    "'False'": lambda: "False",
    "'x0'": lambda: "x0",
    "'no such'": lambda: "no such",
    "'auto'": lambda: "auto",
    "'\\x1b[31m'": lambda: "\x1b[31m",
    "'0.5'": lambda: "0.5",
    "b'mean'": lambda: b"mean",
    "[]": list,
    "()": tuple,
    "{}": dict,
    "set()": set,
    "[0]": lambda: [0],
    "[None]": lambda: [None],
    "[[]]": lambda: [[]],
    "[[0, 0]]": lambda: [[0, 0]],
    "['x0', 'x0']": lambda: ["x0", "x0"],
    "['no such']": lambda: ["no such"],
    "[nan]": lambda: [float("nan")],
    "{'a': 1}": lambda: {"a": 1},
    "{'a': []}": lambda: {"a": []},
    "{'a': None}": lambda: {"a": None},
    "{'x0': 'x1'}": lambda: {"x0": "x1"},
    "{None: ['x0']}": lambda: {None: ["x0"]},
    "{1.5: 2}": lambda: {1.5: 2},
    "{0: inf}": lambda: {0: float("inf")},
    "{'correlation': 2}": lambda: {"correlation": 2},
    "{'correlation': 'x'}": lambda: {"correlation": "x"},
    "{'correlation': nan}": lambda: {"correlation": float("nan")},
    "object()": object,
    "object": lambda: object,
    "abs": lambda: abs,
    "...": lambda: ...,
    "1+2j": lambda: 1 + 2j,
    "Decimal": lambda: Decimal("0.5"),
    "Fraction": lambda: Fraction(1, 2),
    "np.float32(0.5)": lambda: np.float32(0.5),
    "np.int8(3)": lambda: np.int8(3),
    "np.bool_(True)": lambda: np.bool_(True),
    "np.array([])": lambda: np.array([]),
    "np.array(0.5)": lambda: np.array(0.5),
    "np.array([True, False])": lambda: np.array([True, False]),
    "np.array([1, 2])": lambda: np.array([1, 2]),
    "pd.NA": lambda: pd.NA,
    "pd.NaT": lambda: pd.NaT,
    "pd.Series": lambda: pd.Series([0.5, 0.7]),
    "pd.DataFrame": lambda: pd.DataFrame({"a": [1.0]}),
    "generator": lambda: (each for each in ("x0", "x1")),
    "date": lambda: datetime.date(2024, 1, 1),
}


def is_flag(value: Any) -> bool:
    return isinstance(value, bool | np.bool_)


def is_count(minimum: int, *, none: bool = False) -> Callable[[Any], bool]:
    def holds(value: Any) -> bool:
        if value is None:
            return none
        return isinstance(value, Integral) and not isinstance(value, bool) and value >= minimum

    return holds


def is_number(low: float, high: float) -> Callable[[Any], bool]:
    """Whether a value is a number strictly inside (low, high)."""

    def holds(value: Any) -> bool:
        return isinstance(value, Real) and not is_flag(value) and bool(low < value < high)

    return holds


def is_one_of(*choices: Any) -> Callable[[Any], bool]:
    def holds(value: Any) -> bool:
        return (value is None and None in choices) or (isinstance(value, str) and value in choices)

    return holds


def anything(value: Any) -> None:
    """The domain of parameters of which either outcome may be right."""
    return None


N_ROWS = 48


def matrix(rng: np.random.Generator, n_rows: int = N_ROWS, n_columns: int = 3) -> np.ndarray:
    return rng.normal(size=(n_rows, n_columns))


def target(rng: np.random.Generator, X: np.ndarray) -> np.ndarray:
    return X[:, 0] + 0.5 * rng.normal(size=len(X))


def _with_cell(value: Any) -> Callable[[np.ndarray], np.ndarray]:
    def change(X: np.ndarray) -> np.ndarray:
        changed = X.copy()
        changed[3, 1] = value
        return changed

    return change


def _frame(X: np.ndarray, names: list[Any] | None = None) -> pd.DataFrame:
    return pd.DataFrame(X, columns=names or ["x0", "x1", "x2"])


def _column(values: Callable[[int], Any]) -> Callable[[np.ndarray], pd.DataFrame]:
    def change(X: np.ndarray) -> pd.DataFrame:
        frame = _frame(X)
        frame["x1"] = values(len(X))
        return frame

    return change


def _read_only(X: np.ndarray) -> np.ndarray:
    copy = X.copy()
    copy.setflags(write=False)
    return copy


def _polars(X: np.ndarray) -> Any:
    import polars

    return polars.DataFrame({f"x{number}": X[:, number] for number in range(X.shape[1])})


# Name: (what becomes of a plain matrix, must it be refused).
TABLES: dict[str, tuple[Callable[[np.ndarray], Any], bool | None]] = {
    "matrix": (lambda X: X, False),
    "frame": (_frame, False),
    "lists": (lambda X: X.tolist(), False),
    "float32": (lambda X: X.astype("f4"), False),
    "float16": (lambda X: X.astype("f2"), False),
    "ints": (lambda X: (10 * X).astype(int), False),
    "fortran": (np.asfortranarray, False),
    "strided": (lambda X: np.repeat(X, 2, axis=0)[::2], False),
    "read only": (_read_only, False),
    "big endian": (lambda X: X.astype(">f8"), False),
    "polars": (_polars, False),
    "objects": (lambda X: X.astype(object), False),
    "strings of numbers": (lambda X: X.astype(str), None),
    "bools": (lambda X: X > 0, False),
    "nan": (_with_cell(np.nan), False),
    "all nan": (lambda X: np.full_like(X, np.nan), None),
    "column of nan": (_column(lambda n: np.nan), None),
    "column of None": (_column(lambda n: None), None),
    "inf": (_with_cell(np.inf), True),
    "1e308": (_with_cell(1e308), None),
    "subnormal": (lambda X: X * 1e-310, None),
    "constant": (np.ones_like, None),
    "complex": (lambda X: X + 1j, True),
    "masked": (lambda X: np.ma.masked_array(X, X > 1), None),
    "fully masked": (lambda X: np.ma.masked_array(X, np.ones(X.shape, bool)), None),
    "sparse": (scipy.sparse.csr_matrix, None),
    "sparse array": (scipy.sparse.coo_array, None),
    "sparse columns": (lambda X: _frame(X).astype(pd.SparseDtype(float)), None),
    "matrix class": (np.asmatrix, None),
    "structured": (
        lambda X: np.array(
            [tuple(row) for row in X], dtype=[("a", float), ("b", float), ("c", float)]
        ),
        True,
    ),
    "records": (lambda X: _frame(X).to_dict(orient="records"), True),
    "dict of columns": (lambda X: {"x0": X[:, 0], "x1": X[:, 1]}, True),
    "one column": (lambda X: X[:, :1], False),
    "vector": (lambda X: X[:, 0], True),
    "three dimensions": (lambda X: X[:, :, None], True),
    "scalar": (lambda X: 3.0, True),
    "text": (lambda X: "table.csv", True),
    "None": (lambda X: None, True),
    "no columns": (lambda X: X[:, :0], True),
    "no rows": (lambda X: X[:0], True),
    "no rows, frame": (lambda X: _frame(X)[:0], True),
    "one row": (lambda X: X[:1], True),
    "ragged": (lambda X: [list(row)[: 2 + number % 2] for number, row in enumerate(X)], True),
    "empty list": (lambda X: [], True),
    "generator": (lambda X: (row for row in X), True),
    "repeated names": (lambda X: _frame(X, ["a", "b", "a"]), True),
    "names alike as text": (lambda X: _frame(X, ["1", 1, "b"]), True),
    "names of any kind": (lambda X: _frame(X, [None, 1.5, ("a", "b")]), None),
    "names of control codes": (lambda X: _frame(X, ["\x1b[2J", "=1+1", "\r\n"]), False),
    "empty name": (lambda X: _frame(X, ["", " ", "x"]), None),
    "names in levels": (
        lambda X: pd.DataFrame(X, columns=pd.MultiIndex.from_product([["a"], [1, 2, 3]])),
        None,
    ),
    "index repeats": (lambda X: _frame(X).set_axis(np.zeros(len(X), int)), False),
    "text column": (_column(lambda n: ["red", "green"] * (n // 2)), False),
    "mixed column": (_column(lambda n: ["red", 1] * (n // 2)), None),
    "column of lists": (_column(lambda n: [[1, 2]] * n), None),
    "column of dicts": (_column(lambda n: [{"a": 1}] * n), None),
    "column of arrays": (_column(lambda n: [np.ones(2)] * n), None),
    "column of objects": (_column(lambda n: [object() for _ in range(n)]), None),
    "column of complex": (_column(lambda n: np.full(n, 1j)), True),
    "column of complex objects": (_column(lambda n: [1j, 2.0] * (n // 2)), True),
    "column of decimals": (_column(lambda n: [Decimal("0.5"), Decimal(2)] * (n // 2)), None),
    "column of huge ints": (_column(lambda n: [10**400, 1] * (n // 2)), True),
    "column of inf objects": (_column(lambda n: pd.Series([np.inf] * n, dtype=object)), True),
    "dates": (_column(lambda n: pd.date_range("2020", periods=n)), False),
    "dates with gaps": (_column(lambda n: [pd.NaT, pd.Timestamp("2020")] * (n // 2)), None),
    "dates with zones": (_column(lambda n: pd.date_range("2020", periods=n, tz="CET")), False),
    "periods": (_column(lambda n: pd.period_range("2020", periods=n, freq="D")), None),
    "intervals": (_column(lambda n: pd.interval_range(0, n)), None),
    "durations": (_column(lambda n: pd.to_timedelta(np.arange(n), "h")), False),
    "categories": (_column(lambda n: pd.Categorical(["a", "b"] * (n // 2))), False),
    "empty categories": (_column(lambda n: pd.Categorical([None] * n, categories=["a"])), None),
    "no categories": (_column(lambda n: pd.Categorical([None] * n)), None),
    "ordered categories": (
        _column(lambda n: pd.Categorical([1, 2] * (n // 2), ordered=True)),
        False,
    ),
    "nullable ints": (_column(lambda n: pd.array([1, None] * (n // 2), dtype="Int64")), False),
    "nullable bools": (_column(lambda n: pd.array([True, None] * (n // 2), "boolean")), False),
    "strings dtype": (_column(lambda n: pd.array(["a", None] * (n // 2), "string")), None),
    "bytes": (_column(lambda n: [b"a", b"b"] * (n // 2)), None),
}


def _with_row(value: Any) -> Callable[[np.ndarray], Any]:
    def change(y: np.ndarray) -> np.ndarray:
        changed = y.copy()
        changed[3] = value
        return changed

    return change


TARGETS: dict[str, tuple[Callable[[np.ndarray], Any], bool | None]] = {
    "vector": (lambda y: y, False),
    "series": (lambda y: pd.Series(y, name="y"), False),
    "list": (lambda y: y.tolist(), False),
    "column": (lambda y: y[:, None], False),
    "frame": (lambda y: pd.DataFrame({"y": y}), None),
    # Outputs of a regression; measures and models of classes refuse them.
    "two columns": (lambda y: np.column_stack([y, y]), None),
    "two columns, frame": (lambda y: pd.DataFrame({"a": y, "b": -(y**2)}), None),
    "two columns, list": (lambda y: [[each, 1 + each] for each in y.tolist()], None),
    "two columns of one name": (
        lambda y: pd.DataFrame(np.column_stack([y, y]), columns=["a", "a"]),
        True,
    ),
    "two columns, one constant": (lambda y: np.column_stack([y, np.ones_like(y)]), True),
    "two columns, one with nan": (lambda y: np.column_stack([y, _with_row(np.nan)(y)]), True),
    "numbers and labels": (lambda y: pd.DataFrame({"a": y, "b": np.where(y > 0, "u", "v")}), True),
    "two columns, short": (lambda y: np.column_stack([y, y])[:-1], True),
    "labels in two columns": (lambda y: np.array([["a", "b"]] * len(y)), True),
    "short": (lambda y: y[:-1], True),
    "long": (lambda y: np.append(y, 0), True),
    "empty": (lambda y: y[:0], True),
    "None": (lambda y: None, True),
    "scalar": (lambda y: 3.0, True),
    "text": (lambda y: "target", True),
    "dict": (lambda y: {"y": y}, True),
    "set": (set, True),
    "generator": (lambda y: (each for each in y), True),
    "nan": (_with_row(np.nan), True),
    "inf": (_with_row(-np.inf), True),
    "constant": (np.ones_like, True),
    "1e160": (lambda y: y * 1e160, None),
    "1e308": (lambda y: np.sign(y) * 1e308, None),
    "subnormal": (lambda y: y * 1e-310, None),
    "offset": (lambda y: y + 1e15, None),
    "complex": (lambda y: y + 1j, True),
    "masked": (lambda y: np.ma.masked_array(y, y > 1), True),
    "sparse": (lambda y: scipy.sparse.csr_matrix(y[:, None]), None),
    "objects": (lambda y: y.astype(object), False),
    "objects with None": (lambda y: np.where(y > 1, None, y), True),
    "object of lists": (lambda y: [[1], [2, 3]] * (len(y) // 2), True),
    "object of objects": (lambda y: [object() for _ in y], True),
    # As labels of classes they are as good as any.
    "huge ints": (lambda y: [10**400, 1] * (len(y) // 2), None),
    "decimals": (lambda y: [Decimal(str(each)) for each in y], None),
    "strings of numbers": (lambda y: y.astype(str), None),
    "dates": (lambda y: pd.date_range("2020", periods=len(y)), None),
    "dates as array": (lambda y: np.arange(len(y)).astype("M8[D]"), None),
    "durations": (lambda y: np.arange(len(y)).astype("m8[D]"), None),
    "labels": (lambda y: np.where(y > 0, "yes", "no"), False),
    "three labels": (lambda y: np.array(["a", "b", "c"] * (len(y) // 3)), False),
    "bools": (lambda y: y > 0, False),
    "one label": (lambda y: np.array(["a"] * len(y)), True),
    "a rare label": (lambda y: np.array(["a"] * (len(y) - 1) + ["b"]), None),
    "labels and None": (lambda y: ["a", None] * (len(y) // 2), True),
    "labels and numbers": (lambda y: ["a", 1] * (len(y) // 2), None),
    "labels all different": (lambda y: [f"row {each}" for each in range(len(y))], True),
    "categories": (lambda y: pd.Categorical(["a", "b"] * (len(y) // 2)), None),
    "category series": (lambda y: pd.Series(["a", "b"] * (len(y) // 2), dtype="category"), False),
    "nullable": (lambda y: pd.array((10 * y).astype(int), dtype="Int64"), None),
    "nullable with gap": (lambda y: pd.array([1, None] * (len(y) // 2), dtype="Int64"), True),
    "ints": (lambda y: (10 * y).astype(int), False),
    "zero and one": (lambda y: (y > 0).astype(int), None),
    "bytes": (lambda y: np.where(y > 0, b"yes", b"no"), None),
}

WEIGHTS: dict[str, tuple[Callable[[int], Any], bool | None]] = {
    "ones": (np.ones, False),
    "list": (lambda n: [1.0] * n, False),
    "ints": (lambda n: np.arange(n) + 1, False),
    "bools": (lambda n: np.arange(n) % 2 == 0, None),
    "zeros": (np.zeros, True),
    "mostly zero": (lambda n: (np.arange(n) < 2).astype(float), None),
    "one row": (lambda n: (np.arange(n) == 0).astype(float), None),
    "negative": (lambda n: -np.ones(n), True),
    "nan": (lambda n: np.full(n, np.nan), True),
    "inf": (lambda n: np.full(n, np.inf), True),
    "1e308": (lambda n: np.full(n, 1e308), None),
    "subnormal": (lambda n: np.full(n, 5e-324), None),
    "wide range": (lambda n: 10.0 ** np.linspace(-200, 200, n), None),
    "short": (lambda n: np.ones(n - 1), True),
    "empty": (lambda n: [], True),
    "scalar": (lambda n: 2.0, True),
    "two columns": (lambda n: np.ones((n, 2)), True),
    "text": (lambda n: ["a"] * n, True),
    "one word": (lambda n: "balanced", True),
    "dict": (lambda n: {0: 1.0, 1: 2.0}, True),
    "objects": (lambda n: [None] * n, True),
    "complex": (lambda n: np.full(n, 1j), True),
    "sparse": (lambda n: scipy.sparse.csr_matrix(np.ones((n, 1))), True),
    "masked": (lambda n: np.ma.masked_array(np.ones(n), np.arange(n) == 3), True),
    "huge ints": (lambda n: [10**400] * n, True),
}
