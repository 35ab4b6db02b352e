import pytest

from lukewarm.parallel import read_records, run_resumable

JOBS = [{"x": number} for number in range(4)]


def square(job):
    return {"square": job["x"] ** 2}


def test_records_hold_settings_and_outcome_in_the_order_of_the_jobs(tmp_path):
    records = run_resumable(square, JOBS, tmp_path / "new" / "run.jsonl", n_jobs=2)
    assert records == [{"x": x, "square": x**2} for x in range(4)]
    assert read_records(tmp_path / "new" / "run.jsonl") == records


def test_an_interrupted_run_ends_with_the_file_of_an_uninterrupted_one(tmp_path):
    whole, broken = tmp_path / "whole.jsonl", tmp_path / "broken.jsonl"
    run_resumable(square, JOBS, whole)

    def interrupted(job):
        if job["x"] == 2:
            raise KeyboardInterrupt
        return square(job)

    with pytest.raises(KeyboardInterrupt):
        run_resumable(interrupted, JOBS, broken)
    assert len(read_records(broken)) == 2
    run_resumable(square, JOBS, broken)
    assert broken.read_bytes() == whole.read_bytes()


def test_a_line_cut_short_by_a_kill_is_run_again(tmp_path):
    whole, broken = tmp_path / "whole.jsonl", tmp_path / "broken.jsonl"
    run_resumable(square, JOBS, whole)
    broken.write_bytes(whole.read_bytes()[:-5])
    run_resumable(square, JOBS, broken)
    assert broken.read_bytes() == whole.read_bytes()


def test_jobs_that_are_done_are_not_run_again(tmp_path):
    path = tmp_path / "run.jsonl"
    run_resumable(square, JOBS, path)
    records = run_resumable(lambda job: pytest.fail("ran again"), JOBS[:2], path)
    assert records == [{"x": 0, "square": 0}, {"x": 1, "square": 1}]


def test_a_corrupt_line_is_named(tmp_path):
    path = tmp_path / "run.jsonl"
    path.write_text('{"x": 0, "square": 0}\n{"x": 1, "squ\n')
    with pytest.raises(ValueError, match=r"line 2 of .*run\.jsonl.* is not JSON"):
        run_resumable(square, JOBS, path)


def test_the_file_of_another_run_is_refused(tmp_path):
    path = tmp_path / "run.jsonl"
    path.write_text('{"y": 0}\n')
    with pytest.raises(ValueError, match=r"line 1 .* another run: it lacks \['x'\]"):
        run_resumable(square, JOBS, path)
