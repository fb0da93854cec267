"""Differential privacy: what makes Opacus' clipping, noise and accounting right for records of text."""
