"""Loads the ONNX models of the package: once per process, verified by checksum, on one thread, without telemetry."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

from heedful.errors import Misconfigured, MissingExtra

_HINT = "Install it again: pip install --force-reinstall --no-deps heedful"
_LOADED: dict[Path, Any] = {}
_LOADING = threading.RLock()
_T = TypeVar("_T")
_PRODUCT = (  # an ONNX model: y = MatMulInteger(a, b), of unsigned and signed bytes
    b'\x08\x08:>\n\x18\n\x01a\n\x01b\x12\x01y"\rMatMulInteger\x12\x01g'
    b"Z\t\n\x01a\x12\x04\n\x02\x08\x02Z\t\n\x01b\x12\x04\n\x02\x08\x03b\t\n\x01y\x12\x04\n\x02\x08\x06B\x02\x10\r"
)
_LENGTH, _WIDTH, _HEIGHTS = 64, 16, (1, 8)  # of the products tried: one row is computed in another way than several


def once(path: Path, load: Callable[[Path], _T]) -> _T:
    """What was loaded from a path, by whichever thread was first."""
    if path in _LOADED:
        return cast("_T", _LOADED[path])
    with _LOADING:
        if path not in _LOADED:
            _LOADED[path] = load(path)
        return cast("_T", _LOADED[path])


def _in_child() -> None:
    _LOADED.clear()  # a lock held by a thread of the parent would stay locked forever
    _LOADING.release()


if hasattr(os, "register_at_fork"):
    # A fork waits until a model is loaded: a child cannot finish an import that a thread of its parent had begun.
    os.register_at_fork(before=_LOADING.acquire, after_in_parent=_LOADING.release, after_in_child=_in_child)


def verified(path: Path, checksum: str) -> Path:
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise Misconfigured(f"A model file cannot be read: {error}.", hint=_HINT) from error
    if found != checksum:
        raise Misconfigured(f"A model file is damaged: {path}.", hint=_HINT)
    return path


def session(path: Path) -> Any:
    runtime = _runtime()
    options = _options(runtime)
    if products_overflow():  # then in twice the time, and with the same results as elsewhere
        options.add_session_config_entry("session.x64quantprecision", "1")
    return runtime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


@cache
def products_overflow() -> bool:
    """Whether this processor adds products of bytes in 16 bits, as those without VNNI do: silently, and wrongly."""
    runtime = _runtime()
    import numpy as np

    product = runtime.InferenceSession(_PRODUCT, _options(runtime), providers=["CPUExecutionProvider"])
    right = np.full((_LENGTH, _WIDTH), np.iinfo(np.int8).max, np.int8)
    for height in _HEIGHTS:
        left = np.full((height, _LENGTH), np.iinfo(np.uint8).max, np.uint8)
        (found,) = product.run(["y"], {"a": left, "b": right})
        if (found != left.astype(np.int32) @ right.astype(np.int32)).any():
            return True
    return False


def _options(runtime: Any) -> Any:
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1  # two are a quarter faster on idle cores and take twice as long on busy ones
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False  # it would keep the memory of the longest text
    options.log_severity_level = 3  # errors
    return options


def _runtime() -> Any:
    # Read at import. Without it, onnxruntime writes an identifier to the home directory and reports to its makers.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    try:
        import onnxruntime
    except ImportError as error:
        raise MissingExtra(
            f"The local models need onnxruntime, which cannot be imported ({error}).",
            hint="Install it: pip install onnxruntime",
        ) from error
    onnxruntime.disable_telemetry_events()  # for when another library was there first
    return onnxruntime
