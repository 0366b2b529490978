"""The image of `sandbox=docker`: its name says what is in it."""

from __future__ import annotations

import hashlib
from pathlib import Path

REPOSITORY = "rlpt-sandbox"
RECIPE = Path(__file__).with_name("image_recipe.sh")


def image_tag() -> str:
    """`rlpt-sandbox:<hash of the recipe>`: another recipe is another image."""
    return f"{REPOSITORY}:{hashlib.sha256(RECIPE.read_bytes()).hexdigest()[:12]}"
