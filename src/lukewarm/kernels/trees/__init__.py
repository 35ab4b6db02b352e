"""The kernel of trees with random splits: exact, sampled, and the law of their leaves."""
