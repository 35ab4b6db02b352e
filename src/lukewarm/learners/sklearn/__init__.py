"""Models of scikit-learn other than its boosters: epochs, whole fits, pipelines."""
