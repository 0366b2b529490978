"""Why a domain got worse: since when, what changed then, and whose updates worked against it."""
