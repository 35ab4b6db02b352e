import os
import subprocess
import sys
import textwrap
import threading
import time

import pytest

from lukewarm import _files
from lukewarm._files import locked_folder, replacing, replacing_report, write_text


def write_report(folder, names):
    with replacing_report(folder, "explain") as staged:
        for name in names:
            write_text(staged / name, "text")


def shown(folder):
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))


def test_contents_reach_the_disk_before_the_name(tmp_path, monkeypatch):
    events = []
    fsync, replace = os.fsync, os.replace

    def noted(file):
        # Stores of other tests may still bring files to the disk in threads of their own.
        if threading.current_thread() is threading.main_thread():
            events.append("fsync")
        fsync(file)

    monkeypatch.setattr(os, "fsync", noted)
    monkeypatch.setattr(
        "pathlib.Path.replace", lambda old, new: (events.append("rename"), replace(old, new))
    )
    write_text(tmp_path / "table.csv", "a")
    assert events[:2] == ["fsync", "rename"]


def test_parts_that_a_killed_run_left_are_cleared_once_they_are_old(tmp_path):
    old, new = (tmp_path / f".lukewarm-{name}.part.csv" for name in ("old", "new"))
    for part in (old, new):
        part.write_text("half")
    os.utime(old, (0, 0))
    write_text(tmp_path / "table.csv", "a")
    assert not old.exists()
    assert new.exists()


def test_a_failed_write_leaves_nothing(tmp_path):
    def fail():
        with replacing(tmp_path / "table.csv") as temporary:
            temporary.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_has_one_writer_at_a_time(tmp_path):
    with (
        locked_folder(tmp_path),
        pytest.raises(OSError, match="another run is writing to"),
        locked_folder(tmp_path),
    ):
        pass
    with locked_folder(tmp_path):
        pass


def test_the_lock_ends_with_its_process(tmp_path):
    code = f"""
        import os
        from lukewarm._files import locked_folder
        with locked_folder({str(tmp_path)!r}):
            os._exit(9)
    """
    killed = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=False)
    assert killed.returncode == 9
    with locked_folder(tmp_path):
        pass


def test_a_report_that_fails_leaves_the_last_one(tmp_path):
    write_report(tmp_path, ["a.csv", "b.csv"])
    with pytest.raises(FileNotFoundError):
        write_report(tmp_path, ["c.csv", "no such folder/d.csv"])
    assert shown(tmp_path) == ["a.csv", "b.csv"]


def test_only_the_files_of_the_last_report_go(tmp_path):
    (tmp_path / "mine.csv").write_text("mine")
    write_report(tmp_path, ["a.csv", "b.csv"])
    write_report(tmp_path, ["b.csv", "c.csv"])
    assert shown(tmp_path) == ["b.csv", "c.csv", "mine.csv"]


def test_a_list_of_files_does_not_lead_out_of_the_folder(tmp_path):
    outside = tmp_path / "outside.csv"
    outside.write_text("mine")
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / ".lukewarm-explain.json").write_text('["../outside.csv", 3]')
    write_report(folder, ["a.csv"])
    assert outside.exists()


@pytest.mark.parametrize("n_calls", range(12))
def test_a_run_killed_at_any_point_leaves_no_two_runs_side_by_side(tmp_path, monkeypatch, n_calls):
    write_report(tmp_path, ["old_1.csv", "old_2.csv"])
    left = [n_calls]

    class KilledError(BaseException):
        pass

    def dying(function):
        def call(*arguments, **options):
            if left[0] == 0:
                raise KilledError
            left[0] -= 1
            return function(*arguments, **options)

        return call

    monkeypatch.setattr("pathlib.Path.unlink", dying(_files.Path.unlink))
    monkeypatch.setattr("pathlib.Path.replace", dying(_files.Path.replace))
    try:
        write_report(tmp_path, ["new_1.csv", "new_2.csv"])
    except KilledError:
        runs = {name.partition("_")[0] for name in shown(tmp_path)}
        assert len(runs) <= 1
    monkeypatch.undo()
    write_report(tmp_path, ["last_1.csv"])
    assert shown(tmp_path) == ["last_1.csv"]


def test_threads_that_write_at_once_leave_the_mask_of_new_files_alone(tmp_path, monkeypatch):
    original = os.umask

    def slow(mask):
        before = original(mask)
        time.sleep(0.05)  # so that the other thread comes in between
        return before

    mask = original(0o027)
    try:
        monkeypatch.setattr(os, "umask", slow)
        threads = [
            threading.Thread(target=write_text, args=(tmp_path / name, "text")) for name in "ab"
        ]
        for thread in threads:
            thread.start()
            time.sleep(0.02)
        for thread in threads:
            thread.join()
        assert original(0o027) == 0o027
    finally:
        original(mask)
