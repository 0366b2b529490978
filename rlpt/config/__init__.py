"""Composing, checking and recording configs. Nothing in here imports torch, vLLM, transformers or Lightning."""
