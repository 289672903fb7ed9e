"""Pictures of results. Each function takes an optional `ax` and returns it."""

from jacobeig.plotting._components import plot_components, plot_loadings
from jacobeig.plotting._demo import save_demo
from jacobeig.plotting._fronts import plot_bound, plot_front, plot_path
from jacobeig.plotting._graph import plot_graph_modes
from jacobeig.plotting._heatmap import plot_overview, plot_stability
from jacobeig.plotting._samples import plot_biplot, plot_scores
from jacobeig.plotting._scree import plot_scree
from jacobeig.plotting.convergence import plot_convergence

__all__ = [
    "plot_biplot",
    "plot_bound",
    "plot_components",
    "plot_convergence",
    "plot_front",
    "plot_graph_modes",
    "plot_loadings",
    "plot_overview",
    "plot_path",
    "plot_scores",
    "plot_scree",
    "plot_stability",
    "save_demo",
]
