"""Where everything is kept: one set of SQL over two databases, SQLite and PostgreSQL."""

from heedful.store.store import Store

__all__ = ["Store"]
