"""Trivium trains LLM agents with reinforcement learning inside the harness in which they will work."""

__version__ = "0.1.0"
