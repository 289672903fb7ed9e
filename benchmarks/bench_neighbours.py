"""15-nearest-neighbour accuracy on scikit-learn's digits, on ten components: full PCA, the chain, refined components.

    python benchmarks/bench_neighbours.py [--densities 0.05 0.1]

Five folds, four times; the default budget comes first.
"""

import argparse

import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from jacobeig import JacobiPCA


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--densities", type=float, nargs="*", default=())
    X, y = load_digits(return_X_y=True)
    folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=4, random_state=0)
    models = {"full PCA": PCA(10)}
    for density in (None, *parser.parse_args().densities):
        budget = "default density" if density is None else f"density {density:g}"
        models[f"chain, {budget}"] = JacobiPCA(10, density=density, refine=False)
        models[f"refined, {budget}"] = JacobiPCA(10, density=density)
    for name, model in models.items():
        scores = 100 * cross_val_score(make_pipeline(model, KNeighborsClassifier(15)), X, y, cv=folds)
        print(f"{name:26} {scores.mean():.1f} +- {scores.std() / np.sqrt(len(scores)):.1f}", flush=True)


if __name__ == "__main__":
    main()
