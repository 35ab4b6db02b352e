from dataclasses import replace

import numpy as np
import pytest
from matplotlib import pyplot as plt

import lukewarm as lw
from lukewarm.measures import MEASURES
from lukewarm.plotting._style import line_look, loss_label, measure_name

pytestmark = pytest.mark.filterwarnings("ignore::lukewarm.HealthWarning")


@pytest.fixture(scope="module")
def results():
    data = lw.datasets.make_correlated_linear(n_samples=300, random_state=0)
    return {
        method: lw.VariableImportance(
            method=method, random_state=0, model="boosting", inference="paired"
        )
        .fit(data.X, data.y)
        .result_
        for method in ("early_stopping", "dropout", "retrain")
    }


def labels_of(axes):
    return [label.get_text() for label in axes.get_yticklabels()]


def test_bars_stand_in_the_order_of_importance(results):
    result = results["early_stopping"]
    axes = lw.plot_importance(result)
    lengths = [bar.get_width() for bar in axes.patches]
    np.testing.assert_allclose(lengths, np.sort(result.importance)[::-1])
    assert labels_of(axes)[0] == result.names[int(np.argmax(result.importance))]
    assert axes.yaxis_inverted()


def test_intervals_are_drawn_at_the_level_asked_for(results):
    result = results["early_stopping"]
    axes = lw.plot_importance(result, level=0.5)
    drawn = axes.collections[0].get_segments()
    low, high = result.interval(0.5)
    first = int(np.argmax(result.importance))
    np.testing.assert_allclose(drawn[0][:, 0], [low[first], high[first]])


def test_the_most_important_are_shown_when_there_are_many(results):
    assert len(labels_of(lw.plot_importance(results["retrain"], max_features=2))) == 2


def test_a_comparison_has_a_bar_per_method_and_feature_and_marks_the_truth(results):
    truth = dict.fromkeys(results["dropout"].names, 1.0)
    axes = lw.plot_comparison(list(results.values()), truth=truth)
    assert len(axes.patches) == 18
    (legend,) = axes.figure.legends
    assert {text.get_text() for text in legend.get_texts()} == {
        *("early stopping", "dropout", "retraining", "truth")
    }


def test_results_over_other_features_cannot_be_compared(results):
    other = lw.importance_from_predictions(np.arange(4.0), np.arange(4.0), {"Z": np.ones(4)})
    with pytest.raises(ValueError, match="same feature sets; 'given predictions' has"):
        lw.plot_comparison([results["dropout"], other])
    with pytest.raises(ValueError, match="need labels"):
        lw.plot_comparison([results["dropout"], results["dropout"]])


def test_a_trace_marks_the_step_that_was_kept(results):
    result = results["early_stopping"]
    axes = lw.plot_trace(result, ["X1"])
    curve, _ = axes.lines
    trace = result.traces[0][0]
    np.testing.assert_array_equal(curve.get_ydata(), trace.losses - trace.losses[0])
    assert curve.get_markevery() == [trace.stopped_step]


def test_a_method_without_steps_has_no_trace(results):
    with pytest.raises(ValueError, match="took no steps"):
        lw.plot_trace(results["dropout"])


def test_a_given_axes_is_drawn_on(results):
    _, axes = plt.subplots()
    assert lw.plot_importance(results["dropout"], ax=axes) is axes


def test_the_title_says_model_skill_rows_and_how_many_are_shown(results):
    result = results["early_stopping"]
    title = lw.plot_importance(result, max_features=2).get_title(loc="left")
    skill = -(result.full.value - result.full.shift)
    said = f"mean squared error {skill:.3g} on 75 rows"
    assert title == f"boosting\n{said}\n2 of 6 features shown"
    assert "shown" not in lw.plot_importance(result).get_title(loc="left")


def test_bars_are_filled_where_told_from_zero_and_outlined_where_not(results):
    result = results["early_stopping"]
    adjusted = result.to_frame(adjust="holm").sort_values("importance", ascending=False)["p_holm"]
    is_clear = (adjusted < 0.05).to_list()
    assert any(is_clear)
    assert not all(is_clear)
    fills = [bar.get_facecolor() for bar in lw.plot_importance(result).patches]
    assert [fill[3] > 0 for fill in fills] == is_clear


def test_long_names_take_two_lines_at_most():
    y = np.arange(40.0)
    name = "a name that goes on and on " * 12
    result = lw.importance_from_predictions(y, y, {name: y + 1 + y % 2, "x" * 300: y + 2})
    labels = labels_of(lw.plot_importance(result))
    assert all(label.count("\n") <= 1 and label.endswith("…") for label in labels)
    # A word that fits no line is cut, and its dots do not take a line of their own.
    assert [label.count("\n") for label in labels] == [0, 1]


def test_large_errors_have_plain_ticks_and_a_power_in_the_label():
    y = 1e5 * np.random.default_rng(0).normal(size=60)
    result = lw.importance_from_predictions(y, y, {"a": 0.5 * y})
    axes = lw.plot_importance(result)
    axes.figure.canvas.draw()
    assert axes.xaxis.get_offset_text().get_text() == ""
    assert axes.get_xlabel().splitlines()[0].endswith("without the feature ($10^{9}$)")
    assert max(len(label.get_text()) for label in axes.get_xticklabels()) <= 5


@pytest.mark.parametrize("measure", sorted(MEASURES))
def test_every_measure_of_ours_has_a_name_on_the_axes(measure):
    name, is_error = measure_name(measure)
    assert name != measure or measure == "accuracy"
    assert loss_label(measure) == f"{'increase in' if is_error else 'loss of'} {name}"


def test_no_axis_of_a_figure_in_large_units_has_an_offset(results):
    traces = replace(
        results["early_stopping"],
        traces=tuple(
            tuple(replace(run, losses=1e8 * run.losses) for run in runs)
            for runs in results["early_stopping"].traces
        ),
    )
    axes = lw.plot_trace(traces)
    axes.figure.canvas.draw()
    assert axes.yaxis.get_offset_text().get_text() == ""
    assert "$10^{" in axes.get_ylabel()


def test_lines_are_told_apart_without_colours():
    looks = [(look["linestyle"], look["marker"]) for look in map(line_look, range(30))]
    assert len(set(looks)) == 30
