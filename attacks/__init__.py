"""Attacks, one a file: evidence in, scores out."""
