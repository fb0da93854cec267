"""The report of a run: one HTML file that is read before anything else."""

from bench.report.report import as_report, read_report

__all__ = ["as_report", "read_report"]
