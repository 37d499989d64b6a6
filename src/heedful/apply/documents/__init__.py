"""Extraction of fields and line tables from documents, by rules and by what people corrected in the same layout."""
