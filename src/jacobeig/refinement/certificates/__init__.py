"""Certificates: how much any vectors within the budgets can capture at most, with the multipliers that prove it."""

from jacobeig.refinement.certificates._certificate import Certificate
from jacobeig.refinement.certificates._certify import certify
from jacobeig.refinement.certificates._front import certify_front

__all__ = ["Certificate", "certify", "certify_front"]
