"""The paper transliterated: slow, obvious, full matrices. Nothing here comes from the library.

`Reference` takes one step at a time on S <- G^H S G, computing every score afresh. It can choose its own pivots, or be
led along the pivots of the library, so that runs can be compared where several pivots are equally good.
"""

import numpy as np

RULES = ("gain", "gain_per_nonzero", "offdiagonal", "classic", "cyclic", "random")


def n_high(which, p):
    """How many vectors are wanted from the high end."""
    return {"LA": p, "SA": 0, "BE": (p + 1) // 2}[which]


def seeds_of(start, diagonal, p, which):
    """The coordinates that begin as the vectors: high seeds first."""
    if not isinstance(start, str):
        return list(start)
    if start == "natural":
        return list(range(p))
    high = n_high(which, p)
    descending = sorted(range(len(diagonal)), key=lambda m: (-diagonal[m], m))
    return descending[:high] + descending[::-1][: p - high]


def weights_of(target, p, which):
    """alpha for the seeds; for "adaptive" only its signs."""
    if not isinstance(target, str):
        return np.array(target, float)
    high = n_high(which, p)
    if target == "log":
        return np.array(
            [np.log2(high + 1 - t) for t in range(high)] + [-np.log2(p - high + 1 - t) for t in range(p - high)]
        )
    return np.array([1.0] * high + [-1.0] * (p - high))


def spectrum_bound(matrix):
    """A strict bound of |eigenvalues|: Gershgorin's, and one per cent more."""
    return 1.01 * np.abs(matrix).sum(axis=1).max()


def gain_of(w, s_ii, s_jj, s_ij):
    """Eq. badcij, in the form that does not cancel."""
    if w == 0:
        return 0.0
    delta = s_ii - s_jj if w > 0 else s_jj - s_ii
    r = np.sqrt(delta**2 + 4 * abs(s_ij) ** 2)
    if delta > 0:
        return abs(w) * 2 * abs(s_ij) ** 2 / (r + delta)
    return abs(w) * (r - delta) / 2


class Reference:
    """One run. `S` is the rotated matrix, `U` the product of the rotations, `A` the weights of all n coordinates."""

    def __init__(self, matrix, p, *, which="LA", target="ones", pivot="gain", start="natural"):
        self.S = np.array(matrix, complex if np.iscomplexobj(matrix) else float)
        self.n, self.p, self.which, self.pivot = len(self.S), p, which, pivot
        self.U = np.eye(self.n, dtype=self.S.dtype)
        self.top = 0.0
        self.supports = [{m} for m in range(self.n)]
        self.total_nonzeros = self.max_nonzeros = np.inf
        self.seeds = seeds_of(start, np.diag(self.S).real, p, which)
        self.alpha = weights_of(target, p, which)
        self.adaptive = isinstance(target, str) and target == "adaptive" and pivot != "classic"
        self.bound = spectrum_bound(self.S)
        self.A = np.zeros(self.n)
        if pivot != "classic":
            self.A[self.seeds] = self.alpha
        self.measure()
        self.refresh()
        # Coordinates in the order in which pairs are written (i before j): the seeds, then the others.
        others = [m for m in range(self.n) if m not in self.seeds]
        self.order = list(range(self.n)) if pivot == "classic" else self.seeds + others

    def refresh(self):
        """Adaptive weights: the diagonal entry, measured from the far end of the spectrum."""
        if self.adaptive:
            for seed, sign in zip(self.seeds, self.alpha, strict=True):
                self.A[seed] = self.S[seed, seed].real + sign * self.bound

    def measure(self):
        """The largest entry of the matrix or of any diagonal so far, rounded up to a power of two."""
        largest = np.abs(self.S).max() if self.top == 0 else np.abs(np.diag(self.S)).max()
        if largest > self.top:
            self.top = 2.0 ** (np.floor(np.log2(largest)) + 1)

    def entry(self, i, j):
        """S_ij, where an entry of at most 16 eps times the largest counts as zero."""
        return 0.0 if abs(self.S[i, j]) <= 16 * np.finfo(float).eps * self.top else self.S[i, j]

    def gain(self, i, j):
        return gain_of(self.A[i] - self.A[j], self.S[i, i].real, self.S[j, j].real, self.entry(i, j))

    def pairs(self):
        """The pairs that the rule may choose, in the order of a cyclic sweep."""
        rows = self.n if self.pivot == "classic" else self.p
        first = self.p if self.pivot == "offdiagonal" else 0
        return [(self.order[a], self.order[b]) for a in range(rows) for b in range(max(a + 1, first), self.n)]

    def score(self, i, j):
        """What the rule maximises."""
        if self.pivot in ("offdiagonal", "classic"):
            return abs(self.entry(i, j))
        if self.pivot == "gain_per_nonzero":
            added = self.added(i, j)
            if self.nonzeros() + added > self.total_nonzeros or self.size_after(i, j) > self.max_nonzeros:
                return 0.0
            return self.gain(i, j) / (1 + max(0, added))
        return self.gain(i, j)

    def nonzeros(self):
        """Nonzeros of the p vectors, no two of which ever cancel."""
        return sum(len(self.supports[seed]) for seed in self.seeds)

    def size_after(self, i, j):
        """Nonzeros of vector i once the pair is rotated: a swap exchanges the supports, others join them."""
        return len(self.supports[j] if self.entry(i, j) == 0 else self.supports[i] | self.supports[j])

    def added(self, i, j):
        """How many nonzeros the p vectors gain by the rotation."""
        added = self.size_after(i, j) - len(self.supports[i])
        if j in self.seeds:
            added += self.size_after(i, j) - len(self.supports[j]) if self.entry(i, j) != 0 else -added
        return added

    def scores(self):
        return {pair: self.score(*pair) for pair in self.pairs()}

    def best(self):
        """The best pair (ties: lowest j, then lowest i) and its score; None when nothing is left to gain."""
        scores = self.scores()
        if not scores or max(scores.values()) <= 0:
            return None, 0.0
        pair = min(scores, key=lambda pair: (-scores[pair], pair[1], pair[0]))
        return pair, scores[pair]

    def rotate(self, i, j, raised=None):
        """Diagonalise the pair, the larger eigenvalue to the larger weight; the gain, with the weights before.

        Where the weights are equal no order is wanted, and the one there is stays; where the diagonal entries tie as
        well, `raised` says to which of the two the larger eigenvalue goes.
        """
        gain, w, s_ij = self.gain(i, j), self.A[i] - self.A[j], self.entry(i, j)
        if w == 0:
            delta = self.S[i, i].real - self.S[j, j].real
            tie = raised is not None and abs(delta) <= 1e-12 * np.abs(self.S).max()
            w = (1.0 if raised == i else -1.0) if tie else (1.0 if delta >= 0 else -1.0)
        in_order = (self.S[i, i].real - self.S[j, j].real) * w >= 0
        if s_ij == 0:
            V = np.eye(2) if in_order else np.array([[0.0, -1.0], [1.0, 0.0]])
            if not in_order:
                self.supports[i], self.supports[j] = self.supports[j], self.supports[i]
        else:
            block = np.array([[self.S[i, i], s_ij], [np.conj(s_ij), self.S[j, j]]])
            _, V = np.linalg.eigh(block)  # ascending
            if w > 0:
                V = V[:, ::-1]
            self.supports[i] = self.supports[j] = self.supports[i] | self.supports[j]
        G = np.eye(self.n, dtype=self.S.dtype)
        G[np.ix_([i, j], [i, j])] = V
        self.S = G.conj().T @ self.S @ G
        self.S[i, j] = self.S[j, i] = 0.0
        self.U = self.U @ G
        self.measure()
        self.refresh()
        return gain

    def run(self, k):
        """Choose k pivots itself; the pivots and the gains."""
        pivots, gains = [], []
        for _ in range(k):
            pair, _ = self.best()
            if pair is None:
                break
            pivots.append(pair)
            gains.append(self.rotate(*pair))
        return np.array(pivots, int).reshape(-1, 2), np.array(gains)

    def objective(self):
        """f(U) = tr(A U^H S U), with the weights as they are."""
        return float(self.A @ np.diag(self.S).real)

    def coordinates(self):
        """The coordinates of the p vectors, in the order of the result's columns."""
        d = np.diag(self.S).real
        if self.pivot == "classic":
            high = int((self.alpha > 0).sum()) if self.which == "SA" else int((self.alpha >= 0).sum())
            descending = sorted(range(self.n), key=lambda m: (-d[m], m))
            chosen = descending[:high] + descending[::-1][: self.p - high]
        else:
            chosen = self.seeds
        return sorted(chosen, key=lambda m: (d[m] if self.which == "SA" else -d[m], m))
