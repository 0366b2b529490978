"""Where the config groups lie: beside the package in a checkout, inside it in an installed wheel."""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent


def conf_dir() -> Path:
    """Return the folder of the config groups.

    Raises:
        FileNotFoundError: where the installation has lost it.
    """
    for folder in (PACKAGE / "_data" / "conf", PACKAGE.parent / "conf"):
        if (folder / "train.yaml").is_file():
            return folder
    raise FileNotFoundError(f"the config groups are missing beside {PACKAGE}; install rlpt again")
