"""The state of a learner as named tensors: what a checkpoint holds besides counters.

Always true: names that share memory (a head tied to the embedding) appear once; a moment is called
``<key>/<parameter>``, such as ``exp_avg/model.norm.weight``.
"""

import base64
from collections.abc import Mapping

import torch
from torch import Tensor, nn

from trivium.policy.lora import is_adapted, learned


def tensors(model: nn.Module) -> dict[str, Tensor]:
    """Parameters and persistent buffers, or an adapter alone; they share memory with the model."""
    if is_adapted(model):
        return learned(model)
    names = {name for name, _ in model.named_parameters()}
    shared = {name for name, _ in model.named_parameters(remove_duplicate=False)} - names
    return {name: tensor for name, tensor in model.state_dict().items() if name not in shared}


def moments(model: nn.Module, optimiser: torch.optim.Optimizer) -> dict[str, Tensor]:
    """The optimiser's state of every parameter that was stepped."""
    return {
        f"{key}/{name}": tensor
        for name, parameter in model.named_parameters()
        for key, tensor in optimiser.state.get(parameter, {}).items()
    }


def restore_moments(model: nn.Module, optimiser: torch.optim.Optimizer, state: Mapping[str, Tensor]) -> None:
    """Put back what `moments` gave."""
    optimiser.state.clear()
    parameters = dict(model.named_parameters())
    for full, tensor in state.items():
        key, _, name = full.partition("/")
        parameter = parameters[name]
        optimiser.state[parameter][key] = tensor.to("cpu" if key == "step" else parameter.device)


def random_state() -> dict[str, str]:
    """The generators of torch by device, in base64."""
    states = {"cpu": torch.get_rng_state()}
    if torch.cuda.is_available():
        states |= {f"cuda:{i}": torch.cuda.get_rng_state(i) for i in range(torch.cuda.device_count())}
    return {name: base64.b64encode(state.numpy().tobytes()).decode() for name, state in states.items()}


def restore_random_state(states: Mapping[str, str]) -> None:
    """Put back what `random_state` gave; devices that are not here are passed over."""
    for name, text in states.items():
        state = torch.frombuffer(bytearray(base64.b64decode(text)), dtype=torch.uint8)
        if name == "cpu":
            torch.set_rng_state(state)
        elif torch.cuda.is_available():
            torch.cuda.set_rng_state(state, name)
