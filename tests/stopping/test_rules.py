import math

import pytest

from lukewarm.stopping import FixedSteps, Patience, StoppingRule


@pytest.mark.parametrize("rule", [Patience(3), FixedSteps(3)])
def test_rules_follow_the_protocol(rule):
    assert isinstance(rule, StoppingRule)


def test_patience_counts_the_steps_since_the_best():
    losses = [5.0, 3.0, 4.0, 3.5, 3.2]
    assert not Patience(4).should_stop(losses)
    assert Patience(3).should_stop(losses)
    assert Patience(3).best_step(losses) == 1


def test_no_step_at_all_can_be_best():
    assert Patience(2).best_step([1.0, 2.0, 3.0]) == 0
    assert Patience(2).should_stop([1.0, 2.0, 3.0])


def test_a_tie_is_no_improvement():
    assert Patience(1).best_step([1.0, 1.0]) == 0


def test_an_improvement_falls_by_more_than_min_delta():
    losses = [1.0, 0.95, 0.89, 0.80]
    assert Patience(9, min_delta=0.1).best_step(losses) == 2
    assert Patience(9).best_step(losses) == 3


@pytest.mark.parametrize("rule", [Patience(5), Patience(5, min_delta=0.1), FixedSteps(9)])
def test_nan_stops(rule):
    assert rule.should_stop([1.0, math.nan])


@pytest.mark.parametrize("rule", [Patience(5), Patience(5, min_delta=0.1)])
def test_nan_is_never_best(rule):
    assert rule.best_step([1.0, 0.5, math.nan]) == 1


def test_fixed_steps_keeps_the_last():
    assert FixedSteps(2).best_step([1.0, 3.0, 2.0]) == 2
    assert FixedSteps(0).should_stop([1.0])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Patience(0), "patience must be at least 1; got 0"),
        (lambda: Patience(3, min_delta=-1.0), "min_delta must be at least 0"),
        (lambda: FixedSteps(-1), "n_steps must be at least 0"),
    ],
)
def test_rules_refuse_settings_without_a_meaning(make, message):
    with pytest.raises(ValueError, match=message):
        make()
