"""A small table of numbers, and the text files that hold it."""

import numpy as np

VALUES = np.array([[1.5, 2.0, -3.25], [4.0, 5.5, 6.0], [0.1, 0.2, 0.3], [1e-7, 2e5, 3.0]])


def write(path, text, encoding="utf-8"):
    path.write_bytes(text.encode(encoding))
    return path


def lines_of(separator=",", header=None, rows=None, values=VALUES):
    lines = [] if header is None else [separator.join(header)]
    for t, row in enumerate(values):
        cells = [repr(float(value)) for value in row]
        lines.append(separator.join(cells if rows is None else [rows[t], *cells]))
    return "\n".join(lines) + "\n"
