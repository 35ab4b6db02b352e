"""The full model averaged over draws of the removed columns given the others."""
