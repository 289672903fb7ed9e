"""
Topics of short texts
=====================

Counts of words are sparse, and stay so: centring is implicit, nothing is made dense. Each component has at most six
words, so it reads as a topic.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from jacobeig import JacobiPCA

# %%
# Six hundred small advertisements, each about one subject or two.

SUBJECTS = {
    "garden": "soil seed rose spade compost hedge tomato bulb",
    "kitchen": "oven flour butter recipe whisk salt pan dough",
    "sea": "tide harbour sail anchor wave gull lighthouse mast",
    "music": "violin chord tempo choir melody drum rehearsal bow",
    "winter": "snow frost sledge scarf ice glove fireplace icicle",
}
COMMON = ["the", "a", "with", "and", "for", "new", "old", "good", "small", "large"]
rng = np.random.default_rng(0)


def advertisement():
    """Words of one or two subjects, and words that say nothing."""
    chosen = rng.choice(list(SUBJECTS), size=rng.integers(1, 3), replace=False)
    words = [word for name in chosen for word in rng.choice(SUBJECTS[name].split(), size=4)]
    return " ".join(rng.permutation(words + list(rng.choice(COMMON, size=6))))


texts = [advertisement() for _ in range(600)]
vectorizer = TfidfVectorizer(token_pattern=r"\w+")
X = vectorizer.fit_transform(texts)
print(f"{X.shape[0]} texts, {X.shape[1]} words, {X.nnz / np.prod(X.shape):.0%} of the entries stored")

# %%
# Five components of at most six words.

model = JacobiPCA(5, max_nonzeros=6).fit(X)
words = vectorizer.get_feature_names_out()
for component, share in zip(model.components_, model.explained_variance_ratio_, strict=True):
    order = np.argsort(-np.abs(component))[: np.count_nonzero(component)]
    print(f"{share:5.1%}  " + ", ".join(f"{words[j]} {component[j]:+.2f}" for j in order))

# %%
# Where the texts lie along two of the topics.

Z = model.transform(X)
fig, ax = plt.subplots(layout="constrained")
ax.scatter(Z[:, 0], Z[:, 1], s=8, alpha=0.6)
ax.set(xlabel="first topic", ylabel="second topic")
plt.show()
