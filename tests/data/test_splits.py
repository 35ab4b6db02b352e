import numpy as np
import pytest

from lukewarm.data import split_folds, split_rows


@pytest.mark.parametrize("n_rows", [20, 101, 5000])
@pytest.mark.parametrize("fraction", [0.05, 0.75, 0.95])
def test_every_row_is_in_exactly_one_part_and_no_part_is_empty(n_rows, fraction):
    split = split_rows(n_rows, fraction, np.random.default_rng(0))
    parts = [split.train, split.stopping, split.evaluation]
    assert all(len(part) > 0 for part in parts)
    np.testing.assert_array_equal(np.sort(np.concatenate(parts)), np.arange(n_rows))


def test_three_quarters_twice_give_the_shares_of_the_paper():
    split = split_rows(5000, 0.75, np.random.default_rng(0))
    shares = [len(split.train), len(split.stopping), len(split.evaluation)]
    assert shares == [2812, 938, 1250]


def test_strata_keep_their_share_in_every_part():
    strata = np.r_[np.zeros(900), np.ones(100)]
    split = split_rows(1000, 0.75, np.random.default_rng(0), strata)
    for part in (split.train, split.stopping, split.evaluation):
        # Rows of one class stand evenly along the order, so a part is off by at most one row
        # per boundary.
        assert abs(strata[part].sum() - 0.1 * len(part)) <= 2


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("n_rare", [2, 3, 4, 7])
def test_a_class_of_few_rows_is_in_as_many_parts_as_it_can_be(n_rare, seed):
    strata = np.r_[np.zeros(50), np.ones(n_rare), np.full(n_rare, 2.0)]
    split = split_rows(len(strata), 0.75, np.random.default_rng(seed), strata)
    parts = [split.train, split.evaluation, split.stopping]
    for part in parts[: min(n_rare, 3)]:
        assert set(strata[part]) == {0, 1, 2}
    np.testing.assert_array_equal(np.sort(np.concatenate(parts)), np.arange(len(strata)))


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("n_rare", [5, 6, 7, 9])
def test_a_class_with_a_row_for_every_fold_is_in_every_fold(n_rare, seed):
    strata = np.repeat(np.arange(6.0), [41, *[n_rare] * 5])
    for split in split_folds(len(strata), 5, 0.75, np.random.default_rng(seed), strata):
        for part in (split.evaluation, split.train, split.stopping):
            assert len(set(strata[part])) == 6


def test_the_split_is_random_and_repeatable():
    first, again, other = (
        split_rows(100, 0.75, np.random.default_rng(seed)).train for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("strata", [None, np.r_[np.zeros(90), np.ones(13)]])
def test_every_row_is_in_one_fold_and_never_among_those_its_fold_trains_on(strata):
    splits = split_folds(103, 5, 0.75, np.random.default_rng(0), strata)
    evaluated = np.concatenate([split.evaluation for split in splits])
    np.testing.assert_array_equal(np.sort(evaluated), np.arange(103))
    for split in splits:
        parts = np.concatenate([split.train, split.stopping, split.evaluation])
        np.testing.assert_array_equal(np.sort(parts), np.arange(103))
        if strata is not None:
            assert all(strata[part].any() for part in (split.train, split.stopping))
            assert strata[split.evaluation].sum() in (2, 3)
