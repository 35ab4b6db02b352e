import json
import zipfile
from contextlib import suppress

import numpy as np
import pytest

import lukewarm as lw


@pytest.fixture
def path(generator, tmp_path):
    x, z = generator.normal(size=(2, 200))
    result = lw.importance_from_predictions(x + z, x + z, {"x": z, "z": x})
    return result.save(tmp_path / "result.npz")


def rewrite(path, change):
    """Save the members of an archive again, changed."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def with_fields(path, **fields):
    def change(members):
        record = {**json.loads(members["record.json"]), **fields}
        members["record.json"] = json.dumps(record).encode()

    rewrite(path, change)


def npy(array, folder):
    np.save(folder / "array.npy", array)
    return (folder / "array.npy").read_bytes()


def test_numpy_reads_the_arrays(path):
    with np.load(path, allow_pickle=False) as stored:
        assert stored["reduced_influence"].shape == (2, 200)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"format": 1}, "it has format 1, this version reads 4"),
        ({"format": None}, "it has format None"),
        ({"kind": "ShapleyResult"}, "a record of kind 'ShapleyResult'"),
        ({"names": ["x"]}, "field 'removed' must be a list of length 1"),
        (
            {"names": ["x"], "removed": [[]]},
            r"array 'reduced_influence' must have shape \(1, 200\)",
        ),
        ({"names": ["x", 3]}, "field 'names' must hold text"),
        ({"reduced_values": [1.0]}, "field 'reduced_values' must be a list of length 2"),
        ({"reduced_values": [1.0, "2"]}, "field 'reduced_values' must hold a number"),
        ({"full_value": float("nan")}, "field 'full_value' must hold a number"),
        ({"level": 1.5}, "field 'level' must hold a number in range"),
        ({"traces_steps": [0, 7]}, "step 7 of traces was kept"),
        ({"traces_steps": [0, -1]}, "field 'traces_steps' must hold integers"),
        ({"traces_lengths": [1, 2]}, "traces_losses has 2 losses, not 3"),
        ({"traces_counts": [1, 0]}, "traces has not as many runs as its counts say"),
        ({"traces_counts": [1, 10**12]}, "traces has not as many runs as its counts say"),
        ({"measure": None}, "field 'measure' must hold text"),
    ],
)
def test_a_field_that_is_wrong_is_named_with_the_path(path, fields, message):
    with_fields(path, **fields)
    with pytest.raises(ValueError, match=f"result.npz' is not a saved.*{message}"):
        lw.ImportanceResult.load(path)


def test_an_unknown_array_is_refused_unread(path, tmp_path):
    rewrite(path, lambda members: members.update({"more.npy": npy(np.ones(3), tmp_path)}))
    with pytest.raises(ValueError, match=r"unknown \['more.npy'\]"):
        lw.ImportanceResult.load(path)


def test_a_file_that_would_fill_the_memory_is_refused_before_it_is_unpacked(
    path, tmp_path, monkeypatch
):
    zeros = np.zeros(10_000_000)
    rewrite(path, lambda members: members.update({"traces_losses.npy": npy(zeros, tmp_path)}))
    assert path.stat().st_size < 200_000
    monkeypatch.setattr(zipfile.ZipFile, "open", lambda *_, **__: pytest.fail("unpacked"))
    with pytest.raises(ValueError, match="bytes would unpack to 80"):
        lw.ImportanceResult.load(path)


def test_an_array_shorter_than_its_header_says_is_refused(path, tmp_path):
    header = npy(np.ones(10**6), tmp_path)[:128]
    rewrite(path, lambda members: members.update({"traces_losses.npy": header}))
    with pytest.raises(ValueError, match="is not as long as it says"):
        lw.ImportanceResult.load(path)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 0.999])
def test_a_file_that_was_cut_short_is_refused(path, share):
    contents = path.read_bytes()
    path.write_bytes(contents[: int(share * len(contents))])
    with pytest.raises(ValueError, match=r"result.npz' is not a saved"):
        lw.ImportanceResult.load(path)


def test_no_flipped_bit_is_read_as_a_result_of_other_numbers(path, generator):
    contents, whole = path.read_bytes(), lw.ImportanceResult.load(path).to_frame()
    for place in generator.integers(len(contents), size=200):
        damaged = bytearray(contents)
        damaged[place] ^= 1 << int(generator.integers(8))
        path.write_bytes(bytes(damaged))
        # Some bits carry no number: the dates in the archive, for example.
        with suppress(ValueError):
            assert lw.ImportanceResult.load(path).to_frame().equals(whole)
