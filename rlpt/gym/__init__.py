"""What rlpt knows of the generators of the package reasoning-gym: which may be used, and how their answers are judged.

The domain `reasoning_gym` makes tasks with them and the verifier `reasoning_gym` judges answers; both read it here.
The package itself is optional and only imported where one of them is built.
"""
