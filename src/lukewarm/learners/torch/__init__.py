"""Networks: any torch module, our fully connected one and nets of skorch; a step is an epoch.

Nothing is imported here, so that torch loads only when one of the modules is.
"""
