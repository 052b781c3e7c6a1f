"""Policies: who decides. Token ids in, sampled token ids out, exact.

    Policy                     policy.py      engine + renderer + sampling + role
    Engine, Sampling,          engine.py      the seam, and what crosses it
    Generation, Weights
    LocalEngine                local/         any Hugging Face causal LM on PyTorch
    ScriptedEngine             scripted.py    answers from a script
    ChatML, Qwen3, Codec       rendering/     messages to tokens, tokens to messages
    parser, Parsed             parsing/       tool calls in what was sampled
    WeightStore                weights.py     named by content       load_model   models.py

Doors of the sub-packages are imported where they are used: this package itself needs no torch.
"""
