"""Every figure of the paper, made again: numbers, pictures, and a sentence on how they compare with what it states.

>>> import jacobeig as je
>>> sorted(je.experiments.FIGURES)[:3]
['angles', 'angles-low-rank', 'eigenvalues']
"""

from jacobeig.experiments._figure import Figure, FigureData, Outcome
from jacobeig.experiments._reproduce import FIGURES, reproduce

__all__ = ["FIGURES", "Figure", "FigureData", "Outcome", "reproduce"]
