"""Verifiers that misbehave as their completion says; imported by the workers of the pool's tests."""

import os
import signal
import sys
import time
from pathlib import Path

from rlpt.records import Verdict


class Obedient:
    """Does what the completion says. `marker`: a file that says that something has happened."""

    def __init__(self, marker: str = "") -> None:
        self.marker = Path(marker)

    def verify(self, task, completion):
        return getattr(self, completion)() if completion.isidentifier() else self.right(completion)

    def right(self, detail=""):
        return Verdict(1.0, "correct", detail, {"format": 1.0})

    def hang(self):
        while True:
            pass

    def hang_in_c(self):
        return 9 ** (9**9)

    def sleep(self):
        time.sleep(3600)

    def die(self):
        os.kill(os.getpid(), signal.SIGKILL)

    def leave(self):
        os._exit(3)

    def exit(self):
        sys.exit(0)

    def explode(self):
        raise ValueError("nothing is right")

    def swell(self):
        held = []
        while True:
            held.append(bytearray(2**20))
            time.sleep(0.001)

    def swell_at_once(self):
        return bytearray(2**40)

    def number(self):
        return 1.0

    def nothing(self):
        return None

    def not_a_number(self):
        return Verdict(float("nan"), "wrong")

    def unknown_status(self):
        return Verdict(0.0, "excellent")

    def chatter(self):
        print("noise " * 10_000)
        return self.right()

    def pid(self):
        return self.right(str(os.getpid()))

    def modules(self):
        return self.right(" ".join(name for name in ("torch", "vllm", "transformers", "sympy") if name in sys.modules))

    def die_once(self):
        if not self.marker.exists():
            self.marker.touch()
            self.die()
        return self.right()


class Holding(Obedient):
    """Holds something until it is closed."""

    def close(self):
        self.marker.touch()


class Unbuildable:
    def __init__(self, size: int) -> None:
        raise ValueError(f"size {size} is too small")


class Mutating:
    """Changes the task that it is given, as far as it can."""

    def verify(self, task, completion):
        task.reference["answer"].append("more")
        return Verdict(1.0, "correct", str(task.reference), {"format": 1.0})


class Listening:
    """Tells what its constructor was given."""

    def __init__(self, names, node) -> None:
        self.told = f"{type(names).__name__} {type(node).__name__} {node.get('_target_')}"

    def verify(self, task, completion):
        return Verdict(1.0, "correct", self.told, {"format": 1.0})
