"""Allocations that would not fit are refused before they are made."""

import builtins
import os

import pytest

from jacobeig.errors import TooLargeError
from jacobeig.sources import memory, require_memory


def test_what_fits_is_let_through():
    require_memory(1, "one byte", ["a", "b"])


def test_what_does_not_fit_is_refused_with_both_sizes_and_the_ways_out(monkeypatch):
    monkeypatch.setattr(memory, "available_memory", lambda: 2_000_000_000)
    with pytest.raises(TooLargeError) as raised:
        require_memory(80_000_000_000, "The covariance", ["use GramRows", "use float32"])
    assert str(raised.value) == ("The covariance would take 80 GB, but 2 GB are free: use GramRows; or use float32.")
    assert isinstance(raised.value, MemoryError)


def test_nothing_is_refused_where_the_system_does_not_say(monkeypatch):
    monkeypatch.setattr(memory, "available_memory", lambda: None)
    require_memory(10**30, "everything", [])


def test_available_memory_is_plausible():
    available = memory.available_memory()
    assert available is None or 10**6 < available < 10**15


def test_sysconf_is_asked_where_there_is_no_meminfo(monkeypatch):
    def no_file(*args, **kwargs):
        raise FileNotFoundError

    monkeypatch.setattr(builtins, "open", no_file)
    monkeypatch.setattr(os, "sysconf_names", {"SC_PHYS_PAGES": 1}, raising=False)
    monkeypatch.setattr(os, "sysconf", {"SC_PHYS_PAGES": 100, "SC_PAGE_SIZE": 4096}.__getitem__, raising=False)
    assert memory.available_memory() == 409_600
    monkeypatch.setattr(os, "sysconf_names", {}, raising=False)
    assert memory.available_memory() is None
