"""Small sound files of every format, written by code: what the fuzzer damages, and tests that need one of each."""

import gzip
import struct
from pathlib import Path

import h5py
import networkx as nx
import numpy as np
import pandas as pd
from scipy import sparse
from scipy.io import mmwrite, savemat
from tables import VALUES

import jacobeig as je

SPARSE = sparse.csr_array(np.where(np.arange(80).reshape(10, 8) % 3 == 0, np.arange(80).reshape(10, 8), 0.0))
GRAPH = nx.relabel_nodes(nx.path_graph(4), {0: "Ada", 1: "Bob", 2: "Eve", 3: "Zoe"})
TEXTS = {
    "plain.csv": "a,b,c\n1,2,3\n4,5,6\n7,8,10\n",
    "named.tsv": "\tBRCA1\tTP53\nanna\t1\t2.5\nben\t3\t4\n",
    "quoted.csv": '"a","b, c"\n"1",2\n3,"4"\n',
    "comma.csv": "a;b\n1,5;2,25\n3,0;4,5\n",
    "blanks.txt": "# made by hand\n1 2 3\n4 5 6\n7 8 9\n",
    "matrix.csv": ",a,b\na,1,0.5\nb,0.5,2\n",
    "friends.edges": "anna ben 2\nben eve 1\neve anna 3\n",
    "numbers.edges": "9007199254740993 1\n1 18446744073709551615\n",
    "dictionaries.edgelist": "1 2 {'weight': 3}\n2 3 {'weight': 0.5, 'colour': 'red'}\n",
    "places.csv": "node,x,y\n1,1,2\n2,3,4\n3,5,6\n",
}


def write_corpus(folder: Path) -> list[Path]:
    """Write all files, and return them in a fixed order."""
    for name, text in TEXTS.items():
        (folder / name).write_text(text)
    (folder / "packed.csv.gz").write_bytes(gzip.compress(TEXTS["plain.csv"].encode(), mtime=0))
    _write_arrays(folder)
    _write_hdf5(folder)
    _write_networks(folder)
    _write_models(folder)
    return sorted(file for file in folder.iterdir() if file.is_file())


def _write_arrays(folder: Path) -> None:
    np.save(folder / "dense.npy", VALUES)
    np.save(folder / "edges.npy", np.array([[1, 2], [2, 3], [3, 1], [1, 4]]))
    np.savez(folder / "named.npz", X=VALUES, y=np.arange(4) % 2, feature_names=np.array(["a", "b", "c"]))
    np.savez_compressed(folder / "packed.npz", X=VALUES, note=np.array("made by hand"))
    for form in ("csr", "csc", "coo", "dia", "bsr"):
        sparse.save_npz(folder / f"{form}.npz", getattr(SPARSE, f"to{form}")(), compressed=False)
    mmwrite(folder / "dense.mtx", VALUES)
    mmwrite(folder / "sparse.mtx", SPARSE)
    mmwrite(folder / "pattern.mtx", sparse.coo_array(nx.to_scipy_sparse_array(GRAPH)), field="pattern")
    (folder / "packed.mtx.gz").write_bytes(gzip.compress((folder / "sparse.mtx").read_bytes(), mtime=0))
    savemat(folder / "new.mat", {"X": VALUES, "name": "digits"})
    savemat(folder / "sparse.mat", {"X": SPARSE.tocsc(), "c": np.array([1, "a"], dtype=object)})
    savemat(folder / "packed.mat", {"X": VALUES + 1j, "y": np.arange(3)}, do_compression=True)
    savemat(folder / "old.mat", {"X": VALUES, "name": "digits"}, format="4")
    frame = pd.DataFrame(VALUES, columns=["a", "b", "c"])
    frame.to_parquet(folder / "plain.parquet")
    frame.assign(kind=["red", "blue", "red", None]).set_index("kind").to_parquet(folder / "named.parquet")


def _write_hdf5(folder: Path) -> None:
    with h5py.File(folder / "dense.h5", "w") as file:
        file["group/X"] = VALUES
        file.create_dataset("y", data=np.arange(4000), chunks=(100,), compression="gzip")
    for form in ("csr", "csc"):
        write_anndata(folder / f"{form}.h5ad", SPARSE, form)
    with h5py.File(folder / "sparse73.mat", "w", userblock_size=512) as file:
        write_matlab_sparse(file, "X", SPARSE)
        file["small"] = VALUES.T
    mark_matlab(folder / "sparse73.mat")


def write_anndata(path: Path, X: sparse.csr_array, form: str) -> None:
    """Write a file as AnnData does, with other matrices beside a sparse X."""
    with h5py.File(path, "w") as file:
        file.attrs["encoding-type"] = "anndata"
        matrix = getattr(X, f"to{form}")()
        group = file.create_group("X")
        group.attrs["encoding-type"], group.attrs["shape"] = f"{form}_matrix", X.shape
        for part in ("data", "indices", "indptr"):
            group.create_dataset(part, data=getattr(matrix, part), compression="gzip")
        file["obsm/X_pca"] = X.toarray()[:, :2]
        for side, name, length in (("obs", "cell", X.shape[0]), ("var", "gene", X.shape[1])):
            file.create_group(side).attrs["_index"] = "_index"
            file[side]["_index"] = [f"{name}{t}" for t in range(length)]
        file["obs/kind/categories"] = ["B", "T"]
        file["obs/kind/codes"] = np.arange(X.shape[0], dtype=np.int8) % 2


def write_matlab_sparse(file: h5py.File, name: str, X: sparse.csr_array) -> None:
    """Write a sparse variable as MATLAB 7.3 does."""
    matrix = X.tocsc()
    group = file.create_group(name)
    group.attrs["MATLAB_sparse"], group.attrs["MATLAB_class"] = np.uint64(X.shape[0]), b"double"
    group["data"], group["ir"], group["jc"] = matrix.data, matrix.indices.astype("u8"), matrix.indptr.astype("u8")


def mark_matlab(path: Path) -> None:
    """Put the header of a MATLAB 7.3 file into the user block of an HDF5 file."""
    with open(path, "r+b") as raw:
        raw.write(b"MATLAB 7.3 MAT-file".ljust(124) + struct.pack("<H", 0x0200) + b"IM")


def _write_networks(folder: Path) -> None:
    nx.write_graphml_xml(GRAPH, folder / "network.graphml")
    nx.write_gml(GRAPH, folder / "network.gml")


def _write_models(folder: Path) -> None:
    S = np.diag([1.0, 2.0, 3.0, 4.0]) + 0.5
    je.sparse_eigsh(S, 2).save(folder / "result.model")
    je.sparse_eigsh(S, 2, refine=True).save(folder / "refined.model")
    je.JacobiPCA(n_components=2).fit(VALUES).save(folder / "pca.model")
    je.GraphFourier(n_components=2).fit(nx.to_numpy_array(GRAPH)).save(folder / "graph.model")
