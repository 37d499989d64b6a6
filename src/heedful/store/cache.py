"""What was worked out before and need not be again, as long as what it was made from has not changed."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar, cast

T = TypeVar("T")


class Memory:
    """Results by name, each with a mark of what it was made from. The longest unused go first."""

    def __init__(self, room: int = 4_096) -> None:
        self._room = room
        self._kept: OrderedDict[Hashable, tuple[Hashable, Any]] = OrderedDict()
        self._lock = threading.Lock()

    def recall(self, name: Hashable, mark: Hashable, make: Callable[[], T]) -> T:
        with self._lock:
            found = self._kept.get(name)
            if found is not None and found[0] == mark:
                self._kept.move_to_end(name)
                return cast("T", found[1])
        made = make()
        self._keep(name, mark, made)
        return made

    def keep(self, name: Hashable, value: object) -> None:
        """What depends on nothing but its name."""
        self._keep(name, None, value)

    def kept(self, name: Hashable) -> Any:
        """What was kept under a name, if it is still there."""
        with self._lock:
            return self._kept.get(name, (None, None))[1]

    def _keep(self, name: Hashable, mark: Hashable, value: object) -> None:
        with self._lock:
            self._kept[name] = (mark, value)
            self._kept.move_to_end(name)
            while len(self._kept) > self._room:
                self._kept.popitem(last=False)
