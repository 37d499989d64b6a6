"""Loads the ONNX models of the package: verified by checksum, on one thread, without telemetry."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

from heedful.errors import Misconfigured, MissingExtra

_HINT = "Install it again: pip install --force-reinstall --no-deps heedful"


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
