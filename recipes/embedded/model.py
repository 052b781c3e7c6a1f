"""The embedded policy before any training: tokenizer, shape, and weights that can already copy.

    python recipes/embedded/model.py --to DIR
    trivium sft recipes/embedded/sft.toml --set policy.model=DIR --run runs/embedded

Spaced and bare forms of a word begin with nearly the same embedding, so that a word copied from prose into JSON is
found.
"""

import argparse
from pathlib import Path

import torch
from induction import induction_init
from tokenizer import build, twins
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM

from trivium.envs.search import is_held_out
from trivium.policy.rendering import CHAT_TEMPLATE
from trivium.retrieval import load_stdlib

SIZE = 4096
HELD_OUT = 0.35  # share of documents that neither the tokenizer, nor SFT, nor RL ever sees


def configuration() -> Qwen2Config:
    """About 2.6 million parameters; three heads of 64, so that slow and fast rotary pairs are there in number."""
    return Qwen2Config(
        vocab_size=SIZE,
        hidden_size=192,
        intermediate_size=512,
        num_hidden_layers=4,
        num_attention_heads=3,
        num_key_value_heads=3,
        max_position_embeddings=2048,
        rope_parameters={"rope_type": "default", "rope_theta": 1_000_000.0},
        tie_word_embeddings=True,
        rms_norm_eps=1e-6,
        bos_token_id=None,
        eos_token_id=None,
    )


def tie_twins(model: Qwen2ForCausalLM, pairs: list[tuple[int, int]], share: float = 0.85) -> None:
    """e(spaced) = share * e(bare) + sqrt(1 - share²) * e(spaced): same norm, nearly the same direction."""
    weight = model.model.embed_tokens.weight
    with torch.no_grad():
        for spaced, bare in pairs:
            weight[spaced] = share * weight[bare] + (1 - share**2) ** 0.5 * weight[spaced]


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--to", type=Path, required=True, help="folder of the model")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    seen = [item for item in load_stdlib().documents if not is_held_out(item, HELD_OUT)]
    tokenizer = build(f"{item.title}. {item.text}" for item in seen)
    torch.manual_seed(arguments.seed)
    model = Qwen2ForCausalLM(configuration())
    induction_init(model, arguments.seed)
    tie_twins(model, twins(tokenizer))
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|im_end|>", pad_token="<|endoftext|>")
    fast.chat_template = CHAT_TEMPLATE
    model.save_pretrained(arguments.to)
    fast.save_pretrained(arguments.to)
    print(f"{sum(item.numel() for item in model.parameters()):,} parameters in {arguments.to}")


if __name__ == "__main__":
    main()
