import pytest

from lukewarm.data import FeatureIndex, as_feature_sets

INDEX = FeatureIndex(("AT", "AP", "AH", "CDP"))


def test_every_column_is_a_set_of_its_own_by_default():
    assert as_feature_sets(INDEX) == {"AT": (0,), "AP": (1,), "AH": (2,), "CDP": (3,)}


def test_columns_may_be_named_or_numbered_and_sets_are_sorted():
    assert as_feature_sets(INDEX, features=[("CDP", 0), -1]) == {"AT + CDP": (0, 3), "CDP": (3,)}


def test_features_may_name_a_group():
    sets = as_feature_sets(INDEX, features=["ambient"], groups={"ambient": ["AT", "AP"]})
    assert sets == {"ambient": (0, 1)}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"groups": {"ambient": ["AT", "humidity"]}}, r"groups\['ambient'\].*'humidity'.*X has"),
        ({"groups": {"a": ["AT"], "b": ["AT", "AP"]}}, "disjoint.*'AT'"),
        ({"groups": {"a": []}}, r"groups\['a'\] is empty"),
        ({"groups": {"AT": ["AP", "AH"]}}, "name of a column"),
        ({"features": []}, "features is empty"),
        ({"features": [7]}, "column 7, but X has 4 columns"),
        ({"features": [("AT", "AT")]}, "names a column twice"),
        ({"features": ["AT", ["AT"]]}, r"features\[1\] is 'AT' again"),
        ({"features": ["g", "g"], "groups": {"g": ["AT"]}}, r"features\[1\] is 'g' again"),
        (
            {"features": ["AT + AP", ("AT", "AP")], "groups": {"AT + AP": ["AH"]}},
            r"features\[1\] is 'AT \+ AP' again",
        ),
        ({"groups": {1: ["AT"], "1": ["AP"]}}, "names that differ as text"),
    ],
)
def test_sets_that_make_no_sense_are_refused_by_name(arguments, message):
    with pytest.raises(ValueError, match=message):
        as_feature_sets(INDEX, **arguments)


@pytest.mark.parametrize("groups", [["AT"], "AT"])
def test_groups_must_be_a_mapping(groups):
    with pytest.raises(TypeError, match="groups must map"):
        as_feature_sets(INDEX, groups=groups)
