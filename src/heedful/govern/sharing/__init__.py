"""Sharing learnings in a file: `export` writes one, `import_` reads one completely or not at all."""
