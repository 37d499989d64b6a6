"""Transcripts: conversations as AI tools store them on disk. Other packages add readers by an entry point."""

from __future__ import annotations

from heedful.capture.conversations.transcripts.discovery import files, readers
from heedful.capture.conversations.transcripts.reader import (
    DamagedRecord,
    TranscriptMessage,
    TranscriptReader,
    UnreadableFile,
)

__all__ = ["DamagedRecord", "TranscriptMessage", "TranscriptReader", "UnreadableFile", "files", "readers"]
