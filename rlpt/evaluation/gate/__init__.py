"""The regression gate: whether a candidate lost anything against a reference, domain by domain, with bounded error."""
