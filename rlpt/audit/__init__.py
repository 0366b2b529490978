"""Whether verdicts can be trusted: labelled completions through the real verifier pool, and what comes of it."""
