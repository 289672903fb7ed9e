"""Writes docs/published.md: ours against every published figure of tests/published/figures.csv.

    python benchmarks/tabulate_published.py [--time-limit 60]

Data that cannot be shipped are looked for in the folder that JACOBEIG_DATA names; where they are absent, rows say so.
"""

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "published"))
from record import load_matrix, measure, read_figures  # noqa: E402  # found by the line above

HEAD = """# Against the published record

Every published figure that we know for data that can be had, and what our vectors come to within the same budget:
exactly orthonormal (to 1e-12), found by `refine="best"` and `je.certify(..., effort="best")`. *At most* is what no
orthonormal vectors with that budget exceed (see [certificates](certificates.md)); "optimal" is ours, proved to 1e-4.
Shares are of the trace.

This page is written by `python benchmarks/tabulate_published.py`; `tests/published/` holds the figures, with their
sources, and fails where ours fall short.

| data | p | nonzeros | published | what it is | ours, orthonormal | at most | ours, free basis |
| --- | --- | --- | --- | --- | --- | --- | --- |
"""


def tabulate(figure, time_limit):
    nonzeros = f"{figure.max_nonzeros} each" if figure.max_nonzeros else f"{figure.total_nonzeros} in all"
    start = [figure.data, figure.n_components, nonzeros, figure.published, figure.kind]
    S = load_matrix(figure.data)
    if S is None:
        return [*start, "data not at hand", "", ""]
    places = len(figure.published.partition(".")[2])
    ours = measure(figure, S, time_limit=time_limit)
    proved = ours.bound <= ours.value * (1 + 1e-4)
    free = ""
    if figure.kind == "not orthogonal":
        free = f"{measure(figure, S, orthonormal=False, time_limit=time_limit).value:.{places}f}"
    return [*start, f"{ours.value:.{places}f}", "optimal" if proved else f"{ours.bound:.{places}f}", free]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--time-limit", type=float, default=60.0)
    options = parser.parse_args()
    figures = read_figures()
    rows = ["| " + " | ".join(map(str, tabulate(figure, options.time_limit))) + " |" for figure in figures]
    sources = dict.fromkeys(figure.source for figure in figures)
    lists = [
        f"- {source}: {', '.join(dict.fromkeys(f.data for f in figures if f.source == source))}." for source in sources
    ]
    text = HEAD + "\n".join(rows) + "\n\nSources:\n\n" + "\n".join(lists) + "\n"
    (ROOT / "docs" / "published.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
