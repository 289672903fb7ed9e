"""What all pictures share: axes to draw on, colours that everyone can tell apart, and a plain frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jacobeig._arguments import name_type
from jacobeig._docs import share_docs
from jacobeig._extras import import_extra
from jacobeig.errors import InvalidTypeError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
else:
    Axes = Any  # matplotlib is loaded when something is drawn, and not for the sake of a type

__all__ = [
    "DIVERGING",
    "MARKERS",
    "PALETTE",
    "SEQUENTIAL",
    "Axes",
    "draw_legend",
    "draws",
    "get_axes",
    "label_density_axis",
    "tidy",
]

# Okabe and Ito's colours without their yellow, and a grey: different for every kind of colour vision.
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#8c8c8c")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<")
# Blue and red, white exactly at zero.
DIVERGING = "RdBu_r"
SEQUENTIAL = "Blues"
DENSITY_TICKS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)

# Marks a function that draws on `ax` and returns it, and completes its docstring.
draws = share_docs(
    names="""
names : sequence of str, optional
    The features' names; by default those that the model or its data had, else "feature 0" and so on.
""",
    ax="""
ax : matplotlib Axes, optional
    Where to draw; new ones by default.

Returns
-------
Axes
    The axes drawn on.
""",
)


def get_axes(ax: Axes | None, figsize: tuple[float, float] = (5.0, 3.6)) -> Axes:
    """Return `ax`, or new axes of a size that fits a page."""
    if ax is not None:
        if not hasattr(ax, "plot"):
            raise InvalidTypeError(f"ax is {name_type(ax)}; give a matplotlib Axes, or None for new ones.")
        return ax
    new: Axes = import_extra("matplotlib.pyplot").subplots(figsize=figsize, layout="constrained")[1]
    return new


def tidy(ax: Axes) -> Axes:
    """Take away the frame where it says nothing, and draw a faint grid."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(alpha=0.25, linewidth=0.6)
    ax.set_axisbelow(True)
    return ax


def label_density_axis(ax: Axes) -> None:
    """Make the abscissa a logarithmic density in per cent, with ticks at round numbers."""
    ax.set(xscale="log", xlabel="density (%)")
    low, high = ax.get_xlim()
    ticks = [tick for tick in DENSITY_TICKS if low <= tick <= high]
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.minorticks_off()


def draw_legend(ax: Axes, markerscale: float = 1.0) -> None:
    """Put the legend to the right of the axes, where it hides nothing."""
    ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False, borderaxespad=0.0, markerscale=markerscale)
