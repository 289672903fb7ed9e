"""Compiled inner loops. They never check their arguments; `_validation` has done so."""
