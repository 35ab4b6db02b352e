import errno
import json
import os
import pickle
import threading
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

from lukewarm.exceptions import ClaimedElsewhere, StoreWarning
from lukewarm.store import Entry, Manifest, Store, _claims, _folder, _journal

IDENTITY = {
    "y": "ab",
    "patience": 5,
    "columns": [["a", "1"], ["b", "2"]],
    "versions": {"numpy": "2"},
}


def opened(folder, identity=IDENTITY):
    return Store.opened(folder, identity, seed=7)


def entry(number=1.0):
    return Entry({"seconds": number}, {"prediction": np.full(3, number)})


def filled(folder, n_jobs=3):
    store = opened(folder)
    for number in range(n_jobs):
        store.write(["job", number], entry(number))
    return store


def known(folder, n_jobs=3):
    store = opened(folder)
    return [number for number in range(n_jobs) if store.read(["job", number]) is not None]


def test_what_is_written_is_read_by_the_next_to_the_bit(tmp_path):
    values = np.array([0.1, np.nan, -0.0, np.inf])
    opened(tmp_path / "run").write(["job", 1], Entry({"seconds": 0.1}, {"values": values}))
    found = opened(tmp_path / "run").read(["job", 1])
    assert found.record == {"seconds": 0.1}
    assert found.arrays["values"].tobytes() == values.tobytes()
    assert opened(tmp_path / "run").read(["job", 2]) is None


def test_a_job_is_computed_once(tmp_path):
    store, again = filled(tmp_path), opened(tmp_path)
    assert store.kept(["new"], entry)[1]
    found, is_kept = again.kept(["new"], lambda: pytest.fail("computed again"))
    assert is_kept
    assert found.arrays["prediction"][0] == 1.0
    assert len(again) == 4


def test_nothing_is_ever_pickled(tmp_path):
    with pytest.raises(ValueError, match="allow_pickle"):
        opened(tmp_path).write(["job"], Entry({}, {"values": np.array([object()])}))


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"patience": 6}, r"patience=5 \(here: 6\)"),
        ({"y": "a" * 32}, "another y"),
        ({"columns": [["a", "1"], ["b", "3"]]}, "other values of X in 'b'"),
        ({"columns": [["b", "2"], ["a", "1"]]}, "another order of the columns of X"),
        ({"columns": [["a", "1"]]}, "other columns of X, with 'b';"),
        (
            {"columns": [["a", "1"], ["d", "2"]]},
            "other columns of X, with 'b' and without 'd';",
        ),
        ({"versions": {"numpy": "3"}}, r"numpy 2 \(here: 3\)"),
        ({"new": True}, r"new=None \(here: True\)"),
    ],
)
def test_what_differs_is_named(tmp_path, changed, words):
    opened(tmp_path)
    with pytest.raises(ValueError, match=words):
        opened(tmp_path, {**IDENTITY, **changed})


def test_the_parameter_of_a_model_that_differs_is_named(tmp_path):
    def with_alpha(alpha):
        return {"model": {"class": "Ridge", "params": {"alpha": alpha, "tol": 1}}}

    opened(tmp_path, with_alpha(1.0))
    with pytest.raises(ValueError, match=r"with model\.alpha=1\.0 \(here: 2\.0\);"):
        opened(tmp_path, with_alpha(2.0))
    with pytest.raises(ValueError, match=r"with model=Ridge \(here: Lasso\);"):
        opened(tmp_path, {"model": {"class": "linear.Lasso", "params": {}}})
    with pytest.raises(ValueError, match=r"with model=Ridge \(here: 'auto'\);"):
        opened(tmp_path, {"model": "auto"})
    with pytest.raises(ValueError, match="with another model;"):
        opened(tmp_path, {"model": {"class": "other.Ridge", "params": {}}})


def test_the_first_to_come_decides_on_the_seed(tmp_path):
    seeds = [Store.opened(tmp_path, IDENTITY, seed=seed).manifest.seed for seed in (3, 4)]
    assert seeds == [3, 3]
    assert Manifest(IDENTITY, 5).write_first(tmp_path).seed == 3


def test_a_folder_of_something_else_is_refused(tmp_path):
    (tmp_path / "photo.png").touch()
    with pytest.raises(ValueError, match=r"something else, such as 'photo\.png'"):
        opened(tmp_path)
    with pytest.raises(ValueError, match="must be a folder"):
        opened(tmp_path / "photo.png")


def test_a_store_of_another_format_or_none_is_refused(tmp_path):
    opened(tmp_path)
    path = tmp_path / "store.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "format": 99}))
    with pytest.raises(ValueError, match="format 99, this version reads 4"):
        opened(tmp_path)
    path.write_text("{")
    with pytest.raises(ValueError, match="not that of a store"):
        opened(tmp_path)


@pytest.mark.filterwarnings("error")
def test_a_line_cut_short_by_a_kill_is_no_finished_job(tmp_path):
    filled(tmp_path)
    (journal,) = (tmp_path / "journal").iterdir()
    journal.write_bytes(journal.read_bytes()[:-5])
    assert known(tmp_path) == [0, 1]


def test_a_line_with_a_flipped_bit_is_reported_and_its_job_is_not_finished(tmp_path):
    filled(tmp_path)
    (journal,) = (tmp_path / "journal").iterdir()
    lines = journal.read_bytes().splitlines(keepends=True)
    flipped = bytearray(lines[1])
    flipped[flipped.index(b"seconds") + 11] ^= 1
    journal.write_bytes(b"".join([lines[0], bytes(flipped), lines[2]]))
    with pytest.warns(StoreWarning, match="1 damaged line"):
        assert known(tmp_path) == [0, 2]


def test_arrays_with_a_flipped_bit_are_reported_and_computed_again(tmp_path):
    store = filled(tmp_path)
    path = store._path(store._key(["job", 1]))
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))
    with pytest.warns(StoreWarning, match="damaged job, which is run again"):
        found, is_kept = opened(tmp_path).kept(["job", 1], lambda: entry(9.0))
    assert is_kept
    assert found.arrays["prediction"][0] == 9.0
    assert known(tmp_path) == [0, 1, 2]


@pytest.mark.parametrize("name", ["0.jsonl", "z.jsonl"])
def test_a_job_that_was_run_again_counts_whichever_journal_is_read_last(tmp_path, name):
    store = filled(tmp_path)
    (journal,) = (tmp_path / "journal").iterdir()
    path = store._path(store._key(["job", 1]))
    path.write_bytes(path.read_bytes()[:-1] + b"!")
    with pytest.warns(StoreWarning, match="damaged job"):
        opened(tmp_path).kept(["job", 1], lambda: entry(9.0))
    journal.rename(journal.with_name(name))
    assert known(tmp_path) == [0, 1, 2]


def test_arrays_that_are_gone_are_computed_again(tmp_path):
    store = filled(tmp_path)
    store._path(store._key(["job", 1])).unlink()
    with pytest.warns(StoreWarning, match="damaged job"):
        assert known(tmp_path) == [0, 2]


def test_a_full_disk_stops_nobody_and_is_told_once(tmp_path, monkeypatch):
    store = filled(tmp_path, 1)

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", full)
        with pytest.warns(StoreWarning, match=r"No space left .* not kept") as told:
            outcomes = [store.kept(["job", number], entry) for number in (1, 2)]
    assert len(told) == 1
    assert [is_kept for _, is_kept in outcomes] == [False, False]
    assert known(tmp_path) == [0]
    assert store.kept(["job", 1], entry)[1]  # there is room again
    assert known(tmp_path) == [0, 1]


def test_half_a_line_on_a_full_disk_spoils_no_later_line(tmp_path, monkeypatch):
    store = filled(tmp_path, 1)

    def half(file, data):
        file.write(data[: len(data) // 2])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(_journal, "_write_all", half)
        with pytest.warns(StoreWarning):
            assert not store.write(["job", 1], entry())
    store.write(["job", 2], entry())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert known(tmp_path) == [0, 2]


def test_a_disk_that_fails_after_the_writing_is_told(tmp_path, monkeypatch):
    store = filled(tmp_path, 1)

    def broken(_):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    store._flushing.wait()
    monkeypatch.setattr(os, "fsync", broken)
    assert store.write(["job", 1], entry())
    store._flushing.wait()
    with pytest.warns(StoreWarning, match="may lose jobs if the machine stops"):
        assert store.write(["job", 2], entry())


def test_everything_written_is_brought_to_the_disk(tmp_path, monkeypatch):
    flushed = []
    original = os.open

    def noted(path, *more, **others):
        flushed.append(str(path))
        return original(path, *more, **others)

    monkeypatch.setattr(os, "open", noted)
    store = filled(tmp_path, 2)
    store._flushing.wait()
    written = [*tmp_path.rglob("*.npz"), *tmp_path.rglob("*.jsonl")]
    assert len(written) == 3
    assert {str(path) for path in written} <= set(flushed)
    assert str(tmp_path / "journal") in flushed


def test_a_new_store_where_nothing_can_be_written_is_refused_by_name(tmp_path, monkeypatch):
    def refused(*_, **__):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(Manifest, "write_first", refused)
    with pytest.raises(PermissionError, match=r"run' cannot be made \(Permission denied\); name"):
        opened(tmp_path / "run")


def test_a_folder_that_cannot_be_written_to_is_still_read(tmp_path, monkeypatch):
    filled(tmp_path, 1)

    def refused(*_, **__):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(_folder, "replacing", refused)
    monkeypatch.setattr(_claims.Claims, "_create", refused)
    store = opened(tmp_path)
    assert store.kept(["job", 0], lambda: pytest.fail("computed again"))[1]
    with pytest.warns(StoreWarning, match="Permission denied"):
        assert not store.kept(["job", 1], entry)[1]


def test_a_job_of_a_process_at_work_is_left_to_it(tmp_path):
    one, other = opened(tmp_path), opened(tmp_path)

    def compute():
        with pytest.raises(ClaimedElsewhere):
            other.kept(["job"], lambda: pytest.fail("computed twice"))
        return entry()

    one.kept(["job"], compute)
    assert other.kept(["job"], lambda: pytest.fail("computed twice"))[1]
    assert list((tmp_path / "claims").iterdir()) == []


def claim_of(folder, **owner):
    store = opened(folder)
    path = folder / "claims" / store._key(["job"])
    path.parent.mkdir()
    path.write_text(json.dumps(owner))
    return store, path


def test_the_claim_of_a_process_that_is_gone_is_taken_over(tmp_path):
    import socket
    import subprocess
    import sys

    gone = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"],
        capture_output=True,
        text=True,
        check=True,
    )
    store, _ = claim_of(tmp_path, host=socket.gethostname(), pid=int(gone.stdout))
    assert store.kept(["job"], entry)[1]


def test_the_claim_of_another_machine_is_taken_over_when_its_heart_stops(tmp_path):
    store, path = claim_of(tmp_path, host="elsewhere", pid=1)
    with pytest.raises(ClaimedElsewhere):
        store.kept(["job"], entry)
    long_ago = time.time() - 2 * _claims._STALE_SECONDS
    os.utime(path, (long_ago, long_ago))
    assert store.kept(["job"], entry)[1]


def test_a_claim_that_was_never_finished_goes_stale(tmp_path):
    store, path = claim_of(tmp_path)
    path.write_text("")
    with pytest.raises(ClaimedElsewhere):
        store.kept(["job"], entry)
    os.utime(path, (0, 0))
    assert store.kept(["job"], entry)[1]


def test_the_heart_of_a_claim_beats_while_the_job_lasts(tmp_path, monkeypatch):
    monkeypatch.setattr(_claims, "_HEARTBEAT_SECONDS", 0.02)
    store = opened(tmp_path)

    def compute():
        (path,) = (tmp_path / "claims").iterdir()
        os.utime(path, (0, 0))
        end = time.monotonic() + 20
        while path.stat().st_mtime == 0 and time.monotonic() < end:
            time.sleep(0.01)
        return Entry({"is_alive": path.stat().st_mtime > 0})

    assert store.kept(["job"], compute)[0].record["is_alive"]


def test_threads_may_share_a_store(tmp_path):
    store = opened(tmp_path)
    threads = [
        threading.Thread(target=store.write, args=(["job", number], entry(number)))
        for number in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert known(tmp_path, 20) == list(range(20))


def test_a_store_sent_to_another_process_goes_on_with_the_same_folder(tmp_path):
    store = filled(tmp_path)
    sent = pickle.loads(pickle.dumps(store))
    assert sent.read(["job", 2]).record == {"seconds": 2}
    sent.write(["job", 3], entry())
    assert ["job", 3] in store


def test_a_machine_that_does_not_see_the_folder_computes_and_says_that_it_kept_nothing(tmp_path):
    store = filled(tmp_path / "here")
    sent = Store(tmp_path / "there", store.manifest)
    found, is_kept = sent.kept(["job", 0], lambda: entry(5.0))
    assert not is_kept
    assert found.record == {"seconds": 5.0}
    assert not (tmp_path / "there").exists()
