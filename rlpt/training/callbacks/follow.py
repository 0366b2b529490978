"""What each step takes from every domain, and the probe of what their updates do to each other."""

from __future__ import annotations

import time
from collections.abc import Sequence

from lightning import Callback, LightningModule, Trainer
from omegaconf import DictConfig

from rlpt.run_dir import RunDir
from rlpt.tracking.recorder import Recorder
from rlpt.training.composition import composition
from rlpt.training.interference import interference
from rlpt.training.module import PolicyTraining
from rlpt.training.probe import Probe


class Follow(Callback):
    """Adds each domain's shares to the step's metrics and remembers the latest rollouts with signal.

    Every rank has one, before what records.
    """

    def __init__(self, domains: Sequence[str], options: DictConfig, run: RunDir) -> None:
        """`options` is the node `evaluation`."""
        self._domains = domains
        self._probe = Probe(domains, options.probe.groups, options.probe.tokens) if options.interference else None
        self._run = run

    def on_train_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """A run that goes on remembers what it had sampled."""
        assert isinstance(pl_module, PolicyTraining)
        if self._probe is not None and pl_module.step:
            self._probe.refill(self._run)

    def on_train_batch_end(self, trainer: Trainer, pl_module: LightningModule, *unused: object) -> None:
        """Look at the step's groups."""
        assert isinstance(pl_module, PolicyTraining)
        pl_module.metrics |= composition(self._domains, pl_module.groups, pl_module.advantages)
        if self._probe is not None:
            self._probe.add(pl_module.groups, pl_module.advantages)

    def measure(self, module: PolicyTraining, recorder: Recorder | None) -> None:
        """Record how the domains' updates act on each other under the weights of now; rank 0 has the `recorder`.

        `module.interference` is that of the last time. Training goes on as if nothing had been measured. All ranks must
        call this together.
        """
        probe = self._probe.sets() if self._probe is not None else {}
        if not probe:
            return
        started = time.monotonic()
        tokens = module.cfg.hardware.tokens_per_micro_batch
        found = interference(probe, module.network, module.recipe, tokens, module.manual_backward, module.device)
        module.interference = found
        if recorder is not None:
            recorder.log(module.step, found.metrics() | {"time/interference_s": time.monotonic() - started})
            if found.cosines:
                recorder.local.lineage.add_once(module.step, "interference", found.to_json())
