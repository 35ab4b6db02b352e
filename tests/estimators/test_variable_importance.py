import numpy as np
import pandas as pd
import pytest
from plain import PLAIN
from sklearn.base import clone

import lukewarm as lw
from lukewarm.learners import ObliviousBoosting

pytestmark = pytest.mark.filterwarnings("ignore::lukewarm.HealthWarning")


@pytest.fixture(scope="module")
def linear():
    return lw.datasets.make_correlated_linear(n_samples=600, random_state=3)


def fit(data, **options):
    return lw.VariableImportance(**{**PLAIN, **options}).fit(data.X, data.y)


class TestAlgorithm1:
    """The paper's data, N = 5000, correlation 0.5: the importance of X1 is 1.6875."""

    @pytest.fixture(scope="class")
    @staticmethod
    def paper_data():
        return lw.datasets.make_correlated_linear(random_state=1)

    @pytest.mark.parametrize("model", ["boosting", "catboost", "network"])
    def test_early_stopping_hits_the_truth(self, paper_data, model):
        if model == "catboost":
            model = pytest.importorskip("catboost").CatBoostRegressor(
                depth=3, learning_rate=0.1, thread_count=1
            )
        if model == "network":
            pytest.importorskip("torch")
        result = fit(paper_data, model=model, features=["X1"]).result_
        assert abs(result.importance[0] - 1.6875) <= 4 * result.standard_error[0]

    @pytest.mark.parametrize("model", ["boosting", "network"])
    def test_dropout_overshoots(self, paper_data, model):
        if model == "network":
            pytest.importorskip("torch")
        result = fit(paper_data, model=model, method="dropout", features=["X1"]).result_
        assert result.importance[0] - 1.6875 > 5 * result.standard_error[0]


class TestIdentities:
    def test_one_seed_one_result(self, linear):
        model = ObliviousBoosting(subsample=0.5)
        first, again = fit(linear, model=model).result_, fit(linear, model=model).result_
        np.testing.assert_array_equal(first.influence, again.influence)
        other = fit(linear, model=model, random_state=1).result_
        assert not np.array_equal(other.importance, first.importance)

    @pytest.mark.parametrize("method", ["early_stopping", "retrain"])
    def test_n_jobs_changes_no_number(self, linear, method):
        model = ObliviousBoosting(random_strength=1.0)
        one, two = (
            fit(linear, model=model, method=method, n_jobs=n_jobs).result_ for n_jobs in (1, 2)
        )
        np.testing.assert_array_equal(one.influence, two.influence)

    def test_generators_with_one_state_give_one_result(self, linear):
        first, again = (
            fit(
                linear,
                model=ObliviousBoosting(subsample=0.5),
                random_state=np.random.default_rng(5),
            ).result_
            for _ in range(2)
        )
        np.testing.assert_array_equal(first.importance, again.importance)

    def test_frame_and_array_give_the_same_numbers(self, linear):
        from_array = lw.VariableImportance(**PLAIN).fit(linear.X.to_numpy(), linear.y.to_numpy())
        np.testing.assert_array_equal(from_array.result_.importance, fit(linear).result_.importance)
        assert from_array.result_.names[0] == "x0"

    def test_no_further_step_is_dropout(self, linear):
        from lukewarm.reduction import EarlyStopping
        from lukewarm.stopping import FixedSteps

        none = fit(
            linear, method=EarlyStopping(FixedSteps(0), 100, conditional_imputation=False)
        ).result_
        dropout = fit(linear, method="dropout").result_
        assert dropout.importance[0] > 0.1
        np.testing.assert_array_equal(none.importance, dropout.importance)

    def test_all_features_leave_the_constant(self, linear):
        vi = fit(linear, features=[tuple(linear.X)], measure="r2")
        full = vi.result_.full.value
        assert full > 0.8
        # The constant's R2 on n = 150 evaluation rows is 0 minus the squared distance of the two
        # means in standard deviations, of order 1 / 150.
        np.testing.assert_allclose(vi.result_.importance[0], full, atol=0.1)
        np.testing.assert_array_equal(vi.predictions_.reduced[0], vi.predictions_.reduced[0][0])

    def test_literal_form_compares_with_the_full_model_as_trained(self, linear):
        # Five trees are far from converged, so the symmetric opponent goes on for five more.
        literal, symmetric = fit(linear, symmetric=False, max_steps=5), fit(linear, max_steps=5)
        assert not np.array_equal(literal.predictions_.full, symmetric.predictions_.full)
        np.testing.assert_array_equal(
            literal.predictions_.reduced[0], symmetric.predictions_.reduced[0]
        )


class TestCrossValidatedStopping:
    @pytest.mark.parametrize("model", ["boosting", "gradient descent"])
    def test_it_nears_the_least_squares_fit_that_dropout_misses(
        self, linear, model, gradient_descent
    ):
        chosen = model if model == "boosting" else gradient_descent
        X, y = linear.X, linear.y
        kept = X.drop(columns="X1").assign(constant=1.0).to_numpy()
        best = kept[450:] @ np.linalg.lstsq(kept, y.to_numpy())[0]

        def excess(**options):
            vi = lw.VariableImportance(**{**PLAIN, "model": chosen, "features": ["X1"], **options})
            vi.fit(X[:450], y[:450], X_eval=X[450:], y_eval=y[450:])
            return np.mean((vi.predictions_.reduced[0] - best) ** 2)

        # Dropout misses what X2 knows of 1.5 X1: of its variance the squared correlation, 0.56.
        # Training is to give back most of that.
        dropout = excess(method="dropout")
        assert dropout > 0.5
        assert excess(stopping="cross_validation") < dropout / 3

    def test_it_goes_with_early_stopping_only(self, linear):
        with pytest.raises(ValueError, match=r"goes with method='early_stopping'; got 'retrain'"):
            fit(linear, stopping="cross_validation", method="retrain")


class TestFeatureSets:
    def test_a_group_is_taken_away_together(self, linear):
        pair = fit(linear, groups={"pair": ["X1", "X2"]}).result_
        assert pair.names == ("pair", "X3", "X4", "X5", "X6")
        assert pair.removed[0] == (0, 1)
        np.testing.assert_array_equal(
            pair.importance[0], fit(linear, features=[("X1", "X2")]).result_.importance[0]
        )

    def test_what_else_is_asked_for_changes_no_importance(self, linear):
        model = ObliviousBoosting(subsample=0.5)
        some = fit(linear, model=model, features=["X3"]).result_
        every = fit(linear, model=model).result_
        np.testing.assert_array_equal(some.importance[0], every.importance[2])

    def test_parts_merge_into_the_whole(self, linear):
        model = ObliviousBoosting(subsample=0.5)
        parts = [fit(linear, model=model, features=[name]).result_ for name in linear.X]
        np.testing.assert_array_equal(
            lw.ImportanceResult.merge(parts).importance,
            fit(linear, model=model).result_.importance,
        )


class TestInference:
    def test_several_measures_need_one_fit(self, linear):
        vi = fit(linear, measure=["r2", "neg_mse"])
        assert list(vi.results_) == ["r2", "neg_mse"]
        assert vi.result_ is vi.results_["r2"]
        np.testing.assert_array_equal(
            vi.results_["neg_mse"].importance, fit(linear).result_.importance
        )

    def test_cross_fitting_evaluates_every_row_once_on_models_that_never_saw_it(self, linear):
        vi = fit(linear, cv=4, features=["X1"])
        rows = np.sort(np.concatenate(vi.predictions_.plan.full_parts))
        np.testing.assert_array_equal(rows, np.arange(600))
        np.testing.assert_array_equal(np.sort(vi.predictions_.y), np.sort(linear.y))
        assert len(vi.result_.traces[0]) == 4
        single = fit(linear, features=["X1"]).result_
        assert vi.result_.standard_error[0] < single.standard_error[0]

    def test_split_widens_the_interval(self, linear):
        paired, split = fit(linear).result_, fit(linear, inference="split").result_
        assert (split.standard_error > paired.standard_error).all()
        assert split.inference == "split"

    def test_weights_reach_the_measure(self, linear):
        weights = np.where(linear.X["X3"] > 0, 3.0, 1.0)
        vi = lw.VariableImportance(**PLAIN).fit(linear.X, linear.y, weights)
        assert not np.allclose(vi.result_.importance, fit(linear).result_.importance)
        used = vi.predictions_.weights
        np.testing.assert_allclose(np.unique(used / used.min()), [1.0, 3.0])

    def test_an_importance_near_zero_is_doubted(self, linear):
        health = fit(linear, features=["X4"]).result_.health()
        assert {"near_zero", "better_without"} & set(health.query("feature == 'X4'")["name"])


class TestClasses:
    @pytest.fixture(scope="class")
    @staticmethod
    def labelled():
        generator = np.random.default_rng(0)
        X = pd.DataFrame(generator.normal(size=(900, 3)), columns=["a", "b", "c"])
        score = 2 * X["a"] + X["b"] + 0.5 * generator.normal(size=900)
        return X, score

    @pytest.mark.parametrize("model", ["boosting", "network"])
    def test_text_labels_make_classes(self, labelled, model):
        X, score = labelled
        if model == "network":
            pytest.importorskip("torch")
        y = np.where(score > 0, "yes", "no")
        vi = lw.VariableImportance(
            model,
            random_state=0,
            measure=["deviance", "auc", "accuracy"],
            method="early_stopping",
            inference="paired",
        )
        vi.fit(X, y)
        assert vi.classes_.tolist() == ["no", "yes"]
        assert vi.result_.full.value > 0.5
        for result in vi.results_.values():
            assert result.importance[0] > 4 * result.standard_error[0]
            assert result.importance[0] > result.importance[1] > result.importance[2]

    def test_three_classes(self, labelled):
        X, score = labelled
        y = pd.cut(score, 3, labels=["low", "mid", "high"])
        vi = lw.VariableImportance(**PLAIN, measure=["deviance", "accuracy"]).fit(X, y)
        assert vi.predictions_.full.shape[1] == 3
        assert vi.result_.importance[0] > vi.result_.importance[2]


class TestScikitLearnRules:
    def test_clone_and_parameters(self):
        vi = lw.VariableImportance(
            "boosting", "retrain", patience=7, groups={"g": ["a"]}, inference="paired"
        )
        copied = clone(vi)
        assert copied.get_params() == vi.get_params()
        assert copied.set_params(patience=3).patience == 3

    def test_names_come_through(self, linear):
        vi = fit(linear, features=["X1", "X2"])
        assert vi.result_.to_frame()["feature"].tolist() == ["X1", "X2"]
        assert vi.feature_names_in_.tolist() == list(linear.X)
        labels = [label.get_text() for label in vi.plot().get_yticklabels()]
        assert set(labels) == {"X1", "X2"}

    def test_the_users_table_is_left_as_it_was(self, linear):
        X, y = linear.X.copy(), linear.y.copy()
        fit(linear)
        assert linear.X.equals(X)
        assert linear.y.equals(y)

    def test_plotting_needs_a_fit(self):
        from sklearn.exceptions import NotFittedError

        with pytest.raises(NotFittedError):
            lw.VariableImportance(
                model="boosting", method="early_stopping", inference="paired"
            ).plot()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"model": "forest"}, ValueError, "model must be one of 'auto', 'boosting'"),
        ({"method": "shuffle"}, ValueError, "method must be one of 'auto', 'early_stopping'"),
        (
            {"method": "kernel_flow"},
            TypeError,
            "linearises a network, but the model is",
        ),
        ({"measure": "rsme"}, ValueError, "measure must be one of 'neg_mse'"),
        ({"measure": "auc"}, ValueError, "y must hold classes"),
        ({"patience": 0}, ValueError, "patience must be at least 1; got 0"),
        ({"train_fraction": 1.0}, ValueError, "train_fraction must be greater than 0"),
        ({"train_fraction": "most"}, TypeError, "train_fraction must be a number"),
        ({"groups": {"g": ["X1", "nope"]}}, ValueError, r"groups\['g'\].*'nope'"),
        ({"features": ["nope"]}, ValueError, "no such column"),
        ({"inference": "bayes"}, ValueError, "inference must be one of"),
        ({"cv": 1}, ValueError, "cv must be at least 2"),
        ({"fill": "median"}, ValueError, "fill must be one of 'mean', 'zero', 'conditional'"),
        ({"level": 95}, ValueError, "level must be greater than 0 and less than 1"),
        ({"random_state": "seed"}, TypeError, "random_state must be None, an int"),
        ({"min_delta": -1}, ValueError, "min_delta must be at least 0"),
    ],
)
def test_bad_settings_are_refused_before_any_training(linear, monkeypatch, options, error, message):
    monkeypatch.setattr(
        "lukewarm.estimators._base.train_full", lambda *_: pytest.fail("training began")
    )
    with pytest.raises(error, match=message):
        fit(linear, **options)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda X, y: (X, y[:-1]), ValueError, "X has 600, y has 599"),
        (lambda X, y: (X[:19], y[:19]), ValueError, "at least 20 rows"),
        (lambda X, y: (X, 0 * y), ValueError, "y must not be constant"),
        (lambda X, y: (X, y.where(y > 0)), ValueError, "y must be finite"),
        (lambda X, y: (X.rename(columns={"X2": "X1"}), y), ValueError, r"\['X1'\] appear more"),
    ],
)
def test_bad_data_is_refused(linear, change, error, message):
    with pytest.raises(error, match=message):
        lw.VariableImportance(model="boosting", method="early_stopping", inference="paired").fit(
            *change(linear.X, linear.y)
        )


def test_missing_values_in_a_model_without_them_name_the_columns(linear):
    pytest.importorskip("torch")
    from lukewarm.learners import Network

    X = linear.X.mask(linear.X > 2)
    with pytest.raises(ValueError, match=r"does not take missing values.*'X1'"):
        lw.VariableImportance(Network(), method="early_stopping", inference="paired").fit(
            X, linear.y
        )


def test_a_diverging_network_names_its_learning_rate(linear):
    pytest.importorskip("torch")
    from lukewarm.learners import Network

    with pytest.raises(FloatingPointError, match="learning_rate"):
        fit(linear, model=Network(learning_rate=1e4, optimizer="sgd"))
