"""Settings of the quickest fit that trains reduced models; a test changes what it is about."""

PLAIN = {
    "model": "boosting",
    "method": "early_stopping",
    "inference": "paired",
    "random_state": 0,
}
