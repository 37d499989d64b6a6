"""Reads PDF files in processes of their own, which a broken or hostile file may crash without harm."""

from heedful.providers.pdf.process import PdfLimits, PdfProcess

__all__ = ["PdfLimits", "PdfProcess"]
