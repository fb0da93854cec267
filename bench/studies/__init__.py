"""Studies: the questions of how memorization arises, each an experiment along one axis."""
