"""`python -m rlpt`: the same as the command `rlpt`."""

import sys

from rlpt.cli import main

if __name__ == "__main__":
    sys.exit(main())
