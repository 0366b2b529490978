"""Sandboxes: they run programs that nobody trusts and say what happened. Docker containers, or namespaces alone."""

from rlpt.sandbox.protocol import Call, CallResult, Calls, Execution, Limits, Opaque, Sandbox

__all__ = ["Call", "CallResult", "Calls", "Execution", "Limits", "Opaque", "Sandbox"]
