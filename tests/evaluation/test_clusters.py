from dataclasses import replace

import numpy as np
import pytest

import lukewarm as lw
from lukewarm.evaluation import (
    EvaluationPlan,
    EvaluationPredictions,
    ScoredRows,
    clustered_score,
)
from lukewarm.measures import NegMSE


def patients(generator, n_groups=50, n_each=20):
    """A feature and noise that the rows of a group share; the true importance of x is 1."""
    groups = np.repeat(np.arange(n_groups), n_each)
    x = generator.choice([-1.0, 1.0], n_groups)[groups]
    noise = generator.normal(size=n_groups)[groups] + generator.normal(size=len(groups))
    return x, x + noise, groups


def test_clustered_intervals_cover_where_those_of_rows_do_not():
    # The squared errors differ by 1 + 2 x noise, of which half the variance is the group's. Rows of
    # 20 then count like two, and intervals of rows cover in 0.45. With 50 groups and 1.96 standard
    # errors, 0.944 of Student's law is covered; 800 samples tell it to 0.008.
    generator = np.random.default_rng(0)
    covered = {"groups": 0, "rows": 0}
    for _ in range(800):
        x, y, groups = patients(generator)
        plan = EvaluationPlan.paired(np.zeros(len(x)))
        plain = EvaluationPredictions(y, x, (np.zeros(len(x)),), plan)
        for name, each in (("rows", plain), ("groups", replace(plain, clusters=groups))):
            full, (reduced,) = each.skills(NegMSE())
            low, high = (full - reduced).interval()
            covered[name] += int(low <= 1 <= high)
    assert 0.93 <= covered["groups"] / 800 <= 0.97
    assert covered["rows"] / 800 < 0.6


@pytest.mark.parametrize("measure", ["neg_mse", "r2", "accuracy", "auc"])
@pytest.mark.parametrize("inference", ["paired", "split"])
def test_a_row_in_a_group_of_its_own_counts_as_a_row(generator, measure, inference):
    y = generator.normal(size=60)
    full, reduced = y + generator.normal(size=60), generator.normal(size=60)
    if measure in ("accuracy", "auc"):
        y, full, reduced = (y > 0), 1 / (1 + np.exp(-full)), 1 / (1 + np.exp(-reduced))
    options = {"measure": measure, "inference": inference, "folds": np.arange(60) % 2}
    plain = lw.importance_from_predictions(y, full, reduced, **options)
    grouped = lw.importance_from_predictions(y, full, reduced, groups=np.arange(60), **options)
    if inference == "split":  # other halves
        assert grouped.standard_error[0] == pytest.approx(plain.standard_error[0], rel=0.5)
    else:
        np.testing.assert_array_equal(plain.influence, grouped.influence)


def test_rows_that_are_there_twice_add_nothing(generator):
    y, full, reduced = generator.normal(size=(3, 50))
    once = lw.importance_from_predictions(y, full, reduced)
    twice = lw.importance_from_predictions(
        np.r_[y, y], np.r_[full, full], np.r_[reduced, reduced], groups=np.tile(np.arange(50), 2)
    )
    np.testing.assert_allclose(twice.influence, once.influence, atol=1e-12)
    assert twice.standard_error[0] == pytest.approx(once.standard_error[0])
    assert "100 rows in 50 groups" in repr(twice)


def test_contrasts_and_simultaneous_intervals_know_the_groups(generator):
    x, y, groups = patients(generator)
    reduced = {"x": np.zeros(len(x)), "half": x / 2}
    by_row, by_group = (
        lw.importance_from_predictions(y, x, reduced, groups=each) for each in (None, groups)
    )
    assert by_group.difference("x", "half").standard_error > 2 * (
        by_row.difference("x", "half").standard_error
    )
    lengths = [np.diff(each.simultaneous_interval(), axis=0)[0] for each in (by_row, by_group)]
    assert (lengths[1] > 2 * lengths[0]).all()
    assert by_group.full.standard_error > 2 * by_row.full.standard_error


def test_halves_of_a_split_never_part_a_group(generator):
    groups = generator.integers(0, 12, 90)
    plan = EvaluationPlan.split(np.arange(90) % 1, generator, clusters=groups)
    full, reduced = plan.full_parts[0], plan.reduced_parts[0]
    assert sorted([*full, *reduced]) == list(range(90))
    assert not set(groups[full]) & set(groups[reduced])


def test_the_product_test_keeps_its_level_where_groups_share_noise():
    # What the feature adds and what the model leaves unexplained are both the group's own: 400
    # tests at 5 % reject 20 of them, and between 5 and 38 in all but one in ten thousand runs.
    generator = np.random.default_rng(0)
    rejected = {"groups": 0, "rows": 0}
    groups = np.repeat(np.arange(30), 10)
    for _ in range(400):
        u, b = generator.normal(size=(2, 30))[:, groups]
        y = b + generator.normal(size=300)
        score = ScoredRows(y, np.zeros(300), u).terms.score()
        rejected["rows"] += score.p_value() < 0.05
        rejected["groups"] += clustered_score(score, groups).p_value() < 0.05
    assert 5 <= rejected["groups"] <= 38
    assert rejected["rows"] > 60


def test_segments_count_groups(generator):
    x, y, groups = patients(generator)
    result = lw.importance_from_predictions(y, x, {"x": np.zeros(len(x))}, groups=groups)
    by = result.by(np.where(groups < 20, "few", "many"))
    assert by["few"].influence.shape == (1, 20)
    direct = lw.importance_from_predictions(
        y[groups < 20], x[groups < 20], {"x": np.zeros(400)}, groups=groups[groups < 20]
    )
    assert by["few"].standard_error[0] == pytest.approx(direct.standard_error[0])
    with pytest.raises(ValueError, match="3 groups of rows to evaluate a model on"):
        result.by(np.where(groups < 3, "few", "many"))


@pytest.mark.parametrize(
    ("groups", "error", "message"),
    [
        (np.zeros(20), ValueError, "at least 2 groups in every part"),
        ("patient", TypeError, "got 'patient'. Pass the labels themselves"),
        (np.zeros(19), ValueError, "groups must have one label for each of the 20 rows"),
        ([None, *range(19)], ValueError, "groups must have a label in every row; row 0 has none"),
        ([[1]] * 20, ValueError, "one label for each"),
    ],
)
def test_groups_that_say_nothing_are_refused(groups, error, message):
    y = np.arange(20.0)
    with pytest.raises(error, match=message):
        lw.importance_from_predictions(y, y, y[::-1], groups=groups)


def test_the_error_of_auc_needs_two_groups_of_each_class():
    y, groups = np.r_[np.ones(4), np.zeros(16)], np.r_[np.zeros(4), np.arange(16)]
    with pytest.raises(ValueError, match="at least 2 groups of each class"):
        lw.importance_from_predictions(y, y, 1 - y, "auc", groups=groups)


def test_a_result_of_groups_comes_back_from_its_file(generator, tmp_path):
    x, y, groups = patients(generator)
    result = lw.importance_from_predictions(y, x, {"x": np.zeros(len(x))}, groups=groups)
    loaded = lw.ImportanceResult.load(result.save(tmp_path / "result.npz"))
    assert loaded.to_frame().equals(result.to_frame())
    assert loaded.n_rows == 1000
    np.testing.assert_array_equal(loaded.clusters, groups)
