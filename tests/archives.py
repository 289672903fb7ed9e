"""Plain files changed from outside."""

import numpy as np


def rewrite(path, **changes):
    """Change or drop (None) parts of a file, keeping it a valid npz."""
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    arrays |= changes
    np.savez(path, **{name: array for name, array in arrays.items() if array is not None})
