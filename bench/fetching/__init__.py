"""Fetching a dataset's files: `delivery` tells the story, and each other module is one step of it."""
