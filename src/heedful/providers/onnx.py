"""Loads the ONNX models of the package: once per process, verified by checksum, on one thread, without telemetry."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

from heedful.errors import Misconfigured, MissingExtra

_HINT = "Install it again: pip install --force-reinstall --no-deps heedful"
_LOADED: dict[Path, Any] = {}
_LOADING = threading.RLock()
_T = TypeVar("_T")


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
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1  # two are a quarter faster on idle cores and take twice as long on busy ones
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False  # it would keep the memory of the longest text
    options.log_severity_level = 3  # errors
    # Processors without VNNI would otherwise overflow silently, and give different results.
    options.add_session_config_entry("session.x64quantprecision", "1")
    return runtime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


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
