"""What devices can do, by their vendors' figures."""

from __future__ import annotations

from dataclasses import dataclass

from bench.errors import InputError
from bench.names import did_you_mean
from bench.precision import Precision


@dataclass(frozen=True)
class Device:
    """Something that computes.

    Attributes:
        name: what users call it.
        float32, bfloat16: peak FLOP/s of dense matrix products; `None` where there is nothing faster
            than float32 for it.
        memory: bytes, `None` where the machine around it decides.
    """

    name: str
    float32: float
    bfloat16: float | None
    memory: float | None

    def dtype(self, precision: Precision) -> str:
        """What a training multiplies matrices in here; `auto` is bfloat16 where that is faster."""
        if precision != "auto":
            return precision
        return "float32" if self.bfloat16 is None else "bfloat16"

    def peak(self, dtype: str) -> float:
        """FLOP/s, by the vendor."""
        return self.bfloat16 if dtype == "bfloat16" and self.bfloat16 is not None else self.float32


# NVIDIA's data sheets of T4 (2019), A10 (2021), A100 (2021), H100 SXM (2023), H200 SXM (2023), without
# sparsity and without TF32, which PyTorch leaves off; Apple on M2 with 10 GPU cores (2022), whose memory is
# shared, 24 GB at most. A core of a CPU: two AVX2 units with fused multiply-add, 32 FLOP a cycle, at 3 GHz.
DEVICES = {
    device.name: device
    for device in (
        Device("cpu-core", 96e9, None, None),
        Device("M2", 3.6e12, None, 24e9),
        Device("T4", 8.1e12, None, 16e9),
        Device("A10", 31.2e12, 125e12, 24e9),
        Device("A100-40", 19.5e12, 312e12, 40e9),
        Device("A100-80", 19.5e12, 312e12, 80e9),
        Device("H100", 67e12, 989e12, 80e9),
        Device("H200", 67e12, 989e12, 141e9),
    )
}


def device_named(name: str) -> Device:
    """A device of the table.

    Raises:
        InputError: it holds none of that name.
    """
    found = next((device for known, device in DEVICES.items() if known.lower() == name.lower()), None)
    if found is None:
        raise InputError(
            f"--device {name}: unknown{did_you_mean(name, DEVICES)} (known: {', '.join(DEVICES)}); "
            "for another give --flops"
        )
    return found
