"""Allocations that would not fit are refused before they are made."""

import os
import re
import subprocess
import sys

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


def test_sysconf_is_asked_where_there_is_no_meminfo(monkeypatch, tmp_path):
    monkeypatch.setattr(memory, "PROCESS", tmp_path)
    monkeypatch.setattr(os, "sysconf_names", {"SC_PHYS_PAGES": 1}, raising=False)
    monkeypatch.setattr(os, "sysconf", {"SC_PHYS_PAGES": 100, "SC_PAGE_SIZE": 4096}.__getitem__, raising=False)
    assert memory.available_memory() == 409_600
    monkeypatch.setattr(os, "sysconf_names", {}, raising=False)
    assert memory.available_memory() is None


def run_limited(code, limit):
    """What a program prints whose address space is limited to this many bytes more than its imports take."""
    program = f"""
import resource
from jacobeig.errors import TooLargeError
from jacobeig.sources import memory, require_memory
used = 1024 * int(memory._read_lines(memory.PROCESS / "self" / "status", ":")["VmSize"].split()[0])
resource.setrlimit(resource.RLIMIT_AS, (used + {limit}, used + {limit}))
{code}
"""
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout


@pytest.mark.skipif(sys.platform != "linux", reason="Linux counts the address space")
def test_a_limit_of_the_process_counts():
    code = """
try:
    require_memory(600_000_000, "A matrix", ["take less"])
except TooLargeError as error:
    print(error)
require_memory(300_000_000, "A matrix", ["take less"])
"""
    said = run_limited(code, 500_000_000)
    assert re.fullmatch(r"A matrix would take 0.6 GB, but 0\.(4[5-9]|5)\d* GB are free: take less.\n", said)


@pytest.mark.parametrize("version", [1, 2])
def test_the_limits_of_all_groups_around_the_process_count(version, tmp_path, monkeypatch):
    names = (
        ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
        if version == 1
        else ("memory.max", "memory.current", "inactive_file")
    )
    process, groups = tmp_path / "proc", tmp_path / "groups"
    (process / "self").mkdir(parents=True)
    line = "4:memory:/outer/inner\n1:cpu:/\n0::/\n" if version == 1 else "0::/outer/inner\n"
    (process / "self" / "cgroup").write_text(line)
    (process / "meminfo").write_text("MemAvailable: 1000000 kB\n")
    monkeypatch.setattr(memory, "PROCESS", process)
    monkeypatch.setattr(memory, "GROUPS", groups)
    assert memory.available_memory() == 1_024_000_000

    def limit(group, most, used, spare):
        folder = groups / ("memory" if version == 1 else "") / group
        folder.mkdir(parents=True, exist_ok=True)
        (folder / names[0]).write_text(f"{most}\n")
        (folder / names[1]).write_text(f"{used}\n")
        (folder / "memory.stat").write_text(f"anon 7\n{names[2]} {spare}\n")

    limit("outer/inner", 2**63 - 4096 if version == 1 else "max", 500, 0)
    assert memory.available_memory() == 1_024_000_000
    limit("outer", 400_000_000, 300_000_000, 50_000_000)
    assert memory.available_memory() == 150_000_000
    limit("outer/inner", 200_000_000, 350_000_000, 0)
    assert memory.available_memory() == 0
