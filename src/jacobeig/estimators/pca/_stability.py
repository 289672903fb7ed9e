"""How far chosen features depend on which samples happened to be there."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from sklearn.base import clone
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.validation import check_is_fitted

from jacobeig._arguments import check_boolean, check_count, check_real
from jacobeig._extras import import_extra
from jacobeig._types import FloatArray
from jacobeig.errors import InvalidInputError
from jacobeig.estimators._model import SparseModel
from jacobeig.results.pictures import draw, tabulate_html
from jacobeig.results.progress import progress_bar


@dataclass(frozen=True, kw_only=True, eq=False)
class Stability:
    """How often each feature is chosen when a model is fitted again on parts of its samples.

    Attributes
    ----------
    frequencies : ndarray (n_components, n_features)
        Share of the refits in which a feature has a nonzero loading in the component that matches.
    similarities : ndarray (n_refits, n_components)
        Absolute cosine between each component and the one that matches it in a refit.
    chosen : ndarray of bool (n_components, n_features)
        Where the model itself has nonzero loadings.
    feature_names : ndarray (n_features,) or None
        Their names, if the data had names.
    share : float
        The share of the samples that each refit sees.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from jacobeig import JacobiPCA
    >>> wine = load_wine(as_frame=True).data
    >>> stability = JacobiPCA(2, max_nonzeros=3, scale=True).fit(wine).stability(wine, n_refits=5)
    >>> stability.frequencies.shape
    (2, 13)
    >>> 'flavanoids' in stability.select(0.9)[0]
    True
    """

    frequencies: FloatArray
    similarities: FloatArray
    chosen: NDArray[np.bool_]
    feature_names: NDArray[Any] | None
    share: float

    def select(self, threshold: float = 0.8) -> list[NDArray[Any]]:
        """Return, for each component, the features that at least this share of the refits choose.

        They are names, or numbers if the features have no names; the most frequent come first.
        """
        names = np.arange(self.frequencies.shape[1]) if self.feature_names is None else self.feature_names
        ranked = [np.argsort(-row, kind="stable") for row in self.frequencies]
        return [names[order[row[order] >= threshold]] for order, row in zip(ranked, self.frequencies, strict=True)]

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame of the frequencies: a row for each feature, a column for each component."""
        columns = [f"component {t + 1}" for t in range(len(self.frequencies))]
        return import_extra("pandas").DataFrame(self.frequencies.T, index=self.feature_names, columns=columns)

    def plot(self, **options: Any) -> Any:
        """Draw how often features are chosen, as `jacobeig.plotting.plot_stability` does, and return the axes."""
        return draw("plot_stability", self, **options)

    def __repr__(self) -> str:
        p, n = self.frequencies.shape
        kept = self.frequencies[self.chosen].mean() if self.chosen.any() else 0.0
        return (
            f"Stability({len(self.similarities)} refits on {self.share:.0%} of the samples; {p} components of {n} "
            f"features, whose own are chosen again in {kept:.0%} of them)"
        )

    def _repr_html_(self) -> str:
        own = [self.frequencies[t, self.chosen[t]] for t in range(len(self.chosen))]
        columns = {
            "component": [str(t + 1) for t in range(len(own))],
            "similarity": [f"{value:.2f}" for value in self.similarities.mean(axis=0)],
            "its features are chosen again": [f"{row.mean():.0%}" if len(row) else "" for row in own],
            "features in 80% of the refits": [", ".join(map(str, names[:10])) for names in self.select()],
        }
        return tabulate_html(repr(self), columns)


class Stable(SparseModel):
    """What lets a fitted `JacobiPCA` say which of its features other samples would choose too."""

    def stability(
        self, X: Any, *, n_refits: int = 50, share: float = 0.5, random_state: Any = None, progress: bool = False
    ) -> Stability:
        """Fit again on parts of the samples, and count how often each feature is chosen.

        Parameters
        ----------
        X : array_like, data frame or scipy sparse array (n_samples, n_features)
            The data of the fit.
        n_refits : int, default 50
            How many parts.
        share : float, default 0.5
            The share of the samples in each part, drawn without replacement.
        random_state : int, RandomState or None, optional
            For the parts; None is always the same.
        progress : bool, default False
            Show a progress bar.

        Returns
        -------
        Stability
            Components of a refit are matched with those of this model so that they resemble them most together.

        References
        ----------
        N. Meinshausen and P. Buhlmann, "Stability selection", Journal of the Royal Statistical Society B 72, 2010
        (halves of the samples, and how often they choose a feature).
        """
        check_is_fitted(self)
        m = self._validate(X, reset=False).shape[0]
        count, size = check_count("n_refits", n_refits, 1), round(check_real("share", share) * m)
        if not 2 <= size <= m:
            raise InvalidInputError(
                f"is {share}, which is {size} of {m} samples",
                argument="share",
                advice="give at most 1, and two samples.",
            )
        parameters = {"n_components": self.n_components_, "progress": False, "refine": self._choose_refits()}
        rng = check_random_state(0 if random_state is None else random_state)
        chosen, similarities = np.zeros(self.components_.shape), np.empty((count, self.n_components_))
        with progress_bar("refits", count, enabled=check_boolean("progress", progress)) as show:
            for turn in range(count):
                part = _safe_indexing(X, np.sort(rng.permutation(m)[:size]))
                again = clone(self).set_params(**parameters).fit(part)
                likeness = np.abs(self.components_ @ again.components_.T)
                rows, matched = linear_sum_assignment(likeness, maximize=True)
                chosen += again.components_[matched] != 0.0
                similarities[turn] = likeness[rows, matched]
                show(turn + 1)
        return Stability(
            frequencies=chosen / count,
            similarities=similarities,
            chosen=self.components_ != 0.0,
            feature_names=getattr(self, "feature_names_in_", None),
            share=size / m,
        )

    def _choose_refits(self) -> Any:
        """Return how refits are refined: quickly where this fit chose by itself to search longer."""
        chose_itself = isinstance(self.refine, str) and self.refine == "auto"
        return True if chose_itself and self.decomposition_.rotations is None else self.refine
