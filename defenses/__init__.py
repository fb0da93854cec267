"""Defenses, one a file: what each changes in training."""
