"""The USPS digits, for the tests that need them: an npz file with X and y that JACOBEIG_USPS names."""

import os
from pathlib import Path

import pytest

USPS = Path(os.environ.get("JACOBEIG_USPS", "usps.npz"))
needs_usps = pytest.mark.skipif(not USPS.exists(), reason="JACOBEIG_USPS does not name a file of the USPS digits")
