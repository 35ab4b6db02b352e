"""How the fields of a result are stored and merged; a result names the kind of each field once.

A field is annotated with its kind::

    names: Annotated[tuple[str, ...], Texts("sets")]

and what is written to a file, read from it and joined by a merge follows from these annotations.
Sizes have names: the first field with a size of that name binds it, the others must agree. Fields
of size "sets" hold one entry per feature set and are laid end to end by a merge; of the others a
merge keeps the first, except where their kind says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain
from typing import Any

import numpy as np

from lukewarm._validation import shown
from lukewarm.results._candidates import Candidate
from lukewarm.results._health import SEVERITIES, Remark
from lukewarm.results._records import ClosedFormTrace, MeasureValue, Missed, TrainingTrace
from lukewarm.results._storage import StoredRecord

Sizes = dict[str, int]


@dataclass
class Contents:
    """What goes into a file: a JSON record and arrays."""

    record: dict[str, Any] = field(default_factory=dict)
    arrays: dict[str, np.ndarray] = field(default_factory=dict)


class FieldKind:
    """How one field is written, read and merged."""

    def write(self, key: str, value: Any, contents: Contents) -> None:
        """Add the value to the contents of a file."""
        contents.record[key] = value

    def read(self, key: str, stored: StoredRecord, sizes: Sizes) -> Any:
        """Return the stored value; a ValueError says what is wrong with it.

        Parameters
        ----------
        key : str
            The name of the field.
        stored : StoredRecord
        sizes : Sizes
            The lengths that fields have in common.
        """
        raise NotImplementedError

    def joined(self, values: Sequence[Any]) -> Any:
        """Return the value of a merged result from those of its parts."""
        return values[0]


class Text(FieldKind):
    """A text, which the parts of a merge must have in common."""

    def read(self, key: str, stored: StoredRecord, sizes: Sizes) -> str:
        """Return the text."""
        return stored.text(key)


@dataclass(frozen=True)
class Number(FieldKind):
    """A finite number inside (above, below)."""

    above: float = -np.inf
    below: float = np.inf

    def read(self, key: str, stored: StoredRecord, sizes: Sizes) -> float:
        """Return the number."""
        return stored.number(key, above=self.above, below=self.below)


@dataclass(frozen=True)
class Sized(FieldKind):
    """A tuple with as many entries as its size says; any number where it has no name."""

    size: str | None = None

    def joined(self, values: Sequence[Any]) -> Any:
        """Return the entries of all parts where there is one per feature set."""
        return tuple(chain.from_iterable(values)) if self.size == "sets" else values[0]

    def _bound(self, entries: tuple[Any, ...], sizes: Sizes) -> tuple[Any, ...]:
        if self.size is not None:
            sizes.setdefault(self.size, len(entries))
        return entries

    def _length(self, sizes: Sizes) -> int | None:
        return None if self.size is None else sizes.get(self.size)


class Texts(Sized):
    """Texts."""

    def read(self, key: str, stored: StoredRecord, sizes: Sizes) -> tuple[str, ...]:
        """Return the texts."""
        return self._bound(stored.texts(key, self._length(sizes)), sizes)


class Numbers(Sized):
    """Finite numbers; their size is bound before."""

    def read(self, key: str, stored: StoredRecord, sizes: Sizes) -> tuple[float, ...]:
        """Return the numbers."""
        return stored.numbers(key, sizes[str(self.size)])


@dataclass(frozen=True)
class IndexSets(Sized):
    """Tuples of indices from 0 on, less than the size called `below` where that has a name."""

    below: str | None = None

    def read(self, key: str, stored: StoredRecord, sizes: Sizes) -> tuple[tuple[int, ...], ...]:
        """Return the tuples."""
        lists = stored.count_lists(key, self._length(sizes))
        if self.below is not None:
            for each in lists:
                if each and max(each) >= sizes[self.below]:
                    raise ValueError(f"{key} hold {each}, beyond the {sizes[self.below]} there are")
        return self._bound(lists, sizes)


@dataclass(frozen=True)
class Array(FieldKind):
    """An array whose dimensions have names.

    Parameters
    ----------
    sizes : tuple of str
    kinds : str
        Kinds of dtype that are read.
    finite : bool
    """

    sizes: tuple[str, ...]
    kinds: str = "f"
    finite: bool = True

    def write(self, key: str, value: Any, contents: Contents) -> None:
        """Add the array."""
        contents.arrays[key] = np.asarray(value)

    def read(self, key: str, stored: StoredRecord, sizes: Sizes) -> np.ndarray:
        """Return the array."""
        shape = tuple(sizes.get(size) for size in self.sizes)
        array = stored.array(key, shape, self.kinds, finite=self.finite)
        for size, length in zip(self.sizes, array.shape, strict=True):
            sizes.setdefault(size, length)
        return array

    def joined(self, values: Sequence[np.ndarray]) -> np.ndarray:
        """Return the rows of all parts where there is one per feature set."""
        return np.concatenate(values) if self.sizes[0] == "sets" else values[0]


class Clusters(FieldKind):
    """The group of each evaluation row, one of as many as there are influence values; or None.

    It binds the size "table_rows": the evaluation rows where the size "rows" counts groups.
    """

    def write(self, key: str, value: Any, contents: Contents) -> None:
        """Add the array, or that there is none."""
        Maybe(Array(("table_rows",), "i")).write(key, value, contents)

    def read(self, key: str, stored: StoredRecord, sizes: Sizes) -> np.ndarray | None:
        """Return the array or None."""
        codes = Maybe(Array(("table_rows",), "i")).read(key, stored, sizes)
        if codes is None:
            sizes["table_rows"] = sizes["rows"]
        elif not np.array_equal(np.unique(codes), np.arange(sizes["rows"])):
            raise ValueError(f"{key} do not number the {sizes['rows']} groups there are")
        return codes


class Value(FieldKind):
    """One MeasureValue over the evaluation rows, the size "rows"."""

    def write(self, key: str, value: MeasureValue, contents: Contents) -> None:
        """Add the value, its shift, its disagreement and its influence values."""
        contents.record |= {f"{key}_value": value.value, f"{key}_shift": value.shift}
        contents.arrays |= {
            f"{key}_influence": value.influence,
            f"{key}_disagreement": value.disagreement,
        }

    def read(self, key: str, stored: StoredRecord, sizes: Sizes) -> MeasureValue:
        """Return the value."""
        influence = Array(("rows",)).read(f"{key}_influence", stored, sizes)
        disagreement = Array((f"folds of {key}",)).read(f"{key}_disagreement", stored, sizes)
        value, shift = (stored.number(f"{key}_{name}") for name in ("value", "shift"))
        return MeasureValue(value, influence, shift, disagreement)


@dataclass(frozen=True)
class Values(Sized):
    """MeasureValues over rows whose number is the size `rows`."""

    rows: str = "rows"

    def write(self, key: str, value: Sequence[MeasureValue], contents: Contents) -> None:
        """Add the values, their shifts, and matrices of disagreements and influence values."""
        contents.record |= {
            f"{key}_values": [each.value for each in value],
            f"{key}_shifts": [each.shift for each in value],
        }
        contents.arrays |= {
            f"{key}_influence": np.stack([each.influence for each in value]),
            f"{key}_disagreements": np.stack([each.disagreement for each in value]),
        }

    def read(self, key: str, stored: StoredRecord, sizes: Sizes) -> tuple[MeasureValue, ...]:
        """Return the values; their influence values are rows of one matrix."""
        influence = Array((str(self.size), self.rows)).read(f"{key}_influence", stored, sizes)
        length = sizes[str(self.size)]
        values, shifts = (stored.numbers(f"{key}_{name}", length) for name in ("values", "shifts"))
        by_fold = Array((str(self.size), f"folds of {key}"))
        disagreements = by_fold.read(f"{key}_disagreements", stored, sizes)
        return tuple(map(MeasureValue, values, influence, shifts, disagreements))


class Traces(FieldKind):
    """Training runs, their losses laid end to end."""

    def write(self, key: str, value: Sequence[TrainingTrace], contents: Contents) -> None:
        """Add steps, lengths and losses."""
        contents.record |= {
            f"{key}_steps": [run.stopped_step for run in value],
            f"{key}_lengths": [len(run.losses) for run in value],
            f"{key}_in_closed_form": [int(isinstance(run, ClosedFormTrace)) for run in value],
        }
        losses = [run.losses for run in value]
        contents.arrays[f"{key}_losses"] = np.concatenate(losses) if losses else np.empty(0)

    def read(self, key: str, stored: StoredRecord, sizes: Sizes) -> tuple[TrainingTrace, ...]:
        """Return the runs."""
        steps = stored.counts(f"{key}_steps")
        lengths = stored.counts(f"{key}_lengths", len(steps))
        in_closed_form = stored.counts(f"{key}_in_closed_form", len(steps))
        # A model that took no step measured no loss: nan.
        losses = stored.array(f"{key}_losses", (None,), finite=False)
        if sum(lengths) != len(losses):
            raise ValueError(f"{key}_losses has {len(losses)} losses, not {sum(lengths)}")
        runs = np.split(losses, np.cumsum(lengths)[:-1]) if lengths else []
        for step, run in zip(steps, runs, strict=True):
            if step >= len(run):
                raise ValueError(f"step {step} of {key} was kept, but it has {len(run)} losses")
        kinds = [ClosedFormTrace if each else TrainingTrace for each in in_closed_form]
        return tuple(kind(run, step) for kind, run, step in zip(kinds, runs, steps, strict=True))


class TraceLists(Sized):
    """The training runs of each feature set."""

    def write(self, key: str, value: Sequence[Sequence[TrainingTrace]], contents: Contents) -> None:
        """Add how many runs each set has, and all of them."""
        contents.record[f"{key}_counts"] = [len(runs) for runs in value]
        Traces().write(key, list(chain.from_iterable(value)), contents)

    def read(
        self, key: str, stored: StoredRecord, sizes: Sizes
    ) -> tuple[tuple[TrainingTrace, ...], ...]:
        """Return the runs of each set."""
        counts = stored.counts(f"{key}_counts", self._length(sizes))
        runs = iter(Traces().read(key, stored, sizes))
        runs_of = tuple(tuple(run for _, run in zip(range(n), runs, strict=False)) for n in counts)
        if [len(each) for each in runs_of] != list(counts) or next(runs, None) is not None:
            raise ValueError(f"{key} has not as many runs as its counts say")
        return runs_of


class Limits(FieldKind):
    """What models may have missed, for each feature set."""

    def write(self, key: str, value: Missed, contents: Contents) -> None:
        """Add quantiles, limits and what may be missed without each set."""
        contents.arrays |= {
            f"{key}_quantiles": value.quantiles,
            f"{key}_limits": value.limits,
            f"{key}_without": value.without,
        }

    def read(self, key: str, stored: StoredRecord, sizes: Sizes) -> Missed:
        """Return what may be missed."""
        quantiles = Array(("quantiles",)).read(f"{key}_quantiles", stored, sizes)
        # Feature sets without a limit have nan.
        shape = ("sets", "quantiles")
        return Missed(
            quantiles,
            Array(shape, finite=False).read(f"{key}_limits", stored, sizes),
            Array(("sets",)).read(f"{key}_without", stored, sizes),
        )

    def joined(self, values: Sequence[Missed]) -> Missed:
        """Return what may be missed of all sets."""
        return Missed(
            values[0].quantiles,
            np.concatenate([each.limits for each in values]),
            np.concatenate([each.without for each in values]),
        )


class Remarks(FieldKind):
    """Remarks; a merge keeps each of them once."""

    def write(self, key: str, value: Iterable[Remark], contents: Contents) -> None:
        """Add the remarks as mappings."""
        contents.record[key] = [asdict(remark) for remark in value]

    def read(self, key: str, stored: StoredRecord, sizes: Sizes) -> tuple[Remark, ...]:
        """Return the remarks, or raise where they are not what a fit writes."""
        fields = ("name", "severity", "feature", "message")
        remarks = tuple(Remark(**each) for each in stored.text_records(key, fields))
        unknown = [each.severity for each in remarks if each.severity not in SEVERITIES]
        if unknown:
            raise ValueError(f"a remark must be one of {SEVERITIES}; it is {shown(unknown[0])}")
        return remarks

    def joined(self, values: Sequence[tuple[Remark, ...]]) -> tuple[Remark, ...]:
        """Return the remarks of all parts."""
        return tuple(dict.fromkeys(chain.from_iterable(values)))


class Candidates(FieldKind):
    """Models that were tried; parts of one fit tried the same."""

    def write(self, key: str, value: Sequence[Candidate], contents: Contents) -> None:
        """Add the names, and the numbers as one array."""
        contents.record[key] = [each.name for each in value]
        numbers = [[each.loss, each.seconds, each.n_rows, each.fold] for each in value]
        contents.arrays[key] = np.array(numbers, dtype=float).reshape(len(value), 4)

    def read(self, key: str, stored: StoredRecord, sizes: Sizes) -> tuple[Candidate, ...]:
        """Return the candidates."""
        names = stored.texts(key)
        numbers = stored.array(key, (len(names), 4)).tolist()
        return tuple(
            Candidate(name, loss, seconds, int(n_rows), int(fold))
            for name, (loss, seconds, n_rows, fold) in zip(names, numbers, strict=True)
        )

    def joined(self, values: Sequence[tuple[Candidate, ...]]) -> tuple[Candidate, ...]:
        """Return those of the first part."""
        return values[0]


class InMemory(FieldKind):
    """What is not written to a file and knows by itself how it is joined; may be None."""

    def write(self, key: str, value: Any, contents: Contents) -> None:
        """Add nothing."""

    def read(self, key: str, stored: StoredRecord, sizes: Sizes) -> None:
        """Return None."""

    def joined(self, values: Sequence[Any]) -> Any:
        """Return None where any part has None."""
        return None if any(each is None for each in values) else values[0].joined(values)


@dataclass(frozen=True)
class Maybe(FieldKind):
    """A field that may be None."""

    kind: FieldKind

    def write(self, key: str, value: Any, contents: Contents) -> None:
        """Add the value, or that there is none."""
        contents.record[f"has_{key}"] = int(value is not None)
        if value is not None:
            self.kind.write(key, value, contents)

    def read(self, key: str, stored: StoredRecord, sizes: Sizes) -> Any:
        """Return the value or None."""
        if stored.number(f"has_{key}") == 0:
            return None
        return self.kind.read(key, stored, sizes)

    def joined(self, values: Sequence[Any]) -> Any:
        """Return None where any part lacks the value."""
        return None if any(each is None for each in values) else self.kind.joined(values)
