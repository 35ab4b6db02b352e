import pytest

from lukewarm.experiments._models import paper_model


def test_catboost_draws_splits_as_the_authors_do_unless_told_otherwise():
    pytest.importorskip("catboost")
    literal = paper_model("catboost", "paper", depth=8).model.get_params()
    assert (literal["depth"], literal["random_strength"]) == (8, 10_000)
    assert literal["score_function"] == "L2"
    plain = paper_model("catboost", "paper", is_literal=False).model.get_params()
    assert "random_strength" not in plain
    assert plain["learning_rate"] == literal["learning_rate"] == 0.1


def test_the_networks_of_both_scales_differ_in_width_and_optimiser():
    pytest.importorskip("torch")
    quick, paper = (paper_model("network", scale) for scale in ("quick", "paper"))
    assert (quick.patience, paper.patience) == (5, 3)
    assert paper.min_delta == 1e-3
    assert (paper.max_steps, paper.max_reduced_steps) == (800, 100)
