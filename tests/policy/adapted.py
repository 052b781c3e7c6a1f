"""Small models with an adapter that changes something: B is drawn, not 0."""

import copy

import torch

from trivium.policy.lora import Lora, attach

EVERY = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
SOME = ("k_proj", "up_proj", "down_proj")


def adapted(model, modules=EVERY, seed=0, spread=0.3):
    """A copy of `model` with an adapter of rank 3."""
    made = copy.deepcopy(model)
    attach(made, Lora(3, 6.0, modules), "base", seed)
    return drawn(made, seed, spread)


@torch.no_grad()
def drawn(made, seed, spread=0.3):
    generator = torch.Generator().manual_seed(seed)
    for name, parameter in made.named_parameters():
        if ".lora_B." in name:
            parameter.copy_(spread * torch.randn(parameter.shape, generator=generator))
    return made
