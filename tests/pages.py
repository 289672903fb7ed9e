"""What tests of the explorer share: data, and ways to read a page."""

import base64
import json
import re
import zlib

import numpy as np
import pytest
from sklearn.datasets import load_digits

import jacobeig as je
from jacobeig.results.result import Trail

pytest.importorskip("plotly")

DIGITS = load_digits().data
COVARIANCE = np.cov(DIGITS, rowvar=False)
NASTY = [
    "<script>alert(1)</script>", "</script>", "<b>bold</b>", "a 'single' \"double\" quote", "Q&A &lt;", "naïve 数 🧬",
    "two\nlines", "=1+1", "%{x} {{data}}", "<!-- <script>", "\u2028 separator", "-minus",
]  # fmt: skip


def data_in(path):
    text = path.read_text(encoding="utf-8")
    island = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, flags=re.DOTALL)
    return json.loads(island[1])


def unpack(packed):
    return np.frombuffer(zlib.decompress(base64.b64decode(packed["data"])), np.dtype(packed["dtype"]).newbyteorder("<"))


def vectors_in(data):
    """Return the vectors of every state, (states, n, p), as the page reads them."""
    counts, values = unpack(data["counts"]), unpack(data["values"])
    places, listed = np.cumsum(unpack(data["steps"])), unpack(data["features"])
    states = np.zeros((len(data["nonzeros"]), data["n"], data["p"]))
    at = 0
    for index, count in enumerate(counts):
        states[index // data["p"], listed[places[at : at + count]], index % data["p"]] = values[at : at + count]
        at += count
    return states


def scores_in(data, state=-1):
    """Return the scores of the samples, as the page computes them."""
    samples = data["samples"]
    columns = unpack(samples["columns"]).reshape(-1, samples["count"]).astype(float)
    if samples["features"] is None:
        return columns.reshape(-1, data["p"], samples["count"])[state].T
    touched = unpack(data["features"])[unpack(samples["features"])]
    scores = columns.T @ vectors_in(data)[state][touched]
    if samples["unmix"] is not None:
        scores = scores @ unpack(samples["unmix"]).reshape(data["p"], data["p"])
    return scores


def fill_run(n, p):
    """Return a run whose vectors take up one coordinate after the other, and are mixed again and again."""
    rng = np.random.default_rng(0)
    mixing = [(i, j) for i in range(p) for j in range(i + 1, p)]
    pivots = [pair for j in range(p, n) for pair in ([(j % p, j)] if j % 200 else [(j % p, j), *mixing])]
    nonzeros = p * np.maximum.accumulate([j + 1 for _, j in pivots])  # at most
    angles = rng.uniform(0.3, 1.2, len(pivots))
    chain = je.RotationSequence(
        n=n, pivots=np.array(pivots), cosines=np.cos(angles), sines=np.sin(angles), coordinates=np.arange(p)
    )
    shifts = rng.uniform(0.0, 1.0, len(pivots))
    trail = Trail(diagonal=np.ones(n), shifts=shifts, seeds=np.arange(p), weights=np.ones(p), bounds=np.zeros(2))
    method = je.Method(which="LA", target="ones", pivot="gain", start="natural")
    return je.EigenResult.from_chain(chain, shifts, nonzeros, je.Status.CONVERGED, method, trail)
