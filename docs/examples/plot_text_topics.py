"""
Topics of short texts
=====================

Weights of words are sparse, and stay so: nothing is made dense. Each component has at most eight words, so it reads as
a topic.
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
vectorizer = TfidfVectorizer(token_pattern=r"\w+", stop_words=COMMON)
X = vectorizer.fit_transform(texts)
print(f"{X.shape[0]} texts, {X.shape[1]} words, {X.nnz / np.prod(X.shape):.0%} of the entries stored")

# %%
# Five components of at most eight words. Weights of words are at least zero, and so is what is common to a topic:
# without centring, a component is a topic and not a contrast of two.

model = JacobiPCA(5, max_nonzeros=8, center=False).fit(X)
words = vectorizer.get_feature_names_out()
for component, share in zip(model.components_, model.explained_variance_ratio_, strict=True):
    order = np.argsort(-np.abs(component))[: np.count_nonzero(component)]
    print(f"{share:5.1%}  " + ", ".join(f"{words[j]} {component[j]:+.2f}" for j in order))

# %%
# The topics, and where the texts lie along two of them: on an axis if about one subject, between if about both.

Z = model.transform(X)
fig, axes = plt.subplots(1, 6, figsize=(13, 3), width_ratios=(1, 1, 1, 1, 1, 1.8), layout="constrained")
for number, (ax, component) in enumerate(zip(axes, model.components_, strict=False)):
    used = np.flatnonzero(component)
    used = used[np.argsort(component[used])]
    ax.barh(words[used], component[used], color=f"C{number}")
    ax.set(title=f"topic {number + 1}", xticks=[])
    ax.spines[["top", "right", "bottom"]].set_visible(False)
axes[-1].scatter(Z[:, 0], Z[:, 1], s=8, alpha=0.6, color="0.3")
axes[-1].set(xlabel="topic 1", ylabel="topic 2", xticks=[], yticks=[])
plt.show()
