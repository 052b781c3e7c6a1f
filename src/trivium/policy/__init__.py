"""Policies: who decides. Token ids in, sampled token ids out, exact.

    Policy                     policy.py      engine + renderer + sampling + role
    Engine, Sampling,          engine.py      the seam, and what crosses it
    Generation, Weights
    ScriptedEngine             scripted.py    answers from a script
    LocalEngine                local/         any Hugging Face causal LM on PyTorch
    RemoteEngine, ChatEngine   remote/        servers that speak OpenAI's protocol
    ChatML, Qwen3, Codec       rendering/     messages to tokens, tokens to messages
    parser, Parsed             parsing/       tool calls in what was sampled
    content_hash               weights.py     names weights          load_model   models.py

This door needs no torch; what does (local/, weights.py, models.py) is imported where it is used.
"""

from .engine import Engine, Generation, Sampling, Weights
from .policy import Policy
from .scripted import ScriptedEngine

__all__ = ["Engine", "Generation", "Policy", "Sampling", "ScriptedEngine", "Weights"]
