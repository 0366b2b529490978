"""`rlpt audit verifier=NAME cases=FILE`: labelled cases through the verifier, in the processes that a run uses."""

from __future__ import annotations

from pathlib import Path

from omegaconf import DictConfig, OmegaConf

from rlpt.audit.cases import read_cases
from rlpt.audit.outcomes import Outcome, judge_twice
from rlpt.audit.references import TARGET, check_references
from rlpt.audit.report import confusion_table, disagreements, repeatability, sound, timing_line
from rlpt.audit.rows import check_writable, write_rows
from rlpt.config.machine import this_machine
from rlpt.evaluation.table import print_table
from rlpt.evaluation.text import emit
from rlpt.sandbox.choice import settle_all
from rlpt.verifiers.pool import VerifierPool


def audit_cases(cfg: DictConfig, name: str) -> bool:
    """Judge the cases of `cfg.cases` with `cfg.verifier`, called `name` in messages; print what came of it.

    Returns:
        Whether every verdict said what its case says, and said it again.

    Raises:
        UserError: for a bad file, a reference that the verifier refuses, a verifier or sandbox that cannot be built.
    """
    file = Path(cfg.cases).expanduser()
    out = Path(cfg.out).expanduser() if cfg.out else None
    cases = read_cases(file)
    if out is not None:
        check_writable(out, file)
    verifier = settle_all(OmegaConf.to_container(cfg.verifier), lambda choice: print(choice, flush=True))
    workers = min(cfg.verification.workers or this_machine().cores, len(cases))
    limits = {"timeout_s": cfg.verification.timeout_s, "memory_mb": cfg.verification.memory_mb}
    # One worker: a check takes next to no time, and each worker builds the verifier anew.
    with VerifierPool({name: {"_target_": TARGET, "verifier": verifier}}, workers=1, **limits) as pool:
        check_references(file, cases, name, pool)
    with VerifierPool({name: verifier}, workers, **limits) as pool:
        judged = judge_twice([case.item(name) for case in cases], pool, cfg.seed)
    outcomes = [Outcome(case.id, case.correct, case.completion, one) for case, one in zip(cases, judged, strict=True)]
    if out is not None:
        write_rows(out, [outcome.row() for outcome in outcomes])
    print_table(confusion_table(outcomes))
    for text in (disagreements(outcomes), repeatability(outcomes, cfg.seed), timing_line(outcomes, workers)):
        emit(f"\n{text}")
    return sound(outcomes)
