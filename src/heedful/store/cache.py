"""A cache of computed results, each valid as long as what it was made from has not changed."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar, cast

T = TypeVar("T")


class Cache:
    """Results by name, each with the version of what it was made from. The least recently used go first."""

    def __init__(self, capacity: int = 4_096) -> None:
        self._capacity = capacity
        self._entries: OrderedDict[Hashable, tuple[Hashable, Any]] = OrderedDict()
        self._lock = threading.Lock()

    def get_or_make(self, name: Hashable, version: Hashable, make: Callable[[], T]) -> T:
        with self._lock:
            found = self._entries.get(name)
            if found is not None and found[0] == version:
                self._entries.move_to_end(name)
                return cast("T", found[1])
        made = make()
        self._put(name, version, made)
        return made

    def put(self, name: Hashable, value: object) -> None:
        """Store a value that depends on nothing but its name."""
        self._put(name, None, value)

    def get(self, name: Hashable) -> Any:
        with self._lock:
            return self._entries.get(name, (None, None))[1]

    def clear(self) -> None:
        """Forget everything: some of it was erased."""
        with self._lock:
            self._entries.clear()

    def _put(self, name: Hashable, version: Hashable, value: object) -> None:
        with self._lock:
            self._entries[name] = (version, value)
            self._entries.move_to_end(name)
            while len(self._entries) > self._capacity:
                self._entries.popitem(last=False)
