"""Models: loading a causal language model and its tokenizer, and what of it is trained."""
