"""Language: words, sentences, differences, contradictions, fingerprints, redaction. Knows nothing of learnings."""
