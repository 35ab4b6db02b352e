import numpy as np
import pandas as pd
import pytest

from lukewarm.data import FeatureIndex, as_groups, as_table


def groups_of(frame, groups="auto"):
    table, names = as_table(frame)
    return as_groups(groups, table, FeatureIndex(names))


@pytest.fixture(name="towns")
def _towns(generator):
    return pd.Series(generator.choice(["new_york", "new_delhi", "oslo"], size=60))


def test_dummies_are_one_feature(towns):
    frame = pd.get_dummies(pd.DataFrame({"town": towns}))
    frame["age"] = np.arange(60.0)
    assert groups_of(frame) == {"town": ["town_new_delhi", "town_new_york", "town_oslo"]}


def test_dummies_without_their_first_level_are_one_feature(towns):
    frame = pd.get_dummies(pd.DataFrame({"town": towns}), drop_first=True)
    assert groups_of(frame) == {"town": ["town_new_york", "town_oslo"]}


def test_two_codings_under_one_prefix_stay_apart(towns, generator):
    size = pd.Series(generator.choice(["s", "m"], size=60))
    frame = pd.get_dummies(pd.DataFrame({"home_town": towns, "home_size": size}))
    assert set(groups_of(frame)) == {"home_town", "home_size"}


def test_the_output_of_a_column_transformer_is_grouped(towns):
    from sklearn.compose import make_column_transformer
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    frame = pd.DataFrame({"town": towns, "age": np.arange(60.0)})
    transformer = make_column_transformer(
        (OneHotEncoder(sparse_output=False), ["town"]), (StandardScaler(), ["age"])
    ).set_output(transform="pandas")
    found = groups_of(transformer.fit_transform(frame))
    assert list(found) == ["onehotencoder__town"]
    assert len(found["onehotencoder__town"]) == 3


def test_flags_that_go_together_and_columns_that_are_not_flags_are_no_group(generator):
    flags = pd.DataFrame(
        {
            "is_a": generator.integers(2, size=60),
            "is_b": generator.integers(2, size=60),
            "size_a": generator.normal(size=60),
            "size_b": generator.normal(size=60),
        }
    )
    assert (flags["is_a"] & flags["is_b"]).any()
    assert groups_of(flags) == {}


def test_correlated_columns_are_clustered_by_rank_and_named_by_their_members(generator):
    x, z = generator.normal(size=(2, 200))
    frame = pd.DataFrame({"x": x, "z": z, "growth": np.exp(3 * x), "minus": -x + 0.01 * z})
    assert abs(np.corrcoef(frame["x"], frame["growth"])[0, 1]) < 0.8
    assert groups_of(frame, {"correlation": 0.9}) == {
        "x + growth + minus": ["x", "growth", "minus"]
    }


def test_every_pair_of_a_cluster_reaches_the_threshold(generator):
    walk = np.cumsum(generator.normal(size=(300, 12)), axis=1)
    frame = pd.DataFrame(walk, columns=[f"step {number}" for number in range(12)])
    correlation = frame.corr(method="spearman").abs()
    clusters = groups_of(frame, {"correlation": 0.85})
    assert clusters
    for members in clusters.values():
        assert correlation.loc[members, members].to_numpy().min() >= 0.85


def test_constant_text_and_gappy_columns_do_not_disturb_the_clusters(generator):
    x = generator.normal(size=60)
    frame = pd.DataFrame(
        {"x": x, "twin": x, "still": 1.0, "empty": np.nan, "word": ["u", "v"] * 30}
    )
    frame.loc[::10, "twin"] = np.nan
    assert list(groups_of(frame, {"correlation": 0.8})) == ["x + twin"]


def test_a_group_named_correlation_is_still_a_group():
    frame = pd.DataFrame(np.zeros((20, 2)), columns=["a", "b"])
    assert groups_of(frame, {"correlation": ["a", "b"]}) == {"correlation": ["a", "b"]}


@pytest.mark.parametrize("groups", ["onehot", {"correlation": 1.5}, {"correlation": 0}])
def test_what_is_no_way_to_group_is_refused(groups):
    with pytest.raises(ValueError, match="groups"):
        groups_of(pd.DataFrame(np.zeros((20, 2))), groups)


def test_columns_too_many_to_compare_all_pairs_are_refused():
    X = np.zeros((20, 5_001))
    with pytest.raises(ValueError, match="X has 5001 numeric ones, and at most 5000"):
        as_groups({"correlation": 0.9}, X, FeatureIndex(tuple(map(str, range(5_001)))))


def test_many_dummies_under_many_prefixes_are_grouped():
    X = np.tile(np.eye(2), (10, 1_000))
    names = tuple(f"gene_{number // 2}_{'ab'[number % 2]}" for number in range(2_000))
    groups = as_groups("auto", X, FeatureIndex(names))
    assert len(groups) == 1_000
    assert groups["gene_7"] == ["gene_7_a", "gene_7_b"]
