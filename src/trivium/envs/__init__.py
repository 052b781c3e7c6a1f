"""Environments: what is asked, and how it is judged. One folder each."""
