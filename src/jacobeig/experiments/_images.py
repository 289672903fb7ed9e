"""Images of digits prepared as the paper's experiments take them."""

import numpy as np

from jacobeig._types import Floats

BATCH = 10_000  # images at a time, for memory


def subtract_own_mean(pixels: Floats) -> Floats:
    """Return each image minus its own mean: what reproduces the paper's seven accuracies, though it does not say so."""
    centred: Floats = pixels - pixels.mean(axis=1, keepdims=True)
    return centred


def sum_products(pixels: Floats, *, centre_images: bool) -> Floats:
    """Return X^T X, which the paper calls the covariance."""
    total = np.zeros((pixels.shape[1], pixels.shape[1]))
    for start in range(0, len(pixels), BATCH):
        batch = pixels[start : start + BATCH]
        batch = subtract_own_mean(batch) if centre_images else batch
        total += batch.T @ batch
    return total
