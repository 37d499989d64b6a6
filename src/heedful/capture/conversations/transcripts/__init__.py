"""Transcripts: conversations with AI tools as those tools left them on disk, read message by message.

A reader knows one form; other packages add readers by the entry point group `heedful.transcripts`.
"""

from __future__ import annotations

from heedful.capture.conversations.transcripts.discovery import files, readers
from heedful.capture.conversations.transcripts.reader import (
    DamagedRecord,
    TranscriptMessage,
    TranscriptReader,
    UnreadableFile,
)

__all__ = ["DamagedRecord", "TranscriptMessage", "TranscriptReader", "UnreadableFile", "files", "readers"]
