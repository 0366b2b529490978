"""What `rlpt audit` looks at, and so which root config it composes."""

from __future__ import annotations

from collections.abc import Sequence

from rlpt.errors import UserError

VERIFIER, DOMAIN, POLICY = "audit", "audit_domain", "audit_policy"
OF_A_VERIFIER = frozenset({"verifier", "cases"})
OF_A_POLICY = frozenset({"tool", "sampler", "samples", "group_size"})
OF_A_DOMAIN = frozenset({"domain", "attack", "split", "tasks", "mutants", "near", "policy", *OF_A_POLICY})


def audit_root(overrides: Sequence[str]) -> str:
    """Return the root config: of a verifier, of a domain, or of a domain under a policy.

    Raises:
        UserError: where the overrides name a domain and also what belongs to a verifier, or no domain but what belongs
            to one, or no policy but what belongs to one.
    """
    chosen = [text.lstrip("+").partition("=")[0] for text in overrides]
    keys = [key.partition(".")[0].partition("@")[0] for key in chosen]
    if "domain" not in chosen:
        if alone := next((key for key in keys if key in OF_A_DOMAIN), None):
            raise UserError(f"rlpt audit {alone}=... is about a domain; add domain=NAME.")
        return VERIFIER
    if other := next((key for key in chosen if key.partition(".")[0] in OF_A_VERIFIER), None):
        hint = " (to give domain NAME another verifier write verifier@domain.NAME.verifier=OPTION)"
        raise UserError(
            f"rlpt audit looks at a domain or at a verifier with cases; leave out {other}=... or domain=..."
            f"{hint if other == 'verifier' else ''}."
        )
    if "policy" in chosen:
        return POLICY
    if alone := next((key for key in keys if key in OF_A_POLICY or key == "policy"), None):
        raise UserError(f"rlpt audit {alone}=... is about a policy; add policy=NAME.")
    return DOMAIN
