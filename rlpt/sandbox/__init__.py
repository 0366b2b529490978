"""Sandboxes: run programs that nobody has read, and return what happened, never a judgement."""
