"""trap-bench: which defense keeps most of the utility and leaks least."""
