"""Documents: their layouts, drafts and mappings, as every stage looks them up."""
