"""Compiled inner loops. They never check their arguments: the rooms above have done so."""
