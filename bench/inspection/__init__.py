"""A record token by token: how much better each model of a run knows it than one that never saw it."""
