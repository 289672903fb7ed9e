"""What the methods of a comparison are."""

__all__ = ["METHODS"]

METHODS = {
    "paper": "rotations chosen as in the paper, from the largest variances; orthonormal",
    "chain": "rotations as `jacobeig pca` chooses them; orthonormal",
    "refine": "chain, then other nonzeros where they capture more (--refine quick); orthonormal",
    "refine best": "the same, trying everything (--refine best); orthonormal",
    "free": "refine without orthonormality (--no-orthonormal)",
    "free best": "refine best without orthonormality",
    "tpower": "truncated power iteration: keeps the largest entries at each step",
    "gpower": "generalised power method: variance with a penalty on nonzeros",
    "cd": "coordinate exchange until no exchange of one feature is better",
    "lr": "the best nonzeros for a low-rank approximation",
    "bmw": "orthonormal components that share no feature, by matchings",
    "bb": "branch and bound: the best nonzeros, with proof where time suffices",
    "greedy": "one feature added at a time, the best at each step",
    "sparse_jl": "random sparse directions, which know nothing of the data",
    "classic_jacobi": "rotations of the largest entries off the diagonal; orthonormal",
    "pca": "full PCA: dense, whatever density is asked for",
    "threshold": "full PCA, the largest entries of each component kept",
    "varimax_threshold": "the same after a varimax rotation",
    "sklearn_spca": "scikit-learn's SparsePCA, its penalty found by bisection",
    "abess_spca": "abess' best-subset selection (needs abess)",
}
