"""Records: documents whose personal information is annotated."""

from bench.records.record import Record, Span

__all__ = ["Record", "Span"]
