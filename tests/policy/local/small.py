"""The smallest real models, the reference log-probs, and a shorter way to ask."""

import asyncio
import random
from functools import cache

import torch
from transformers import (
    Gemma2Config,
    Gemma2ForCausalLM,
    GPTNeoXConfig,
    GPTNeoXForCausalLM,
    LlamaConfig,
    LlamaForCausalLM,
    Qwen2Config,
    Qwen2ForCausalLM,
    Qwen3Config,
    Qwen3ForCausalLM,
)

from trivium.policy.engine import Sampling

VOCABULARY = 97
_SIZES = {
    "vocab_size": VOCABULARY,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "max_position_embeddings": 512,
    "initializer_range": 0.2,
    "bos_token_id": None,
    "eos_token_id": None,
    "pad_token_id": None,
}
_LLAMA3 = {
    "rope_type": "llama3",
    "rope_theta": 10000.0,
    "factor": 4.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 64,
}


@cache
def model(name, seed=0):
    """A random model of an architecture, with biases and norms that are not trivial."""
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    made = _MAKE[name]().eval()
    with torch.no_grad():
        for key, parameter in made.named_parameters():
            if "norm" in key or key.endswith("bias"):
                parameter.add_(0.3 * torch.randn_like(parameter))
    return made


_MAKE = {
    "qwen2": lambda: Qwen2ForCausalLM(Qwen2Config(**_SIZES, num_key_value_heads=2, tie_word_embeddings=True)),
    "llama": lambda: LlamaForCausalLM(
        LlamaConfig(**_SIZES, num_key_value_heads=1, attention_bias=True, mlp_bias=True, rope_parameters=_LLAMA3)
    ),
    "qwen3": lambda: Qwen3ForCausalLM(Qwen3Config(**_SIZES, num_key_value_heads=2, head_dim=16)),
    "neox": lambda: GPTNeoXForCausalLM(GPTNeoXConfig(**_SIZES)),
    "gemma2": lambda: Gemma2ForCausalLM(
        Gemma2Config(**_SIZES, num_key_value_heads=2, head_dim=8, sliding_window=24, attn_implementation="eager")
    ),
}
FAST = ("qwen2", "llama", "qwen3")
GENERIC = ("neox", "gemma2")


def tokens(count, seed=0):
    """Random token ids."""
    draw = random.Random(seed)
    return [draw.randrange(VOCABULARY) for _ in range(count)]


def drift(made, prompt, generation, temperature=1.0):
    """Largest difference between recorded log-probs and those of one plain forward of all tokens in float32."""
    ids = torch.tensor([[*prompt, *generation.tokens]])
    with torch.no_grad():
        logprobs = torch.log_softmax(made(ids, use_cache=False).logits[0].float() / temperature, dim=-1)
    sampled = torch.tensor(generation.tokens)[:, None]
    expected = logprobs[len(prompt) - 1 : -1].gather(1, sampled).squeeze(1)
    return (expected - torch.tensor(generation.logprobs)).abs().max().item()


def ask(engine, prompt, seed=0, new=12, sampling=None, **how):
    """One generation, from a test that is not async."""
    return asyncio.run(engine.generate(prompt, sampling or Sampling(seed=seed, max_tokens=new), **how))


def ask_all(engine, prompts, new=12):
    """All prompts at once, seeds 0, 1, ..."""

    async def gather():
        calls = (engine.generate(p, Sampling(seed=seed, max_tokens=new)) for seed, p in enumerate(prompts))
        return await asyncio.gather(*calls)

    return asyncio.run(gather())
