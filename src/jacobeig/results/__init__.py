"""What a run returns, and how it is kept and measured: plain values that do not need the matrix."""

from jacobeig.results.front import Front
from jacobeig.results.progress import Progress
from jacobeig.results.result import EigenResult, Method, Status, load
from jacobeig.results.rotations import BlockSequence, RotationSequence

__all__ = ["BlockSequence", "EigenResult", "Front", "Method", "Progress", "RotationSequence", "Status", "load"]
