"""Any torch module as a learner: a plain training loop, a step of which is an epoch."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

import numpy as np

from lukewarm._optional import require
from lukewarm._typing import Features, Prediction, Vector
from lukewarm._validation import check_count, check_number
from lukewarm.learners._base import DifferentiableLearner
from lukewarm.learners._calibration import calibration
from lukewarm.learners._imputation import Moments
from lukewarm.learners._scaling import Scaling
from lukewarm.learners._traits import LearnerTraits
from lukewarm.learners.torch._layers import (
    first_linear,
    impute_inputs,
    reads_codes,
    rescaled,
    take_codes_as_floats,
)
from lukewarm.learners.torch._loop import (
    OptimizerFactory,
    Shuffler,
    draws_in_training,
    optimizer_factory,
    reinitialize,
    seeded,
    threads_for,
)
from lukewarm.learners.torch._losses import (
    Criterion,
    cross_entropy,
    flat_outputs,
    known_objective,
    probabilities,
    row_wise,
    squared_error,
    weighted_mean,
)
from lukewarm.measures import NegMSE, PoissonDeviance, Task

if TYPE_CHECKING:
    import torch
    from typing_extensions import Self
else:
    torch = require("torch", "torch")

_ROWS_PER_FORWARD = 8192  # bounds the memory of predictions


class TorchLearner(DifferentiableLearner):
    """A torch module that can be trained one epoch further.

    Parameters
    ----------
    module : torch.nn.Module
        Takes a float32 tensor (n, p) and gives (n,) or (n, 1) for regression; for classification
        logits: (n,), (n, 1) or (n, 2) for two classes, (n, k) for more. It is copied, never
        changed.
    loss : callable of (outputs, targets), optional
        A loss of torch.nn or a function giving one loss per row. Default: squared error, or cross
        entropy for classes. Targets of a regression are on the standardised scale, but for
        torch.nn.PoissonNLLLoss, whose outputs are logarithms of the prediction (`log_input`).
    optimizer : "sgd", "momentum", "adam" or callable, default "adam"
        A callable gets the parameters and ``lr=learning_rate``.
    learning_rate : float, default 1e-3
    batch_size : int, default 64
    device : str, default "cpu"
    standardize : bool, default True
        Whether inputs (and the target of a regression) are standardised by the training rows of
        the first step. Inputs of a module with embedding layers are left as they are: they hold
        codes. Choose False for a module that is already trained, or that reads codes otherwise.
    steps_per_epoch : int, default 1
        With more than one, a step is that share of an epoch: training can then stop inside an
        epoch.
    n_classes : int, optional
        Number of classes; None for regression.
    seed : int, default 0
        Source of the order of the rows.

    Examples
    --------
    >>> import torch
    >>> learner = TorchLearner(torch.nn.Linear(2, 1), learning_rate=0.1)
    >>> X = np.random.default_rng(0).normal(loc=1000.0, size=(256, 2))
    >>> learner.advance(X, X[:, 0] + X[:, 1], n_steps=20)
    >>> bool(np.abs(learner.predict(X) - X.sum(axis=1)).max() < 0.1)
    True
    """

    traits = LearnerTraits(
        # Friedman's data, 1,500 rows and 500 to stop by, three draws: 75 epochs instead of the 138
        # of a patience of 50, for an excess error 4 % above it; epochs are dear.
        patience=5,
        # Judgement: well beyond those 138.
        max_steps=400,
        # Without a feature what is left to learn is noisier, and gradients with it.
        learning_rate_factor=0.3,
        has_learning_rate=True,
        imputes=True,
    )

    def __init__(
        self,
        module: torch.nn.Module,
        *,
        loss: Criterion | None = None,
        optimizer: str | OptimizerFactory | None = None,
        learning_rate: float = 1e-3,
        batch_size: int = 64,
        device: str = "cpu",
        standardize: bool = True,
        steps_per_epoch: int = 1,
        n_classes: int | None = None,
        seed: int = 0,
    ) -> None:
        if not isinstance(module, torch.nn.Module):
            raise TypeError(f"module must be a torch.nn.Module; got {type(module).__name__}.")
        self._module = copy.deepcopy(module).to(device).eval()
        take_codes_as_floats(self._module)
        self._custom_loss = None if loss is None else row_wise(loss)
        self._objective = known_objective(loss, standardize)
        self.measure = NegMSE() if self._objective is None else self._objective.measure
        self._make_optimizer = optimizer_factory(optimizer or "adam")
        self._learning_rate = check_number("learning_rate", learning_rate, above=0)
        self._device = torch.device(device)
        self._standardize = standardize
        self.task = Task(n_classes)
        self._shuffler = Shuffler(
            check_count("batch_size", batch_size),
            check_count("steps_per_epoch", steps_per_epoch),
            seed,
        )
        self._optimizer: torch.optim.Optimizer | None = None
        self._input_scaling = Scaling.identity()
        self._target_scaling = Scaling.identity()
        self._n_steps = 0
        self._is_trained = False

    @classmethod
    def from_fitted(cls, module: torch.nn.Module, *, task: Task, seed: int) -> Self:
        """Return a learner in the state of the trained module; its steps are unknown."""
        learner = cls(module, standardize=False, n_classes=task.n_classes, seed=seed)
        learner._is_trained = True
        return learner

    @classmethod
    def from_model(cls, model: torch.nn.Module, *, task: Task, seed: int, prefit: bool) -> Self:
        """Return a learner around a copy of the module, drawn anew unless `prefit`."""
        if prefit:
            return cls.from_fitted(model, task=task, seed=seed)
        # What the module may have learnt before must not reach the evaluation rows.
        return cls(model, n_classes=task.n_classes, seed=seed).fresh(seed)

    @property
    def n_steps(self) -> int:
        """Epochs trained so far (portions of them with `steps_per_epoch`)."""
        return self._n_steps

    def fresh(self, seed: int) -> Self:
        """Return an untrained learner whose parameters are drawn anew from `seed`."""
        copied = self._copied(seed)
        reinitialize(copied._module, seed)
        copied._optimizer = None
        copied._input_scaling = copied._target_scaling = Scaling.identity()
        copied._n_steps = 0
        copied._is_trained = False
        return copied

    def copy(self, seed: int | None = None) -> Self:
        """Return an independent learner in the same state, with the optimiser's memory."""
        copied = self._copied(seed)
        if self._optimizer is not None:
            copied._optimizer = copied._new_optimizer()
            copied._optimizer.load_state_dict(copy.deepcopy(self._optimizer.state_dict()))
        return copied

    def scale_learning_rate(self, factor: float) -> None:
        """Multiply the learning rate by `factor` and start the optimiser anew.

        Gradients are much larger once a feature is gone. An optimiser that scales its steps by the
        sizes it remembers would take far too long ones until it has forgotten the small ones.
        """
        self._learning_rate *= check_number("factor", factor, above=0)
        if self._optimizer is not None:
            self._optimizer = self._new_optimizer()

    def match_calibration(
        self, X: Features, before: Features, y: Vector, weights: Vector | None = None
    ) -> None:
        """Make a classifier's logits for `X` as confident as they were `before`, given y.

        Otherwise a network spends its first epochs on unlearning what it was sure of.
        """
        if self.task.is_regression or not self._is_trained:
            return
        margin, full_margin = (self._logits(rows) for rows in (X, before))
        scaling = calibration(margin, full_margin, y, weights)
        if scaling is not None:
            self._module = rescaled(
                self._module, scaling.scale, self._tensor(scaling.offset)
            ).eval()

    def impute_conditionally(
        self, X: Features, before: Features, weights: Vector | None = None
    ) -> None:
        """Impute the columns removed from `X` by the others: the first layer reads them that way.

        Modules whose first layer is not a linear one stay as they are.
        """
        layer = first_linear(self._module)
        if layer is None:
            return
        inputs, held = (self._input_scaling.scale(np.asarray(rows, float)) for rows in (before, X))
        imputation = Moments.learn(inputs, weights).imputation(np.any(inputs != held, axis=0))
        if imputation is not None:
            impute_inputs(layer, imputation, held[0, imputation.removed])

    def for_classes(self, n_classes: int) -> Self:
        """Return an untrained learner for `n_classes` classes, otherwise with these settings."""
        copied = self.copy()
        copied.task = Task(n_classes)
        return copied

    def advance(self, X: Features, y: Vector, n_steps: int, weights: Vector | None = None) -> None:
        """Train `n_steps` further epochs on these rows."""
        if self._optimizer is None:
            self._start(X, y, weights)
        inputs, targets = self.inputs(X), self.targets(y)
        row_weights = None if weights is None else self._tensor(weights / np.mean(weights))
        is_random = draws_in_training(self._module)
        self._module.train()
        with threads_for(min(self._shuffler.batch_size, len(targets)), self._module):
            for _ in range(n_steps):
                if is_random:
                    with seeded(self._shuffler.draw_seed()):
                        self._step(inputs, targets, row_weights)
                else:
                    self._step(inputs, targets, row_weights)
        self._module.eval()

    def predict(self, X: Features) -> Prediction:
        """Return the predictions (n,), or the class probabilities, on the scale of y."""
        return self.as_prediction(self.outputs(self.inputs(X)))

    def loss(self, y: Vector, prediction: Prediction, weights: Vector | None = None) -> float:
        """Return what decides when to stop: mean squared error, log loss or the user's loss."""
        if not self.task.is_regression or self._custom_loss is None:
            return self.task.loss(y, prediction, weights)
        if isinstance(self.measure, PoissonDeviance):
            # The module's outputs, which the loss takes, are not the predictions.
            return self.measure.mean_loss(y, prediction, weights)
        scaled = self._tensor(self._target_scaling.scale(prediction))
        row_weights = None if weights is None else self._tensor(weights / np.mean(weights))
        return weighted_mean(self._criterion(scaled, self.targets(y)), row_weights).item()

    @property
    def module(self) -> torch.nn.Module:
        """The trained module itself; it works on standardised inputs and outputs."""
        return self._module

    @property
    def training_loss(self) -> str | None:
        """What the module is trained on by name; None for a loss of the user's."""
        if self._custom_loss is not None:
            return None
        return "squared_error" if self.task.is_regression else "cross_entropy"

    def inputs(self, X: Features) -> torch.Tensor:
        """Return the rows as the module takes them."""
        return self._tensor(self._input_scaling.scale(np.asarray(X, dtype=float)))

    def targets(self, y: Vector) -> torch.Tensor:
        """Return the target on the scale of the module's outputs; class codes as they are."""
        return self._tensor(self._target_scaling.scale(y))

    def outputs(self, inputs: torch.Tensor) -> torch.Tensor:
        """Return the module's outputs, (n,) or (n, k), in evaluation mode."""
        try:
            with torch.no_grad():
                outputs = [self._module(rows) for rows in inputs.split(_ROWS_PER_FORWARD)]
        except RuntimeError as error:
            raise RuntimeError(
                f"the module does not take the {inputs.shape[1]} columns of X: {error}"
            ) from error
        return torch.cat([flat_outputs(block) for block in outputs])

    def as_prediction(self, outputs: torch.Tensor) -> Prediction:
        """Return outputs of the module as predictions on the scale of y, or probabilities."""
        if not self.task.is_regression:
            return probabilities(outputs).double().cpu().numpy()
        unscaled = self._target_scaling.unscale(outputs.double().cpu().numpy())
        return unscaled if self._objective is None else self._objective.prediction(unscaled)

    def _logits(self, X: Features) -> np.ndarray:
        outputs = self.outputs(self.inputs(X)).double().cpu().numpy()
        return outputs if outputs.ndim == 2 else outputs[:, np.newaxis]

    @property
    def _criterion(self) -> Criterion:
        if self._custom_loss is not None:
            return self._custom_loss
        return squared_error if self.task.is_regression else cross_entropy

    def _copied(self, seed: int | None) -> Self:
        copied = copy.copy(self)
        copied._module = copy.deepcopy(self._module)
        copied._shuffler = self._shuffler.copy(seed)
        return copied

    def _new_optimizer(self) -> torch.optim.Optimizer:
        trained = [weight for weight in self._module.parameters() if weight.requires_grad]
        return self._make_optimizer(trained, lr=self._learning_rate)

    def _start(self, X: Features, y: Vector, weights: Vector | None) -> None:
        if self._standardize and not reads_codes(self._module):
            self._input_scaling = Scaling.learn(np.asarray(X, dtype=float), weights)
        if (
            self._standardize
            and self.task.is_regression
            and not isinstance(self.measure, PoissonDeviance)
        ):
            self._target_scaling = Scaling.learn(y, weights)
        self._optimizer = self._new_optimizer()
        self._is_trained = True

    def _step(
        self, inputs: torch.Tensor, targets: torch.Tensor, weights: torch.Tensor | None
    ) -> None:
        assert self._optimizer is not None
        criterion = self._criterion
        parameters = [weight for weight in self._module.parameters() if weight.requires_grad]
        total = torch.zeros((), device=self._device)
        for batch in self._shuffler.next_rows(len(inputs)):
            losses = criterion(flat_outputs(self._module(inputs[batch])), targets[batch])
            loss = weighted_mean(losses, None if weights is None else weights[batch])
            # By hand: the optimiser's own method costs more than a small layer.
            for weight in parameters:
                weight.grad = None
            loss.backward()
            self._optimizer.step()
            total += loss.detach()
        self._n_steps += 1
        if not torch.isfinite(total):
            raise FloatingPointError(
                f"the network's training loss became {total.item()} in epoch {self._n_steps} with "
                f"learning_rate={self._learning_rate:g}: training diverged. Use a smaller "
                f"learning_rate, such as {self._learning_rate / 10:g}."
            )

    def _tensor(self, values: np.ndarray) -> torch.Tensor:
        return torch.from_numpy(np.asarray(values, dtype=np.float32)).to(self._device)
