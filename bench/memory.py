"""Peak memory of a stretch of work."""

from __future__ import annotations

import threading
from types import TracebackType

import psutil
import torch


class PeakMemory:
    """Measures while its `with` block runs: what CUDA allocates, else the process's resident set.

    The resident set is sampled twenty times a second and holds all that the process holds, so on a
    CPU the figure compares defenses of one run rather than machines.
    """

    def __init__(self, device: torch.device) -> None:
        self._peak = 0.0
        self._device = device
        self._done = threading.Event()
        self._sampler = threading.Thread(target=self._sample, daemon=True)

    def __enter__(self) -> PeakMemory:
        if self._device.type == "cuda":
            torch.cuda.reset_peak_memory_stats(self._device)
        else:
            self._sampler.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._peak = self.peak_mb
        self._done.set()
        if self._sampler.is_alive():
            self._sampler.join()

    @property
    def peak_mb(self) -> float:
        """The peak so far, in units of 2^20 bytes; that of the whole block once it has ended."""
        if self._device.type == "cuda" and not self._done.is_set():
            return torch.cuda.max_memory_allocated(self._device) / 2**20
        return self._peak

    def _sample(self) -> None:
        process = psutil.Process()
        while True:
            self._peak = max(self._peak, process.memory_info().rss / 2**20)
            if self._done.wait(0.05):
                return
