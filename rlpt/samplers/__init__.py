"""Inference engines that write Rollouts; each always holds a numbered policy version."""
