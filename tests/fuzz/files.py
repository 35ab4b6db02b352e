"""Damaged result files and odd command lines."""

import json
import tempfile
import zipfile
from collections.abc import Callable
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from click.testing import CliRunner

import lukewarm as lw
from fuzz.fitted import fitted
from fuzz.oracle import Call
from lukewarm.cli import main


@cache
def _saved(kind: str) -> bytes:
    result = fitted()[0 if kind == "ImportanceResult" else 1].result_
    with tempfile.TemporaryDirectory() as folder:
        return Path(result.save(Path(folder) / "saved.npz")).read_bytes()


def _members(contents: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(BytesIO(contents)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _archive(members: dict[str, bytes]) -> bytes:
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def _npy(array: Any) -> bytes:
    buffer = BytesIO()
    np.save(buffer, array, allow_pickle=True)
    return buffer.getvalue()


def _record_of(members: dict[str, bytes]) -> dict[str, Any]:
    return json.loads(members["record.json"])


_WRONG: tuple[Any, ...] = (
    *(None, True, -1, 1.5, 10**30, "", "text", [], {}, [None], [[None]], ["a"], [1, 2], "1"),
    float("nan"),
)


def _change_field(rng: np.random.Generator, contents: bytes) -> tuple[str, bytes]:
    members = _members(contents)
    record = _record_of(members)
    field = str(rng.choice(list(record)))
    value = _WRONG[rng.integers(len(_WRONG))]
    if rng.random() < 0.3:
        del record[field]
        text = f"without {field}"
    else:
        record[field] = value
        text = f"{field}={value!r}"
    members["record.json"] = json.dumps(record).encode()
    return text, _archive(members)


_ARRAYS: dict[str, Callable[[], Any]] = {
    "empty": lambda: np.array([]),
    "scalar": lambda: np.array(1.0),
    "text": lambda: np.array(["a", "b"]),
    "complex": lambda: np.ones(3, complex),
    "objects": lambda: np.array([{"a": 1}], dtype=object),
    "another shape": lambda: np.ones((7, 5)),
    "nan": lambda: np.full((3, 12), np.nan),
}


def _change_array(rng: np.random.Generator, contents: bytes) -> tuple[str, bytes]:
    members = _members(contents)
    name = str(rng.choice(list(members)))
    if rng.random() < 0.3:
        del members[name]
        return f"without {name}", _archive(members)
    text = list(_ARRAYS)[rng.integers(len(_ARRAYS))]
    members[name] = _npy(_ARRAYS[text]())
    return f"{name} is {text}", _archive(members)


def _bomb(rng: np.random.Generator, contents: bytes) -> tuple[str, bytes]:
    members = _members(contents)
    which = rng.integers(4)
    if which == 0:
        members["extra.npy"] = _npy(np.zeros(3_000_000))
        return "an unknown array", _archive(members)
    name = str(rng.choice([each for each in members if each != "record.json"]))
    if which == 1:
        members[name] = _npy(np.zeros(3_000_000))
        return f"{name} of 24 MB", _archive(members)
    if which == 2:
        # A header that promises far more than follows.
        header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({10**12},), }}"
        text = header.ljust(117) + "\n"
        members[name] = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()
        return f"{name} promises 8 TB", _archive(members)
    members["record.json"] = b'"' + b"x" * 30_000_000 + b'"'
    return "a record of 30 MB", _archive(members)


def _damage(rng: np.random.Generator, contents: bytes) -> tuple[str, bytes]:
    which = rng.integers(5)
    if which == 0:
        length = int(rng.integers(len(contents)))
        return f"cut at {length}", contents[:length]
    if which == 1:
        place = int(rng.integers(len(contents)))
        flipped = bytearray(contents)
        flipped[place] ^= 1 << int(rng.integers(8))
        return f"bit flipped in byte {place}", bytes(flipped)
    if which == 2:
        return "noise", rng.bytes(int(rng.integers(1, 300)))
    if which == 3:
        return "an array of its own", _npy(np.ones(3))
    return "an empty archive", _archive({})


def stored(rng: np.random.Generator, folder: Path) -> Call:
    """Return the loading of a result file that is damaged, or whole but of another kind."""
    kind = str(rng.choice(["ImportanceResult", "ShapleyResult"]))
    contents = _saved(str(rng.choice(["ImportanceResult", "ShapleyResult"])))
    damage = (_change_field, _change_array, _bomb, _damage)[rng.integers(4)]
    text, changed = damage(rng, contents)
    path = folder / "stored.npz"
    path.write_bytes(changed)

    def run() -> Any:
        loaded = getattr(lw, kind).load(path)
        repr(loaded)
        loaded._repr_html_()
        loaded.save(folder / "again.npz")
        return loaded.to_frame(adjust=("holm", "bh"))

    must_fail = True if damage is _bomb else None
    return Call(f"{kind}.load({text})", run, ("stored.npz",), must_fail)


_TABLE = "x0,x1,y\n" + "\n".join(
    f"{a:.4f},{b:.4f},{a + 0.3 * c:.4f}"
    for a, b, c in np.random.default_rng(5).normal(size=(40, 3))
)
_CSVS: dict[str, str | bytes] = {
    "plain": _TABLE,
    "empty": "",
    "blank lines": "\n\n\n",
    "header only": "x0,x1,y\n",
    "one column": "y\n" + "\n".join(str(each % 7) for each in range(40)),
    "byte order mark": "\ufeff" + _TABLE.replace("x0", "y0", 1),
    "mark before the target": "\ufeff" + _TABLE.replace("x0,x1,y", "y,x1,x0", 1),
    "semicolons": _TABLE.replace(",", ";"),
    "decimal commas": _TABLE.replace(",", ";").replace(".", ","),
    "tabs": _TABLE.replace(",", "\t"),
    "repeated header": _TABLE.replace("x0,x1,y", "x0,x0,y", 1),
    "repeated target": _TABLE.replace("x0,x1,y", "x0,y,y", 1),
    "empty header": _TABLE.replace("x0,x1,y", ",,y", 1),
    "ragged": _TABLE + "\n1,2\n1,2,3,4,5",
    "a quote left open": _TABLE + '\n"1,2,3',
    "utf-16": _TABLE.encode("utf-16"),
    "latin": _TABLE.replace("x0", "größe", 1).encode("latin-1"),
    "binary": bytes(range(256)) * 20,
    "null bytes": _TABLE.replace(".", "\0"),
    "formulas": _TABLE.replace("x0,x1", "=1+1,@x", 1),
    "control codes": _TABLE.replace("x0,x1", "\x1b[2Jx,\x07", 1),
    "target of text": _TABLE.replace("\n", "\nz,")[:0] + "x0,x1,y\n" + "1,2,a\n2,1,b\n" * 20,
    "target constant": "x0,x1,y\n" + "1,2,3\n2,1,3\n" * 20,
    "gaps in the target": _TABLE + "\n1,2,",
    "five rows": "\n".join(_TABLE.splitlines()[:6]),
    "infinite": _TABLE + "\ninf,1,2",
    "old line ends": _TABLE.replace("\n", "\r"),
}
_OPTIONS: dict[str, tuple[str, ...]] = {
    "--target": ("y", "", "z", "x0", " y", "\x1b[31m"),
    "--model": ("boosting", "", "forest", "Boosting"),
    "--method": ("dropout", "retrain", "", "kernel_flow", "dropuot"),
    "--measure": (
        "r2",
        "",
        "rsme",
        "f1_macro",
        "max_error",
        "auc",
        "neg_mae",
        "pinball(0.9)",
        "pinball(",
        "huber(-1)",
    ),
    "--task": ("auto", "regression", "classification", "", "classify"),
    "--features": ("x0", "", ",", "x0,x0", "x9", "x0,,x1", "0"),
    "--groups": ("GROUPS", "", "none.json", "FOLDER"),
    "--drop": ("x1", "", "x9", "x0,x1", "y", "x1,x1"),
    "--inference": ("split", "", "pairs"),
    "--cv": ("2", "0", "-1", "1", "two", "1.5", "99999999999999999999"),
    "--weights": ("x1", "", "x9", "y"),
    "--row-groups": ("x1", "", "x9"),
    "--time": ("x1", "", "y"),
    "--sep": (";", "", "\\t", "::", "\x07"),
    "--encoding": ("latin-1", "utf-16", "", "klingon"),
    "--parse-dates": ("x0", "", "x9"),
    "--missing-target": ("drop", "", "keep"),
    "--correlated": ("0.9", "2", "x"),
    "--time-limit": ("1e-9", "0", "nan", "x"),
    "--top": ("1", "0", "x"),
    "--select": ("0.1", "0", "2", "x"),
    "--coalitions": ("2", "0", "-1", "x"),
    "--tolerance": ("0.3", "0", "nan", "inf", "-1", "x"),
    "--solver": ("kernel", "exact", "", "fast"),
    "--seed": ("0", "-1", "x", "99999999999999999999999"),
    "--jobs": ("1", "2", "0", "x", "1.5"),
    "--out": ("OUT", "FILE", "", "FILE/below"),
}
_GROUPS = (
    '{"pair": ["x0", "x1"]}',
    "{}",
    "[]",
    "",
    '{"pair": "x0"}',
    '{"pair": [1.5]}',
    '{"pair": null}',
    '{"x1": ["x0"]}',
    "NaN",
    "[" * 100_000,
    '{"pair": ["x0"], "pair": ["x1"]}',
)


def command_line(rng: np.random.Generator, folder: Path) -> Call:
    """Return a run of the command line on an odd file with odd options."""
    if rng.random() < 0.1:
        return _other_command(rng, folder)
    text = "plain" if rng.random() < 0.4 else list(_CSVS)[rng.integers(len(_CSVS))]
    contents = _CSVS[text]
    file = folder / "table.csv"
    file.write_bytes(contents.encode() if isinstance(contents, str) else contents)
    groups = folder / "groups.json"
    groups.write_text(_GROUPS[rng.integers(len(_GROUPS))])
    words = {"GROUPS": str(groups), "FOLDER": str(folder), "FILE": str(file)}
    chosen = {"--target": "y"}
    for name in rng.choice(list(_OPTIONS), size=rng.integers(0, 4), replace=False):
        chosen[str(name)] = str(rng.choice(_OPTIONS[str(name)]))
    arguments = [each for pair in chosen.items() for each in pair]
    if rng.random() < 0.25:
        arguments.append("--shapley")
    shown = " ".join(arguments)
    arguments = [words.get(each, each) for each in arguments]
    arguments = [
        each.replace("FILE/", f"{file}/").replace("OUT", f"{folder}/out") for each in arguments
    ]
    return _invoke(["explain", str(file), *arguments], f"lukewarm explain ({text}) {shown}")


def _other_command(rng: np.random.Generator, folder: Path) -> Call:
    lines = (
        ["explain"],
        ["explain", str(folder), "--target", "y"],
        ["explain", "none.csv", "--target"],
        ["explain", "none.csv", "--nonsense"],
        ["exlpain"],
        ["reproduce", "no such"],
        ["reproduce", "--scale", "huge"],
        ["reproduce", "correlation", "--model", "forest"],
        ["reproduce", "correlation", "--replicates", "0"],
        ["reproduce", "correlation", "--seed", "-1"],
        ["reproduce", "correlation", "--jobs", "0", "--replicates", "1", "--out", str(folder)],
        ["demo", "--seed", "-1"],
        ["demo", "--out", ""],
        ["demo", "--jobs", "x"],
        ["--version"],
    )
    arguments = lines[rng.integers(len(lines))]
    return _invoke(arguments, f"lukewarm {' '.join(arguments)}")


def _invoke(arguments: list[str], text: str) -> Call:
    def run() -> None:
        outcome = CliRunner().invoke(main, arguments)
        if outcome.exception is not None and not isinstance(outcome.exception, SystemExit):
            raise RuntimeError(f"left an exception: {outcome.exception!r}") from outcome.exception
        controls = [each for each in outcome.output if ord(each) < 32 and each != "\n"]
        if controls:
            raise RuntimeError(f"wrote control codes: {controls[:5]!r}")
        if outcome.exit_code == 0:
            return
        *others, last = outcome.output.splitlines()
        is_one_line = last.startswith("Error: ") and not any("Usage:" in line for line in others)
        if outcome.exit_code != 2 or not is_one_line:
            raise RuntimeError(f"exit code {outcome.exit_code}: {outcome.output[-400:]!r}")

    return Call(text, run, ())
