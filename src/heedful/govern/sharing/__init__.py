"""Sharing what was learned in a file: `export` writes one, `import_` takes one in, whole or not at all."""
