"""Which of scikit-learn's checks the estimators that measure importances cannot pass, and why."""

FEW_ROWS = "importances need at least 20 rows, and the check has fewer"
WORDS = "the error is raised, in the library's own words"
EXPECTED_FAILURES = {
    "check_n_features_in_after_fitting": FEW_ROWS,
    "check_sample_weights_pandas_series": FEW_ROWS,
    "check_sample_weights_not_an_array": FEW_ROWS,
    "check_sample_weights_shape": FEW_ROWS,
    "check_sample_weights_not_overwritten": FEW_ROWS,
    "check_estimators_nan_inf": FEW_ROWS,
    "check_fit2d_1sample": FEW_ROWS,
    "check_fit2d_1feature": FEW_ROWS,
    "check_complex_data": WORDS,
    "check_dtype_object": WORDS,
    "check_estimators_empty_data_messages": WORDS,
    "check_requires_y_none": WORDS,
}
