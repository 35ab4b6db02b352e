from itertools import combinations

import numpy as np

from lukewarm.shapley import _smoother
from lukewarm.shapley._coalitions import all_membership
from lukewarm.shapley._exact import shapley_of_table

N_PLAYERS = 5
SHARE = 0.3


def odd_products(signs):
    """Every product of an odd number of signs, with its prior variance."""
    ratio = SHARE / (1 - SHARE)
    columns, variances = [], []
    for order in range(1, N_PLAYERS + 1, 2):
        for players in combinations(range(N_PLAYERS), order):
            columns.append(signs[:, list(players)].prod(axis=1))
            variances.append(ratio**order / (1 + ratio) ** N_PLAYERS)
    return np.array(columns).T, np.array(variances)


def test_covariance_is_that_of_random_products_of_signs():
    signs = np.where(all_membership(N_PLAYERS), 1.0, -1.0)
    products, variances = odd_products(signs)
    additive = _smoother._ADDITIVE_VARIANCE * signs @ signs.T / N_PLAYERS
    expected = products * variances @ products.T + additive
    covariance = _smoother._covariance(signs, np.zeros((len(signs), 0)), SHARE)
    covariance[np.diag_indices(len(signs) - 1)] -= _smoother._ROUGHNESS
    np.testing.assert_allclose(covariance, expected, atol=1e-10)


def test_covariance_with_shapley_values_equals_enumeration():
    signs = np.where(all_membership(N_PLAYERS), 1.0, -1.0)
    products, variances = odd_products(signs)
    shapley = np.array([shapley_of_table(column) for column in products.T])
    shapley_of_signs = np.array([shapley_of_table(column) for column in signs.T])
    additive = _smoother._ADDITIVE_VARIANCE / N_PLAYERS * shapley_of_signs.T @ signs.T
    expected = (shapley.T * variances) @ products.T + additive
    np.testing.assert_allclose(
        _smoother._covariance_with_shapley(signs, SHARE), expected, atol=1e-10
    )
