"""Opens the database that the settings name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heedful.errors import Misconfigured

if TYPE_CHECKING:
    from heedful.settings import Settings
    from heedful.store.database import Database


def database_of(settings: Settings) -> Database:
    address = settings.database
    if address.startswith(("postgresql://", "postgres://")):
        from heedful.store.postgres import PostgresDatabase  # noqa: PLC0415 - an extra

        return PostgresDatabase(address)
    if "://" in address:
        raise Misconfigured(
            f"Unsupported database address: {address.split('://')[0]}://…",
            hint="Pass a file path for SQLite, or postgresql://user:password@host/database.",
        )
    from heedful.store.sqlite import SqliteDatabase  # noqa: PLC0415 - of the two, one is needed

    return SqliteDatabase(address, durability=settings.durability)
