"""Arrays as text that JSON can hold and a browser can read."""

import base64
import zlib
from typing import Any

from numpy.typing import NDArray


def pack(array: NDArray[Any]) -> dict[str, str]:
    """Return an array as text that a browser turns back into a typed array: little-endian, deflated, base64.

    Examples
    --------
    >>> import base64, zlib
    >>> import numpy as np
    >>> from jacobeig.explorer._packing import pack
    >>> packed = pack(np.arange(3, dtype=np.uint32))
    >>> packed["dtype"], np.frombuffer(zlib.decompress(base64.b64decode(packed["data"])), "<u4").tolist()
    ('uint32', [0, 1, 2])
    """
    plain = array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
    return {"dtype": array.dtype.name, "data": base64.b64encode(zlib.compress(plain, 9)).decode("ascii")}
