"""The device that a run uses, and what of it can change a figure."""

import torch


def pick_device() -> torch.device:
    """The accelerator that PyTorch finds (cuda, mps, ...), else the CPU."""
    if torch.accelerator.is_available():
        return torch.accelerator.current_accelerator() or torch.device("cpu")
    return torch.device("cpu")
