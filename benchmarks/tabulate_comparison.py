"""The table of docs/benchmarks.md, from the csv files of one or more runs of bench_compare.py.

python benchmarks/bench_compare.py --usps FILE --output quick
python benchmarks/bench_compare.py --usps FILE --methods bb --output slow     # hours: 10 s a component
python benchmarks/tabulate_comparison.py quick slow
"""

import argparse
import csv
from collections import defaultdict
from pathlib import Path

from bench_compare import FREE, NO_BUDGET, OWN, TIED

Row = dict[str, str]


def read(folders: list[Path]) -> dict[tuple[str, float], dict[str, Row]]:
    """Rows of all runs by data set and density, and there by method; a later run replaces an earlier one."""
    points: dict[tuple[str, float], dict[str, Row]] = defaultdict(dict)
    for folder in folders:
        for path in sorted(folder.glob("*.csv")):
            with open(path, newline="", encoding="utf-8") as file:
                for row in csv.DictReader(file):
                    points[path.stem, float(row["asked"])][row["method"]] = row
    return points


def best(rows: list[Row], key: str) -> tuple[float, str]:
    """Largest value and its method; methods that failed have nan, which is never larger."""
    return max(
        ((float(row[key]), row["method"]) for row in rows if row[key] not in ("", "nan")), default=(float("nan"), "-")
    )


def compared(rows: list[Row], ours: tuple[str, ...], key: str) -> str:
    """Our quick and best effort and the best rival, as three cells; ours that lose are marked."""
    quick, thorough = (best([row for row in rows if row["method"] == name], "captured")[0] for name in ours)
    rival, name = best([row for row in rows if row["method"] not in (*OWN, *NO_BUDGET, "pca")], key)
    cells = [f"{value:.4f}" + (" (behind)" if value < rival - 5e-5 else "") for value in (quick, thorough)]
    return " | ".join([*cells, f"{rival:.4f} ({name})"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    print("| data | density | free | free, best | best rival | refine | refine, best | best rival made orthonormal |")
    print("|" + " --- |" * 8)
    for (data, density), methods in read(parser.parse_args().folders).items():
        rows = list(methods.values())
        free, tied = compared(rows, FREE, "captured"), compared(rows, TIED, "captured_orthonormal")
        print(f"| {data} | {density:.0%} | {free} | {tied} |")


if __name__ == "__main__":
    main()
