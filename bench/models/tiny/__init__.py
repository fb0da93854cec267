"""The embedded base model, a Llama of one million parameters: see README.md, and `make` for its making."""
