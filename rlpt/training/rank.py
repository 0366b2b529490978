"""`python -m rlpt.training.rank VERB RUN_DIR`: one rank of a run whose configuration lies in its directory."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from rlpt.config import record
from rlpt.config.resolve import frozen
from rlpt.errors import UserError, complain
from rlpt.parent import when_orphaned


def main() -> int:
    """Run this rank; its number is in the environment (LOCAL_RANK)."""
    from rlpt.training.ranks import local_rank
    from rlpt.training.run import train_rank
    from rlpt.training.sft import sft_rank

    # As after Ctrl-C: what is in hand is saved.
    when_orphaned(lambda: os.kill(os.getpid(), signal.SIGTERM), os.getppid())
    verb, run_dir = sys.argv[1], Path(sys.argv[2])
    cfg = frozen(record.recorded_config(run_dir))
    try:
        {"train": train_rank, "sft": sft_rank}[verb](cfg, run_dir)
    except UserError as error:
        complain(error, with_traceback=cfg.traceback)
        return 2
    except KeyboardInterrupt as interrupt:
        if local_rank() == 0:
            print(f"\nrlpt: {str(interrupt) or 'Interrupted.'}", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
